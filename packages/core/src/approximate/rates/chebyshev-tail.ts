// |x|^m, m odd: m bounded derivatives on [-1, 1], and the error of its Chebyshev sums in closed form.
import { ConstructError } from "../../functions/error.ts";

/**
 * The coefficients c_0, c_1, ... of |x|^m = c_0 + sum_i c_i T_2i(x): c_{i+1} = c_i (m/2 - i) / (m/2 + 1 + i), where the
 * first counts half.
 */
export function powerCoefficients(m: number, count: number): Float64Array {
  if (!Number.isSafeInteger(m) || m < 1 || m % 2 === 0)
    throw new ConstructError(`|x|^m has a kink for odd m only, not for ${m}`);
  const found = new Float64Array(count);
  let c = 2 / Math.PI; // the mean of |cos|^m: 2/pi prod_{odd k <= m, k > 1} (k - 1) / k
  for (let k = 3; k <= m; k += 2) c *= (k - 1) / k;
  for (let i = 0; i < count; i++) {
    found[i] = i === 0 ? c : 2 * c;
    c *= (m / 2 - i) / (m / 2 + 1 + i);
  }
  return found;
}

/**
 * sup ||x|^m - S_k| on [-1, 1] for the Chebyshev sum of degree k >= m - 1: all later terms have one sign at 0, so it is
 * their sum there, which telescopes: |c_j| = t_j - t_{j+1} with t_j = (j/m + 1/2) |c_j|.
 * @example chebyshevTail(1, 1).toFixed(4) // "0.6366"
 */
export function chebyshevTail(m: number, k: number): number {
  if (k < m - 1)
    throw new ConstructError(`the error of |x|^${m} is greatest at 0 from degree ${m - 1} on, not for ${k}`);
  const next = Math.floor(k / 2) + 1;
  return (next / m + 1 / 2) * Math.abs(powerCoefficients(m, next + 1)[next]!);
}

/**
 * Jackson's theorem with its constant: dist(f, P_k) <= (pi/2)^m sup |f^(m)| / ((k+1) k ... (k-m+2)) for k >= m - 1.
 * @example jacksonBound(1, 1, 1) // about 0.785
 */
export function jacksonBound(m: number, k: number, derivative: number): number {
  let bound = derivative;
  for (let i = 0; i < m; i++) bound *= Math.PI / 2 / (k + 1 - i);
  return bound;
}

/** At least the Lebesgue constant of Chebyshev sums of degree k >= 1: what they lose against the best polynomial. */
export const lebesgueBound = (k: number): number => 3 + (4 / Math.PI ** 2) * Math.log(Math.max(1, k));
