// One example with features +-1: more features may raise or lower the variance.

/**
 * E[Tr(Sigma^+ C)] for one example with coordinates +-1: |C|_F^2 / d^2, C = E[X X^T] given by its rows.
 * @example oneSampleVariance([[1, 1], [1, 1]]) // 1
 */
export function oneSampleVariance(covariance: readonly ArrayLike<number>[]): number {
  let sum = 0;
  for (const row of covariance) for (let j = 0; j < row.length; j++) sum += row[j]! ** 2;
  return sum / covariance.length ** 2;
}

/**
 * The same for coordinates that are copies of each other in groups of these sizes, independent otherwise: sum g^2 / d^2.
 * @example varianceOfGroups([3, 1]) // 0.625
 */
export function varianceOfGroups(sizes: readonly number[]): number {
  const [d, squares] = sizes.reduce(([n, s], g) => [n + g, s + g * g], [0, 0]);
  return squares! / d! ** 2;
}

/** Of Figure 1.7: whether the coordinate (from 1) is a copy of the first one. */
export const copiesFirst = (i: number): boolean => i === 1 || (i >= 10 && i <= 20) || (i >= 30 && i <= 50);

/**
 * The curve of Figure 1.7: (g^2 + d - g) / d^2, g of the first d coordinates being the same.
 * @example copiedFeaturesVariance(20) // 0.38
 */
export function copiedFeaturesVariance(d: number): number {
  let g = 0;
  for (let i = 1; i <= d; i++) if (copiesFirst(i)) g++;
  return (g * g + d - g) / d ** 2;
}
