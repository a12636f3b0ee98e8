// A comparison with all that is said beside its verdict: the nodes on the data, or at the point where networks differ.
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor } from "../../graph/tensor.ts";
import { widenBfloat16 } from "../widen-bfloat16.ts";
import { compareNetworks } from "./compare.ts";
import type { CompareOptions, Comparison } from "./comparison.ts";
import { type Closeness, type NodeDifference, nodeDifferences } from "./nodes.ts";
import { inputSize } from "./replay.ts";

/** Nodes are looked at on no more points than this. */
const mostTraced = 200;

/** What holds of the nodes on the points. */
export interface NodeReport {
  readonly rows: readonly NodeDifference[];
  readonly firstDiverging?: string;
  /** Whether the outputs agree. */
  readonly agree: boolean;
  readonly leastAtol: number;
  readonly leastRtol: number;
  readonly points: number;
}

export interface ComparisonWithNodes {
  readonly result: Comparison;
  readonly nodes?: NodeReport | undefined;
}

/** The rows of a data file's one tensor as flat inputs of a network. */
export function comparisonPoints(
  graph: Graph,
  tensors: Readonly<Record<string, Tensor>>,
  file: string,
): readonly Float64Array[] {
  const size = inputSize(graph);
  const [rows, ...others] = Object.values(tensors);
  if (!rows || others.length > 0)
    throw new GraphError(
      `${file}: ${Object.keys(tensors).length} tensors; one is needed, with a row of ${size} numbers for each input`,
    );
  const values = Float64Array.from(numbers(rows), Number);
  if (values.length === 0 || values.length % size !== 0)
    throw new GraphError(`${file}: ${values.length} numbers are no rows of ${size}, which the network takes`);
  const wrong = values.findIndex((v) => !Number.isFinite(v));
  if (wrong >= 0) throw new GraphError(`${file}: number ${wrong} is ${values[wrong]}`);
  return Array.from({ length: values.length / size }, (_, k) => values.slice(k * size, (k + 1) * size));
}

/** The least box around points. */
const rangeOf = (points: readonly Float64Array[]) => ({
  lower: points.reduce((low, x) => low.map((v, i) => Math.min(v, x[i]!)), points[0]!),
  upper: points.reduce((high, x) => high.map((v, i) => Math.max(v, x[i]!)), points[0]!),
});

function nodeReport(rows: readonly NodeDifference[], points: number): NodeReport {
  const outputs = rows.filter(({ isOutput }) => isOutput);
  const diverging = rows.find(({ agrees }) => !agrees);
  return {
    rows,
    ...(diverging && { firstDiverging: diverging.first }),
    agree: outputs.every(({ agrees }) => agrees),
    leastAtol: outputs.reduce((m, { leastAtol }) => Math.max(m, leastAtol), 0),
    leastRtol: outputs.reduce((m, { leastRtol }) => Math.max(m, leastRtol), 0),
    points,
  };
}

/**
 * Compares two networks, on the range of the points if there is no box, and their nodes on the points or at the witness.
 * @example (await compareWithNodes(net, net, { atol: 1e-6, rtol: 1e-5 })).result.verdict // "equivalent"
 */
export async function compareWithNodes(
  first: Graph,
  second: Graph,
  options: CompareOptions & Closeness,
): Promise<ComparisonWithNodes> {
  const [a, b] = [widenBfloat16(first), widenBfloat16(second)];
  const { points = [], signal } = options;
  const box = options.box ?? (points.length > 0 ? rangeOf(points) : undefined);
  const result = await compareNetworks(a, b, { ...options, ...(box && { box }) });
  const shown = (points.length > 0 ? points : result.witness ? [result.witness.at] : []).slice(0, mostTraced);
  if (shown.length === 0) return { result };
  const rows = await nodeDifferences(a, b, shown, options, { symmetry: result.symmetry, signal });
  return { result, nodes: rows && nodeReport(rows, shown.length) };
}

/** The report as a plain record, for JSON. */
export const comparisonRecord = ({ result: { witness, ...result }, nodes }: ComparisonWithNodes) => ({
  ...result,
  ...(witness && {
    witness: {
      at: [...witness.at],
      first: [...witness.first],
      second: [...witness.second],
      difference: witness.difference,
    },
  }),
  ...(nodes && { nodes }),
});
