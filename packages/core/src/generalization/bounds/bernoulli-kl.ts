// The relative entropy of two coins, and its inverse: how large a risk a small empirical one still allows.

const part = (a: number, b: number): number => (a === 0 ? 0 : a * Math.log(a / b));

/**
 * kl(q || p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)).
 * @example bernoulliKl(0, 0.5) // 0.6931...
 */
export const bernoulliKl = (q: number, p: number): number =>
  q === p ? 0 : Math.max(0, part(q, p) + part(1 - q, 1 - p));

/** Relative error of the difference of two logarithmic terms, for q and p that are not close. */
const rounding = 2 ** -48;

/**
 * The greatest p >= q with kl(q || p) <= c, rounded up: kl(q || p) is at least c at what is returned, or it is 1.
 * @example klUpperInverse(0, Math.LN2) // 0.5000...
 */
export function klUpperInverse(q: number, c: number): number {
  if (!(q >= 0 && q <= 1)) throw new RangeError(`klUpperInverse: ${q} is not in [0, 1]`);
  if (q === 1 || c === Number.POSITIVE_INFINITY) return 1;
  const target = c * (1 + rounding) + rounding;
  let [low, high] = [q, 1];
  for (let step = 0; step < 200 && high > low; step++) {
    const p = low + (high - low) / 2;
    if (p <= low || p >= high) break;
    if (bernoulliKl(q, p) >= target) high = p;
    else low = p;
  }
  return high;
}

/**
 * The least p <= q with kl(q || p) <= c, rounded down.
 * @example klLowerInverse(1, Math.LN2) // 0.4999...
 */
export const klLowerInverse = (q: number, c: number): number => 1 - klUpperInverse(1 - q, c);
