// Dictionaries that are not stored: what makes signals of codes, and correlates signals with atoms. Basis pursuit with them is
// FISTA, begun anew where its momentum points uphill.
import { SparseError } from "../error.ts";
import { analyze, type Dictionary, squaredNormAbove, synthesize } from "./dictionary.ts";
import { rectifiedThreshold, softThreshold } from "./thresholds.ts";

export interface CodeOperator {
  readonly size: number;
  readonly count: number;
  /** D x. */
  readonly synthesize: (x: Float64Array) => Float64Array;
  /** D^T r. */
  readonly analyze: (r: Float64Array) => Float64Array;
  /** |D|^2, or more. */
  readonly squaredNorm: number;
}

export const operatorOf = (dictionary: Dictionary): CodeOperator => ({
  size: dictionary.size,
  count: dictionary.count,
  synthesize: (x) => synthesize(dictionary, x),
  analyze: (r) => analyze(dictionary, r),
  squaredNorm: squaredNormAbove(dictionary),
});

export interface AcceleratedOptions {
  readonly start?: Float64Array;
  /** The duality gap that is good enough, as a part of |y|^2 / 2; default 1e-12. */
  readonly gap?: number;
  readonly iterations?: number;
  readonly nonnegative?: boolean;
  /** False: plain FISTA, whose objective may rise. */
  readonly restarts?: boolean;
}

export interface AcceleratedCode {
  readonly x: Float64Array;
  readonly objective: number;
  readonly dualityGap: number;
  readonly residual: Float64Array;
  readonly iterations: number;
}

const squareOf = (v: Float64Array): number => v.reduce((sum, e) => sum + e * e, 0);

/** |y - D x|^2 / 2 + lambda |x|_1 by FISTA; the gap is looked at in every tenth iteration. */
export function acceleratedCode(
  operator: CodeOperator,
  y: Float64Array,
  lambda: number,
  { start, gap = 1e-12, iterations = 10_000, nonnegative = false, restarts = true }: AcceleratedOptions = {},
): AcceleratedCode {
  if (y.length !== operator.size)
    throw new SparseError(`a signal of ${y.length} numbers for atoms of ${operator.size}`);
  if (!(lambda > 0 && lambda < Number.POSITIVE_INFINITY))
    throw new SparseError(`lambda is a positive number, not ${lambda}`);
  const threshold = nonnegative ? rectifiedThreshold : softThreshold;
  const step = operator.squaredNorm > 0 ? 1 / operator.squaredNorm : 0;
  const allowed = (gap * squareOf(y)) / 2;
  let x: Float64Array = start?.slice() ?? new Float64Array(operator.count);
  let [z, theta] = [x, 1];
  for (let k = 1; ; k++) {
    const fit = operator.synthesize(z);
    const slope = operator.analyze(y.map((v, i) => v - fit[i]!));
    const next = z.map((v, j) => threshold(v + step * slope[j]!, step * lambda));
    // Uphill: the step from z goes against the way from the iterate before.
    let uphill = 0;
    for (let j = 0; j < next.length; j++) uphill += (z[j]! - next[j]!) * (next[j]! - x[j]!);
    const begin = restarts && uphill > 0;
    const after = begin ? 1 : (1 + Math.sqrt(1 + 4 * theta ** 2)) / 2;
    const momentum = begin ? 0 : (theta - 1) / after;
    z = momentum === 0 ? next : next.map((v, j) => v + momentum * (v - x[j]!));
    [x, theta] = [next, after];
    if (k % 10 !== 0 && k < iterations) continue;
    const made = operator.synthesize(x);
    const residual = y.map((v, i) => v - made[i]!);
    const seen = operator.analyze(residual);
    const greatest = seen.reduce((m, v) => Math.max(m, nonnegative ? v : Math.abs(v)), 0);
    const objective = squareOf(residual) / 2 + lambda * x.reduce((sum, v) => sum + Math.abs(v), 0);
    const shrunk = greatest > lambda ? lambda / greatest : 1;
    const dual = residual.reduce((sum, r, i) => sum + shrunk * r * (y[i]! - (shrunk * r) / 2), 0);
    const dualityGap = Math.max(0, objective - dual);
    if (dualityGap <= allowed || k >= iterations)
      return { x, objective, dualityGap, residual, iterations: k };
  }
}
