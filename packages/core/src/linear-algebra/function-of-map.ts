// f(A) v for a symmetric map that is known by its products alone: f as a sum of Chebyshev polynomials on the interval that
// holds the eigenvalues.
import { EngineError } from "../engine/error.ts";
import type { Matrix } from "./matrix-norm.ts";
import type { RowsProduct } from "./top-eigenpairs.ts";

export interface FunctionOfMapOptions {
  /** All eigenvalues lie in here. */
  readonly interval: readonly [number, number];
  /** How far the polynomial may be from f on the interval; default 1e-10. */
  readonly tolerance?: number;
  /** The greatest degree, which is the number of products; default 4000. */
  readonly degree?: number;
  /** Called after each product with the part that is done. */
  readonly onStep?: (part: number) => void;
  readonly signal?: AbortSignal;
}

/** Coefficients are sums of values, so that all of them together are off by about this part of the greatest. */
const rounding = 2 ** -40;

/**
 * The coefficients c_k of f = c_0 / 2 + sum_k c_k T_k on an interval, as many as are above the tolerance in sum.
 * @example chebyshevCoefficients((x) => x * x, [-1, 1], 1e-10, 100).map((c) => Math.round(2 * c)) // [2, 0, 1]
 */
export function chebyshevCoefficients(
  f: (x: number) => number,
  [low, high]: readonly [number, number],
  tolerance: number,
  degree: number,
): readonly number[] {
  for (let nodes = 32; ; nodes *= 2) {
    const found = interpolated(f, low, high, nodes);
    const size = found.reduce((most, c) => Math.max(most, Math.abs(c)), 0);
    // What is cut off, and what the nodes could not tell from it: the last quarter must be rounding already.
    const kept = keptOf(found, Math.max(tolerance, rounding * size));
    if (kept <= 0.75 * nodes && kept - 1 <= degree) return found.slice(0, kept);
    if (nodes > 2 * degree)
      throw new EngineError(`a polynomial within ${tolerance.toExponential(0)} has a degree above ${degree}`);
  }
}

/** c_k = (2 / N) sum_j f(x_j) cos(k t_j) at the N zeros x_j = cos t_j. */
function interpolated(f: (x: number) => number, low: number, high: number, nodes: number): number[] {
  const angles = Array.from({ length: nodes }, (_, j) => (Math.PI * (j + 0.5)) / nodes);
  const values = angles.map((t) => f(low + 0.5 * (high - low) * (1 + Math.cos(t))));
  return Array.from({ length: nodes }, (_, k) => {
    const sum = values.reduce((s, v, j) => s + v * Math.cos(k * angles[j]!), 0);
    return (2 / nodes) * sum;
  });
}

/** How many coefficients remain when the rest sums up to no more than the tolerance. */
function keptOf(coefficients: readonly number[], tolerance: number): number {
  let rest = 0;
  for (let k = coefficients.length - 1; k > 0; k--) {
    rest += Math.abs(coefficients[k]!);
    if (rest > tolerance) return k + 1;
  }
  return 1;
}

/**
 * f(A) v for the rows v of a matrix.
 * @example (await functionOfMap(Math.exp, async (v) => v, matrixOfRows([[1, 2]]), { interval: [0, 2] })).entries // about [2.718, 5.437]
 */
export async function functionOfMap(
  f: (x: number) => number,
  product: RowsProduct,
  v: Matrix,
  { interval, tolerance = 1e-10, degree = 4000, onStep, signal }: FunctionOfMapOptions,
): Promise<Matrix> {
  const [low, high] = interval;
  const c = chebyshevCoefficients(f, interval, tolerance, degree);
  const centre = 0.5 * (low + high);
  const radius = 0.5 * (high - low) || 1;
  /** (A - centre) / radius, whose eigenvalues lie in [-1, 1]. */
  const scaled = async (x: Matrix): Promise<Float64Array> => {
    signal?.throwIfAborted();
    const { entries } = await product(x);
    return entries.map((a, k) => (a - centre * x.entries[k]!) / radius);
  };
  const sum = v.entries.map((x) => 0.5 * c[0]! * x);
  let [before, now] = [v.entries, v.entries];
  for (let k = 1; k < c.length; k++) {
    // T_(k+1)(x) = 2 x T_k(x) - T_(k-1)(x)
    const image = await scaled({ ...v, entries: now });
    const next = k === 1 ? image : image.map((x, j) => 2 * x - before[j]!);
    for (let j = 0; j < sum.length; j++) sum[j]! += c[k]! * next[j]!;
    [before, now] = [now, next];
    onStep?.(k / (c.length - 1));
  }
  return { ...v, entries: sum };
}
