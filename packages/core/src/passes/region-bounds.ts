// How many regions a network can have, from its widths alone; as big integers, for they grow exponentially in depth.

/** n over k, exactly. `binomial(5, 2)` is 10n. */
export function binomial(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  let value = 1n;
  for (let j = 1; j <= k; j++) value = (value * BigInt(n - k + j)) / BigInt(j);
  return value;
}

const product = (factors: readonly bigint[]): bigint => factors.reduce((p, f) => p * f, 1n);

/**
 * Zaslavsky: n hyperplanes in general position cut R^d into sum_{j <= d} C(n, j) regions, and no n cut it into more.
 * @example arrangementRegions(24, 2) // 301n
 */
export function arrangementRegions(hyperplanes: number, dimension: number): bigint {
  let total = 0n;
  for (let j = 0; j <= Math.min(dimension, hyperplanes); j++) total += binomial(hyperplanes, j);
  return total;
}

/**
 * Each layer cuts each region of the layers before by an arrangement: prod_l sum_{j <= d} C(n_l, j).
 * Holds for any activation with one kink, and with skips; `rectified` also uses that d cannot grow beyond a width.
 * @example productBound([8, 8, 8], 2) // 50653n
 */
export function productBound(widths: readonly number[], dimension: number, rectified = false): bigint {
  let rank = dimension;
  return product(
    widths.map((n) => {
      if (rectified) rank = Math.min(rank, n);
      return arrangementRegions(n, rank);
    }),
  );
}

/**
 * Serra, Tjandraatmadja, Ramalingam 2018, Theorem 1, for layers of ReLUs without skips: the sum over (j_1, ..., j_L)
 * of prod C(n_l, j_l), 0 <= j_l <= min(d, n_1 - j_1, ..., n_{l-1} - j_{l-1}, n_l).
 * @example serraUpperBound([8, 8, 8], 2) // 50653n
 */
export function serraUpperBound(widths: readonly number[], dimension: number): bigint {
  const known = new Map<string, bigint>();
  const from = (layer: number, rank: number): bigint => {
    if (layer === widths.length) return 1n;
    const key = `${layer}/${rank}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const n = widths[layer]!;
    let total = 0n;
    for (let j = 0; j <= Math.min(rank, n); j++)
      total += binomial(n, j) * from(layer + 1, Math.min(rank, n - j));
    known.set(key, total);
    return total;
  };
  return from(0, dimension);
}

/** prod_{l < L} folds_l^d times what the last layer's arrangement makes of each copy. */
const foldedRegions = (widths: readonly number[], dimension: number, extra: number): bigint =>
  product(widths.slice(0, -1).map((n) => BigInt(Math.floor(n / dimension) + extra) ** BigInt(dimension))) *
  arrangementRegions(widths.at(-1)!, dimension);

/**
 * Montufar, Pascanu, Cho, Bengio 2014, Theorem 5: weights exist that reach this many regions; needs n_l >= d.
 * @example montufarLowerBound([8, 8, 8], 2) // 9472n
 */
export function montufarLowerBound(widths: readonly number[], dimension: number): bigint | undefined {
  if (widths.length === 0 || widths.some((n) => n < dimension)) return undefined;
  return foldedRegions(widths, dimension, 0);
}

/**
 * Serra et al. 2018, Theorem 6: one fold more for each coordinate; needs n_l >= 3 d.
 * @example serraLowerBound([8, 8, 8], 2) // 23125n
 */
export function serraLowerBound(widths: readonly number[], dimension: number): bigint | undefined {
  if (widths.length === 0 || widths.some((n) => n < 3 * dimension)) return undefined;
  return foldedRegions(widths, dimension, 1);
}
