// A network with skip connections as a graph: each layer reads the layers that it needs, side by side.

import { graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { denseTensor, sparseMatrix } from "../../graph/sparse.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { ChainInterface } from "./chain-graph.ts";
import type { SkipNetwork, SkipRow, SkipUnit } from "./skip-network.ts";

/** Units that were one layer of the source and are of one kind. */
interface Group {
  readonly units: readonly SkipUnit[];
  readonly isLinear: boolean;
}

/** The layers that are left, in their order. */
export function skipLayers({ units }: SkipNetwork): readonly Group[] {
  const byLayer = new Map<number, SkipUnit[]>();
  for (const unit of units) {
    const own = byLayer.get(unit.layer) ?? [];
    byLayer.set(unit.layer, own);
    own.push(unit);
  }
  return [...byLayer.values()].map((own) => ({ units: own, isLinear: own[0]!.isLinear }));
}

class Writer {
  readonly #values: { readonly value: Value; readonly slots: readonly number[] }[];
  readonly #io: ChainInterface;

  constructor(x: Value, inputs: number, io: ChainInterface) {
    this.#values = [{ value: x, slots: Array.from({ length: inputs }, (_, k) => k) }];
    this.#io = io;
  }

  /** W (what the rows read) + b. */
  affine(rows: readonly SkipRow[]): Value {
    const read = new Set(rows.flatMap(({ weights }) => [...weights.keys()]));
    const used = this.#values.filter(({ slots }) => slots.some((slot) => read.has(slot)));
    const sources = used.length > 0 ? used : this.#values.slice(0, 1);
    const column = new Map(sources.flatMap(({ slots }) => slots).map((slot, k) => [slot, k]));
    const [first, ...others] = sources.map(({ value }) => value) as [Value, ...Value[]];
    const x = others.length > 0 ? first.concat(others, 1) : first;
    const entries = rows.flatMap(({ weights }, r) =>
      [...weights].map(([slot, w]) => [r, column.get(slot)!, w] as const),
    );
    const matrix = sparseMatrix(rows.length, column.size, entries);
    const type = this.#io.precision;
    const bias = tensor(
      rows.map(({ constant }) => constant),
      { type },
    );
    const size = matrix.rows * matrix.columns;
    const isSparse = size > 2 ** 8 && 8 * entries.length < size;
    return x.affine(isSparse ? matrix : denseTensor(matrix, type), bias);
  }

  layer({ units, isLinear }: Group): void {
    const z = this.affine(units);
    this.#values.push({ value: isLinear ? z : z.relu(), slots: units.map(({ slot }) => slot) });
  }
}

/** The graph, with names, shapes and type of the source. */
export function skipGraph(source: Graph, network: SkipNetwork, io: ChainInterface): Graph {
  const flat = (n: number, shape: ChainInterface["input"]["shape"]): boolean =>
    shape.length === 2 && shape[1] === n && (typeof shape[0] !== "number" || shape[0] === 1);
  const { input, output, precision } = io;
  const built = graph(
    { [input.name]: { type: precision, shape: input.shape } },
    (inputs) => {
      const x = inputs[input.name]!;
      const rows = flat(network.inputs, input.shape) ? x : x.reshape([-1, network.inputs]);
      const writer = new Writer(rows, network.inputs, io);
      for (const group of skipLayers(network)) writer.layer(group);
      const y = writer.affine(network.outputs);
      const dims = output.shape.map((d) => (typeof d === "number" ? d : -1));
      return { [output.name]: flat(network.outputs.length, output.shape) ? y : y.reshape(dims) };
    },
    { name: source.name },
  );
  return { ...built, metadata: source.metadata };
}
