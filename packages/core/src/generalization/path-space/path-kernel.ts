// Inner products of the gated path inputs of a ReLU network: a path is open at x if all its gates are, and then carries
// the input (or the 1 of a bias) where it starts. There are n_0 n_1 ... paths; nothing here is as long as that.
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { SparseMatrix } from "../../graph/sparse.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { layersOf } from "../../networks/layers/layers.ts";
import { openGates } from "../../networks/path-decomposition.ts";

/** Inner products over the paths that end in the units of one layer: n x n numbers, row by row. */
interface Level {
  readonly units: number;
  unit(j: number): Float64Array;
  sum(): Float64Array;
}

export interface PathKernelOptions {
  /** The network whose gates open and close the paths; default: the network itself. */
  readonly gates?: Graph;
  readonly output?: number;
}

/**
 * K(x, x') = <z(x), z(x')> for all pairs of points, z(x) the gated inputs of all paths to an output whose weights are
 * not 0. Without biases and zeros, K(x, x') = <x, x'> times, for each layer, the number of units open at both points.
 * @example pathKernel(network([layer([[1], [1]]), layer([[1, 1]])]), [[2], [3]]) // Float64Array [8, 12, 12, 18]
 */
export function pathKernel(
  net: Graph,
  points: readonly ArrayLike<number>[],
  { gates = net, output = 0 }: PathKernelOptions = {},
): Float64Array {
  const [{ layers, activation }, gating] = [layersOf(net), layersOf(gates)];
  if (activation !== "relu" || gating.activation !== "relu")
    throw new GraphError(`paths have gates of ReLU; this network has ${activation}`);
  const open = points.map((x) => openGates(gating, x));
  let level = inputs(points, layers[0]!.weights.columns);
  for (let l = 0; l < layers.length - 1; l++)
    level = gated(
      layers[l]!,
      level,
      open.map((at) => at[l]!),
    );
  return arrivals(layers.at(-1)!, level)(output);
}

/** The inputs themselves: x_j x'_j. */
function inputs(points: readonly ArrayLike<number>[], units: number): Level {
  const n = points.length;
  const product = (of: (x: ArrayLike<number>, y: ArrayLike<number>) => number): Float64Array =>
    Float64Array.from({ length: n * n }, (_, k) => of(points[Math.floor(k / n)]!, points[k % n]!));
  return {
    units,
    unit: (j) => product((x, y) => x[j]! * y[j]!),
    sum: () =>
      product((x, y) => {
        let sum = 0;
        for (let j = 0; j < units; j++) sum += x[j]! * y[j]!;
        return sum;
      }),
  };
}

const isFull = ({ values, starts, columns }: SparseMatrix, row: number): boolean =>
  starts[row + 1]! - starts[row]! === columns &&
  values.subarray(starts[row]!, starts[row + 1]!).every((w) => w !== 0);

/** Of the paths that reach a unit; units that all units before them reach share one array. */
function arrivals({ weights, bias }: Layer, before: Level): (row: number) => Float64Array {
  const shared = new Map<boolean, Float64Array>();
  const plusBias = (kernel: Float64Array, row: number): Float64Array =>
    bias[row] === 0 ? kernel : kernel.map((k) => k + 1);
  return (row) => {
    const hasBias = bias[row] !== 0;
    if (isFull(weights, row)) {
      const known = shared.get(hasBias) ?? plusBias(before.sum(), row);
      shared.set(hasBias, known);
      return known;
    }
    const sum = new Float64Array(before.sum().length);
    for (let k = weights.starts[row]!; k < weights.starts[row + 1]!; k++)
      if (weights.values[k] !== 0)
        before.unit(weights.columnOf[k]!).forEach((v, i) => {
          sum[i]! += v;
        });
    return plusBias(sum, row);
  };
}

/** Of the paths that reach units of a hidden layer and pass them. */
function gated(layer: Layer, before: Level, open: readonly (readonly boolean[])[]): Level {
  const [arriving, n, units] = [arrivals(layer, before), open.length, layer.weights.rows];
  let total: Float64Array | undefined;
  const unit = (u: number): Float64Array =>
    arriving(u).map((k, i) => (open[Math.floor(i / n)]![u] && open[i % n]![u] ? k : 0));
  const sum = (): Float64Array => {
    const sums = new Float64Array(n * n);
    for (let u = 0; u < units; u++) {
      const at = arriving(u);
      for (let i = 0; i < n; i++)
        if (open[i]![u]) for (let k = 0; k < n; k++) if (open[k]![u]) sums[i * n + k]! += at[i * n + k]!;
    }
    return sums;
  };
  return {
    units,
    unit,
    sum: () => {
      total ??= sum();
      return total;
    },
  };
}
