// Multi-indices alpha with |alpha| <= order, and what products of truncated Taylor series need to know of them.

export type MultiIndex = readonly number[];

export interface MultiIndices {
  readonly dimension: number;
  readonly order: number;
  /** By |alpha|, the constant first; within a degree the first variables first. */
  readonly all: readonly MultiIndex[];
  readonly degrees: readonly number[];
  /** Places [i, j, k] with all[i] + all[j] = all[k] and i <= j. */
  readonly pairs: Int32Array;
}

export const degreeOf = (alpha: MultiIndex): number => alpha.reduce((a, b) => a + b, 0);

/** How many multi-indices there are: binomial(dimension + order, dimension). */
export function countOf(dimension: number, order: number): number {
  let count = 1;
  for (let k = 1; k <= dimension; k++) count = (count * (order + k)) / k;
  return Math.round(count);
}

/** All alpha with |alpha| = total. */
function* ofDegree(dimension: number, total: number): Iterable<number[]> {
  if (dimension === 1) {
    yield [total];
    return;
  }
  for (let first = total; first >= 0; first--)
    for (const rest of ofDegree(dimension - 1, total - first)) yield [first, ...rest];
}

const known = new Map<string, MultiIndices>();

/**
 * The multi-indices of a dimension up to an order.
 * @example multiIndices(2, 1).all // [[0, 0], [1, 0], [0, 1]]
 */
export function multiIndices(dimension: number, order: number): MultiIndices {
  const key = `${dimension} ${order}`;
  const before = known.get(key);
  if (before) return before;
  const all = Array.from({ length: order + 1 }, (_, n) => [...ofDegree(dimension, n)]).flat();
  const degrees = all.map(degreeOf);
  const place = new Map(all.map((alpha, k) => [alpha.join(" "), k]));
  const pairs: number[] = [];
  for (const [i, alpha] of all.entries())
    for (let j = i; j < all.length && degrees[i]! + degrees[j]! <= order; j++)
      pairs.push(i, j, place.get(alpha.map((a, k) => a + all[j]![k]!).join(" "))!);
  const found = { dimension, order, all, degrees, pairs: Int32Array.from(pairs) };
  known.set(key, found);
  return found;
}
