// Codes whose sizes add up to so much at most: the least |y - D x|^2 / 2 with |x|_1 <= radius. The same as basis pursuit with some
// lambda, where one knows how much may be spent and not what it costs.
import { SparseError } from "../error.ts";
import { analyze, type Dictionary, requireSignal, residualOf, squaredNormAbove } from "./dictionary.ts";
import { softThreshold } from "./thresholds.ts";

/**
 * The nearest vector with |x|_1 <= radius: all sizes less one number, those below it 0.
 * @example nearestInL1Ball(Float64Array.of(3, 1), 1) // Float64Array [1, 0]
 */
export function nearestInL1Ball(v: Float64Array, radius: number): Float64Array {
  if (!(radius >= 0)) throw new SparseError(`the radius of a ball is a number from 0 up, not ${radius}`);
  const sizes = v.map(Math.abs).sort().reverse();
  let [sum, threshold] = [0, 0];
  for (const [k, size] of sizes.entries()) {
    sum += size;
    // With the k + 1 greatest sizes kept, each of them gives up this much.
    const next = (sum - radius) / (k + 1);
    if (next >= size) break;
    threshold = next;
  }
  if (radius === 0) return new Float64Array(v.length);
  return threshold <= 0 ? v.slice() : v.map((e) => softThreshold(e, threshold));
}

export interface BallCode {
  readonly x: Float64Array;
  readonly objective: number;
  /** No x in the ball has an objective that is less by more. */
  readonly gap: number;
}

/** By accelerated projected descent, until the gap is this part of |y|^2 / 2. */
export function l1BallCode(
  dictionary: Dictionary,
  y: Float64Array,
  radius: number,
  { gap: wanted = 1e-10, iterations = 20_000 }: { readonly gap?: number; readonly iterations?: number } = {},
): BallCode {
  requireSignal(dictionary, y);
  const norm = squaredNormAbove(dictionary) || 1;
  const allowed = (wanted * y.reduce((sum, v) => sum + v * v, 0)) / 2;
  let x = nearestInL1Ball(new Float64Array(dictionary.count), radius);
  let [z, theta] = [x, 1];
  for (let k = 0; ; k++) {
    const residual = residualOf(dictionary, y, x);
    const objective = residual.reduce((sum, v) => sum + v * v, 0) / 2;
    // Convexity: f(u) >= f(x) + <slope, u - x>, and over the ball -<slope, u> is at most radius times the greatest entry.
    const slope = analyze(dictionary, residual);
    const gap = Math.max(
      0,
      radius * slope.reduce((m, v) => Math.max(m, Math.abs(v)), 0) -
        slope.reduce((sum, v, j) => sum + v * x[j]!, 0),
    );
    if (gap <= allowed || k === iterations) return { x, objective, gap };
    const down = analyze(dictionary, residualOf(dictionary, y, z));
    const next = nearestInL1Ball(
      z.map((v, j) => v + down[j]! / norm),
      radius,
    );
    // Momentum that points uphill is dropped (O'Donoghue and Candes 2015).
    const uphill = z.reduce((sum, v, j) => sum + (v - next[j]!) * (next[j]! - x[j]!), 0) > 0;
    const after = uphill ? 1 : (1 + Math.sqrt(1 + 4 * theta ** 2)) / 2;
    const momentum = uphill ? 0 : (theta - 1) / after;
    z = next.map((v, j) => v + momentum * (v - x[j]!));
    [x, theta] = [next, after];
  }
}
