// How often the average of independent draws of one number that takes finitely many values strays: Chernoff's bound.

/** The values of a number that takes finitely many, with their probabilities. */
export interface FiniteLaw {
  readonly values: readonly number[];
  readonly probabilities: readonly number[];
}

/**
 * ln of inf_(s >= 0) e^(-n s t) (E e^(s (v - E v)))^n, which bounds P[the average of n draws is at least E v + t].
 * @example logChernoff({ values: [0, 1], probabilities: [0.5, 0.5] }, 3, 0.5) // -3 ln 2
 */
export function logChernoff({ values, probabilities }: FiniteLaw, n: number, t: number): number {
  if (t <= 0) return 0;
  const mean = values.reduce((sum, v, i) => sum + probabilities[i]! * v, 0);
  const drawn = values.map((v, i) => [v - mean, probabilities[i]!] as const).filter(([, p]) => p > 0);
  const most = Math.max(...drawn.map(([v]) => v));
  if (t > most) return Number.NEGATIVE_INFINITY;
  // d ln E e^(s v) / ds is the mean of v with probabilities p e^(s v): it grows with s. At its end all draws are the greatest.
  const slope = (s: number): number => {
    const shares = drawn.map(([v, p]) => p * Math.exp(s * (v - most)));
    return drawn.reduce((sum, [v], i) => sum + shares[i]! * v, 0) / shares.reduce((a, b) => a + b, 0);
  };
  let [low, high] = [0, 1 / most];
  while (slope(high) < t && high * most < 1e6) [low, high] = [high, 2 * high];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (slope(middle) < t) low = middle;
    else high = middle;
  }
  // Any s gives a bound.
  const total = drawn.reduce((sum, [v, p]) => sum + p * Math.exp(high * (v - most)), 0);
  return n * (Math.log(total) + high * (most - t));
}
