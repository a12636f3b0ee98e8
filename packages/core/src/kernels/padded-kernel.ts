// The tangent kernel of infinitely many ReLUs on points of length 1 whose last coordinate is 1 / sqrt(2): a function of the
// product z = <u, u'> of what stands before it, |u|^2 = 1/2.

/**
 * y (pi - arccos y) / (2 pi): the kernel of two vectors of length 1 with the product y.
 * @example arcCosineProfile(1) // 0.5
 */
export const arcCosineProfile = (y: number): number =>
  (y * (Math.PI - Math.acos(Math.max(-1, Math.min(1, y))))) / (2 * Math.PI);

/**
 * f(z) of Proposition 3.25: the same at y = z + 1/2.
 * @example paddedProfile(0).toFixed(9) // "0.166666667"
 */
export const paddedProfile = (z: number): number => arcCosineProfile(z + 1 / 2);

/**
 * The first Maclaurin coefficients of f, times the powers of `unit`. f(z) = y/4 + y arcsin(y) / (2 pi) with y = z + 1/2,
 * and s = arcsin' satisfies (1 - y^2) s' = y s: (3/4)(k + 1) s_{k+1} = (k + 1/2) s_k + k s_{k-1} with s_0 > 0, so that all
 * of them are positive.
 * @example paddedCoefficients(3).map((c) => Number(c.toFixed(4))) // [0.1667, 0.4252, 0.2144]
 */
export function paddedCoefficients(count: number, unit = 1): readonly number[] {
  const slope = [2 / Math.sqrt(3)];
  for (let k = 0; k < count; k++)
    slope.push(
      ((k + 1 / 2) * unit * slope[k]! + k * unit * unit * (slope[k - 1] ?? 0)) / ((3 / 4) * (k + 1)),
    );
  const arcsine = [Math.PI / 6, ...slope.map((s, k) => (unit * s) / (k + 1))];
  return Array.from({ length: count }, (_, k) => {
    const product = arcsine[k]! / 2 + (k > 0 ? unit * arcsine[k - 1]! : 0); // of (z + 1/2) and arcsin
    return product / (2 * Math.PI) + (k === 0 ? 1 / 8 : k === 1 ? unit / 4 : 0);
  });
}

/**
 * The eigenvalue of cos(j t) of f(<u, u'>) on the circle |u|^2 = 1/2: sum_i c_n binom(n, i) 4^{-n}, n = j + 2 i. Its terms
 * fall like n^{-2}, so that two partial sums say what the rest is.
 * @example paddedCircleEigenvalue(1).toFixed(4) // "0.1158"
 */
export function paddedCircleEigenvalue(j: number): number {
  const pairs = 4000;
  const coefficients = paddedCoefficients(j + 2 * pairs, 1 / 2);
  let [share, sum, half] = [2 ** -j, 0, 0]; // binom(n, i) 2^{-n}
  for (let i = 0; i < pairs; i++) {
    const n = j + 2 * i;
    if (i === pairs / 2) half = sum;
    sum += coefficients[n]! * share;
    share *= ((n + 2) * (n + 1)) / (4 * (i + 1) * (n + 1 - i));
  }
  return 2 * sum - half;
}

/**
 * The eigenvalue of cos(j t) of a kernel on a circle that depends on the angle t alone: (1 / 2 pi) integral k(t) cos(j t) dt,
 * by as many equal steps. Where the kernel has a kink only, the error is of order 1 / steps^2.
 * @example circleEigenvalue((t) => Math.cos(t), 1, 64).toFixed(9) // "0.500000000"
 */
export function circleEigenvalue(kernel: (angle: number) => number, j: number, steps: number): number {
  let sum = 0;
  for (let k = 0; k < steps; k++) {
    const angle = (2 * Math.PI * k) / steps;
    sum += kernel(angle) * Math.cos(j * angle);
  }
  return sum / steps;
}
