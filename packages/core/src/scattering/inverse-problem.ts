// Signals from measurements y = G x that do not determine them (book 1, (8.57)): least squares and, with a weight, the
// scattering coefficients that a regression foresees: E(x) = |G x - y|^2 + beta |S x - z|^2, by descent through the graph.
import { run } from "../engine/run.ts";
import { release } from "../engine/session.ts";
import { float32, float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import { numbers, type Tensor } from "../graph/tensor.ts";
import { leastSquares, type Matrix } from "../linear-algebra/index.ts";
import { transposeOf } from "../linear-algebra/svd.ts";
import { gradient } from "../passes/gradient.ts";
import { energy } from "./energy.ts";
import { ScatteringError } from "./error.ts";
import { minimize } from "./minimize.ts";
import { plannedStatistics, type SynthesisOptions, tensorOf } from "./synthesis.ts";

export interface InverseProblem {
  /** G: a row a measurement, a column a sample. */
  readonly forward: Matrix;
  readonly measured: ArrayLike<number>;
  /** z: the statistics that the signal should have. */
  readonly wanted: ArrayLike<number>;
  /** beta */
  readonly weight: number;
}

export interface Regularized {
  readonly x: Float64Array;
  /** E before each step, and at the end. */
  readonly values: readonly number[];
  /** |G x - y| and |S x - z| at the end. */
  readonly misfit: number;
  readonly distance: number;
}

/**
 * The graph x [1, ..], y, z -> loss, with the measurements m and the statistics s of x.
 * @example regularizedLoss({ rows: 1, columns: 8, entries: new Float64Array(8) }, 1, { shape: [8], scale: 1 }).outputs.length // 3
 */
export function regularizedLoss(forward: Matrix, weight: number, options: SynthesisOptions): Graph {
  const { plan, type, dims, of } = plannedStatistics(options);
  const { shape } = plan.geometry;
  const samples = shape.reduce((a, b) => a * b, 1);
  if (forward.columns !== samples)
    throw new ScatteringError(`measurements of ${forward.columns} samples, a signal of ${samples}`);
  const typed = type === "float32" ? float32 : float64;
  const turned = tensorOf(type, [samples, forward.rows], transposeOf(forward).entries);
  const inputs = { x: typed(1, ...shape), y: typed(1, forward.rows), z: typed(...dims) };
  return graph(
    inputs,
    ({ x, y, z }) => {
      const [m, s] = [x.reshape([1, -1]).matmul(turned), of(x)];
      const square = (rest: typeof m) => rest.mul(rest).op("ReduceSum", [], { keepdims: 0 });
      return { loss: square(m.sub(y)).add(square(s.sub(z)).mul(weight)), m, s };
    },
    { name: "regularized" },
  );
}

/**
 * The signal with the least E near a start: the shortest solution of least squares, if none is given.
 * @example (await regularized({ forward: { rows: 1, columns: 8, entries: new Float64Array(8).fill(1) }, measured: [8], wanted: new Float64Array(3), weight: 0 }, { shape: [8], scale: 1 })).x.map(Math.round)[0] // 1
 */
export async function regularized(
  { forward, measured, wanted, weight }: InverseProblem,
  options: SynthesisOptions,
  start?: ArrayLike<number>,
): Promise<Regularized> {
  if (measured.length !== forward.rows)
    throw new ScatteringError(`${measured.length} measurements, of which G makes ${forward.rows}`);
  if (!(weight >= 0)) throw new ScatteringError(`the weight of a prior is not negative: ${weight}`);
  const { type, dims } = plannedStatistics(options);
  if (wanted.length !== dims[1] * dims[2])
    throw new ScatteringError(`${wanted.length} statistics for ${dims[1] * dims[2]} that there are`);
  const first = start ?? (await shortestSolution(forward, measured));
  const loss = regularizedLoss(forward, weight, options);
  const slope = gradient(loss, { wrt: ["x"], of: ["loss"], unitSeeds: true });
  const given = { y: tensorOf(type, [1, forward.rows], measured), z: tensorOf(type, dims, wanted) };
  const evaluate = async (x: Float64Array) => {
    const found = await run(slope, { x: tensorOf(type, [1, ...options.shape], x), ...given });
    return {
      value: numbers(found.loss!)[0]!,
      gradient: Float64Array.from(numbers(found.grad_x!)),
      misfit: length(found.m!, measured),
      distance: length(found.s!, wanted),
    };
  };
  const { iterations = 100, onStep } = options;
  const { x, values } = await minimize(evaluate, Float64Array.from(first), {
    iterations,
    ...(onStep && { onStep }),
  });
  const { misfit, distance } = await evaluate(x);
  await release(slope);
  return { x, values, misfit, distance };
}

/**
 * The shortest of all signals that fit the measurements best.
 * @example (await shortestSolution({ rows: 1, columns: 2, entries: Float64Array.of(1, 1) }, [2])).map(Math.round) // Float64Array [1, 1]
 */
export async function shortestSolution(forward: Matrix, measured: ArrayLike<number>): Promise<Float64Array> {
  const b = { rows: forward.rows, columns: 1, entries: Float64Array.from(measured) };
  return (await leastSquares(forward, b)).solution.entries;
}

/** M of (8.57) with an offset: z = M s + c. */
export interface StatisticsRegression {
  of(s: ArrayLike<number>): Float64Array;
}

/**
 * The linear map with an offset that takes statistics of measurements to those of signals with the least squared error over
 * pairs, plus ridge |M|^2.
 * @example (await statisticsRegression([{ from: [0], to: [1] }, { from: [1], to: [3] }], 0)).of([2]).map(Math.round) // Float64Array [5]
 */
export async function statisticsRegression(
  pairs: readonly { readonly from: ArrayLike<number>; readonly to: ArrayLike<number> }[],
  ridge: number,
): Promise<StatisticsRegression> {
  const [first] = pairs;
  if (!first) throw new ScatteringError("a regression needs pairs");
  const [p, q] = [first.from.length, first.to.length];
  const means = [new Float64Array(p), new Float64Array(q)] as const;
  for (const { from, to } of pairs) {
    for (let k = 0; k < p; k++) means[0][k]! += from[k]! / pairs.length;
    for (let k = 0; k < q; k++) means[1][k]! += to[k]! / pairs.length;
  }
  // Rows of the ridge below those of the pairs: |A M^T - B|^2 + ridge |M|^2 is one problem of least squares.
  const extra = ridge > 0 ? p : 0;
  const a = { rows: pairs.length + extra, columns: p, entries: new Float64Array((pairs.length + extra) * p) };
  const b = { rows: pairs.length + extra, columns: q, entries: new Float64Array((pairs.length + extra) * q) };
  pairs.forEach(({ from, to }, i) => {
    for (let k = 0; k < p; k++) a.entries[i * p + k] = from[k]! - means[0][k]!;
    for (let k = 0; k < q; k++) b.entries[i * q + k] = to[k]! - means[1][k]!;
  });
  for (let k = 0; k < extra; k++) a.entries[(pairs.length + k) * p + k] = Math.sqrt(ridge);
  const { solution } = await leastSquares(a, b);
  return {
    of: (s) => {
      if (s.length !== p) throw new ScatteringError(`${s.length} statistics for a map of ${p}`);
      return means[1].map((mean, l) => {
        let sum = mean;
        for (let k = 0; k < p; k++) sum += solution.entries[k * q + l]! * (s[k]! - means[0][k]!);
        return sum;
      });
    },
  };
}

function length(found: Tensor, wanted: ArrayLike<number>): number {
  return Math.sqrt(energy(Float64Array.from(numbers(found), (v, k) => Number(v) - wanted[k]!)));
}
