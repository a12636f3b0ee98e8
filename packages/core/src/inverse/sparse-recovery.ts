// Sparse recovery with an operator instead of a dictionary: min 1/2 |A S s - y|^2 + lambda |s|_1 by FISTA with restarts,
// until a point of the dual problem shows that the objective is near its least value (book, chapter 9.2.1; (7.3)).
import { softThreshold } from "../sparse/pursuit/thresholds.ts";
import type { Basis } from "./bases.ts";
import { InverseError } from "./error.ts";
import { type LinearMap, squaredNormOf } from "./linear-map.ts";

export interface SparseRecoveryOptions {
  /** Weight of |s|_1; default: 1/1000 of the least weight with which the answer is 0. */
  readonly lambda?: number;
  /** Steps at most; default: 2000. */
  readonly iterations?: number;
  /** The duality gap that is good enough, as a part of |y|^2 / 2; default: 1e-6. */
  readonly gap?: number;
  /** Called now and then; ends the descent by throwing. */
  readonly onStep?: (step: number) => void | Promise<void>;
}

export interface SparseRecovery {
  readonly x: Float64Array;
  readonly code: Float64Array;
  readonly lambda: number;
  readonly objective: number;
  /** No code has an objective that is less by more. */
  readonly dualityGap: number;
  readonly iterations: number;
}

/** Steps between two looks at the gap. */
const between = 10;

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
};

/**
 * The least weight of |s|_1 for which s = 0 is the answer: the greatest correlation of an element of the basis.
 * @example leastWeightOfNothing(identityOperator(2), cosineBasis([2]), Float64Array.of(1, -1)) // 1.414...
 */
export const leastWeightOfNothing = (map: LinearMap, basis: Basis, y: Float64Array): number =>
  basis.analysis(map.transpose(y)).reduce((most, v) => Math.max(most, Math.abs(v)), 0);

/**
 * The sparse code, and the signal that it makes.
 * @example (await sparseRecovery(identityOperator(2), Float64Array.of(3, 3), cosineBasis([2]), { lambda: 1 })).x.map((v) => Math.round(100 * v)) // Float64Array [229, 229]
 */
export async function sparseRecovery(
  map: LinearMap,
  y: Float64Array,
  basis: Basis,
  { lambda: wanted, iterations = 2000, gap = 1e-6, onStep }: SparseRecoveryOptions = {},
): Promise<SparseRecovery> {
  const most = leastWeightOfNothing(map, basis, y);
  const lambda = wanted ?? most / 1000;
  if (most === 0) throw new InverseError("A^T y is 0: the measurements say nothing of the signal");
  if (!(lambda > 0 && Number.isFinite(lambda)))
    throw new InverseError(`lambda is a positive number, not ${lambda}`);
  const allowed = (gap * dot(y, y)) / 2;
  let lipschitz = 1.02 * squaredNormOf(map);
  let s: Float64Array = new Float64Array(basis.size);
  let [z, theta, fit] = [s, 1, new Float64Array(map.outputs)]; // fit = A S z
  let at = judged(map, basis, y, s, new Float64Array(map.outputs), lambda);
  let fitOfS = new Float64Array(map.outputs);
  let k = 0;
  while (k < iterations && at.dualityGap > allowed) {
    const residual = y.map((v, i) => v - fit[i]!);
    const slope = basis.analysis(map.transpose(residual)); // minus the gradient
    let next: Float64Array;
    let fitOfNext: Float64Array<ArrayBuffer>;
    for (;;) {
      next = z.map((v, i) => softThreshold(v + slope[i]! / lipschitz, lambda / lipschitz));
      fitOfNext = Float64Array.from(map.apply(basis.synthesis(next)));
      // The quadratic model of this curvature lies above: |A S (next - z)|^2 <= L |next - z|^2.
      const [move, change] = [next.map((v, i) => v - z[i]!), fitOfNext.map((v, i) => v - fit[i]!)];
      if (dot(change, change) <= lipschitz * dot(move, move) * (1 + 1e-12)) break;
      lipschitz *= 1.5;
    }
    const after = (1 + Math.sqrt(1 + 4 * theta ** 2)) / 2;
    // Momentum that points uphill is forgotten (O'Donoghue and Candes).
    const isUphill = next.reduce((sum, v, i) => sum + (z[i]! - v) * (v - s[i]!), 0) > 0;
    const momentum = isUphill ? 0 : (theta - 1) / after;
    const [last, lastFit] = [s, fitOfS];
    z = next.map((v, i) => v + momentum * (v - last[i]!));
    fit = fitOfNext.map((v, i) => v + momentum * (v - lastFit[i]!));
    [s, fitOfS, theta] = [next, fitOfNext, isUphill ? 1 : after];
    k++;
    if (k % between === 0 || k === iterations) {
      at = judged(map, basis, y, s, fitOfS, lambda);
      await onStep?.(k);
    }
  }
  return { x: basis.synthesis(s), code: s, lambda, iterations: k, ...at };
}

/** Objective and gap: the residual, shrunk until nothing correlates by more than lambda, is a point of the dual problem. */
function judged(
  map: LinearMap,
  basis: Basis,
  y: Float64Array,
  s: Float64Array,
  fit: Float64Array,
  lambda: number,
): { readonly objective: number; readonly dualityGap: number } {
  const residual = y.map((v, i) => v - fit[i]!);
  const greatest = leastWeightOfNothing(map, basis, residual);
  const objective = dot(residual, residual) / 2 + lambda * s.reduce((sum, v) => sum + Math.abs(v), 0);
  const factor = greatest > lambda ? lambda / greatest : 1;
  const dual = residual.reduce((sum, r, i) => sum + factor * r * (y[i]! - (factor * r) / 2), 0);
  return { objective, dualityGap: Math.max(0, objective - dual) };
}
