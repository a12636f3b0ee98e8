// A layered network as an inner product over its paths: output k = sum of (weights along the path) * (gates of the
// path, open or closed at x) * (the input where it starts).

import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import type { Layered } from "./layers/layered.ts";
import { layersOf } from "./layers/layers.ts";

/** One path, from where it starts to an output. */
export interface Path {
  /** An input's index, or the layer at whose bias the path starts. */
  readonly start: { readonly input: number } | { readonly biasOf: number };
  /** The units that it passes in the hidden layers, from the first that it meets. */
  readonly units: readonly number[];
  /** The product of its weights. */
  readonly weight: number;
}

export interface PathDecomposition {
  readonly paths: readonly Path[];
  /** For each path: its start's value if all its gates are open, else 0. */
  readonly gated: Float64Array;
}

/**
 * Whether each hidden unit passes its input on at x; ReLU at 0 is closed.
 * @example openGates(readLayers(denseNetwork([{ W: [[1], [-1]] }, { W: [[1, 1]] }], "relu")), [2]) // [[true, false]]
 */
export function openGates({ layers }: Layered, x: ArrayLike<number>): readonly (readonly boolean[])[] {
  let state = Float64Array.from(x);
  return layers.slice(0, -1).map(({ weights, bias }) => {
    const next = Float64Array.from(bias);
    for (let row = 0; row < weights.rows; row++)
      for (let k = weights.starts[row]!; k < weights.starts[row + 1]!; k++)
        next[row]! += weights.values[k]! * state[weights.columnOf[k]!]!;
    const gates = Array.from(next, (v) => v > 0);
    state = next.map((v) => Math.max(v, 0));
    return gates;
  });
}

/** All paths to one output, backwards from it; weights 0 lead nowhere. */
function* pathsTo({ layers }: Layered, output: number): Generator<Path> {
  function* back(level: number, row: number, weight: number, units: readonly number[]): Generator<Path> {
    const { weights, bias } = layers[level]!;
    if (bias[row] !== 0) yield { start: { biasOf: level }, units, weight: weight * bias[row]! };
    for (let k = weights.starts[row]!; k < weights.starts[row + 1]!; k++) {
      const [column, along] = [weights.columnOf[k]!, weight * weights.values[k]!];
      if (weights.values[k] === 0) continue;
      if (level === 0) yield { start: { input: column }, units, weight: along };
      else yield* back(level - 1, column, along, [column, ...units]);
    }
  }
  yield* back(layers.length - 1, output, 1, []);
}

/** Networks with more paths than this are not taken apart unless the caller says so. */
const mostPaths = 1e6;

/**
 * The paths of one output of a layered ReLU network, and which of them are open at x: their inner product is the output.
 * @example decomposePaths(net, [1, 2]).paths.length // 4 for two inputs, two hidden units and no biases
 */
export function decomposePaths(
  graph: Graph,
  x: ArrayLike<number>,
  { output = 0, limit = mostPaths }: { readonly output?: number; readonly limit?: number } = {},
): PathDecomposition {
  const layered = layersOf(graph);
  if (layered.activation !== "relu")
    throw new GraphError(`paths have gates of ReLU; this network has ${layered.activation}`);
  const gates = openGates(layered, x);
  const paths: Path[] = [];
  const gated: number[] = [];
  for (const path of pathsTo(layered, output)) {
    if (paths.length >= limit) throw new GraphError(`the network has more than ${limit} paths`);
    const { start, units } = path;
    const first = layered.layers.length - 1 - units.length;
    const isOpen = units.every((unit, k) => gates[first + k]![unit]);
    paths.push(path);
    gated.push(isOpen ? ("input" in start ? x[start.input]! : 1) : 0);
  }
  return { paths, gated: Float64Array.from(gated) };
}
