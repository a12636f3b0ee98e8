// A chain of layers as a graph that takes and gives the tensors of the source.

import { graph } from "../../graph/builder.ts";
import { type Dim, type Graph, isTensorType, requiredInputs, type Shape } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { sparseMatrix } from "../../graph/sparse.ts";
import type { Layer, Layered } from "../../networks/layers/layered.ts";
import { graphOf, type Precision } from "../../networks/layers/layers.ts";

/** How the source lays out what the layers see as rows of a batch. */
export interface ChainInterface {
  readonly input: { readonly name: string; readonly shape: Shape };
  readonly output: { readonly name: string; readonly shape: Shape };
  readonly precision: Precision;
}

const isBatch = (d: Dim): boolean => typeof d !== "number";

/** Undefined where a dimension other than the first is open: then the layers of one example do not say it all. */
export function chainInterface(source: Graph): ChainInterface | undefined {
  const [input] = requiredInputs(source);
  const [output] = source.outputs;
  if (!input || !output || !isTensorType(input.type) || !input.type.shape) return undefined;
  const { type, shape } = input.type;
  const result = inferTypes(source).get(output.name);
  if ((type !== "float32" && type !== "float64") || result?.type !== type || !result.shape) return undefined;
  if (shape.slice(1).some(isBatch) || result.shape.slice(1).some(isBatch)) return undefined;
  if (isBatch(shape[0]) !== isBatch(result.shape[0])) return undefined;
  return {
    input: { name: input.name, shape },
    output: { name: output.name, shape: result.shape },
    precision: type,
  };
}

/** A layer that reads nothing is a constant: what came before it is not needed. */
function withoutEmpty(layers: readonly Layer[]): readonly Layer[] {
  const last = layers.findLastIndex((layer, l) => l > 0 && layer.weights.columns === 0);
  if (last < 0) return layers;
  const { weights, bias } = layers[last]!;
  const constant = { weights: sparseMatrix(weights.rows, layers[0]!.weights.columns, []), bias };
  return [constant, ...layers.slice(last + 1)];
}

/** The graph of the layers, with names, shapes and type of the source. */
export function chainGraph(source: Graph, { layers, activation, exact }: Layered, io: ChainInterface): Graph {
  const plain = graphOf(
    { layers: withoutEmpty(layers).map(({ weights, bias }) => ({ weights, bias })), activation, exact },
    { precision: io.precision },
  );
  const width = layers[0]!.weights.columns;
  const isPlain = (shape: Shape, n: number): boolean =>
    shape.length === 2 && shape[1] === n && (isBatch(shape[0]) || shape[0] === 1);
  const target = ({ shape }: { readonly shape: Shape }): readonly number[] =>
    shape.map((d) => (typeof d === "number" ? d : -1));
  const built = graph(
    { [io.input.name]: { type: io.precision, shape: io.input.shape } },
    (inputs) => {
      const x = inputs[io.input.name]!;
      const rows = isPlain(io.input.shape, width) ? x : x.reshape([-1, width]);
      const y = rows.builder.inline(plain, { x: rows })["y"]!;
      const last = layers.at(-1)!.weights.rows;
      return { [io.output.name]: isPlain(io.output.shape, last) ? y : y.reshape(target(io.output)) };
    },
    { name: source.name },
  );
  return { ...built, metadata: source.metadata };
}
