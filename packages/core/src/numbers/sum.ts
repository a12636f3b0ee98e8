/**
 * The sum, in order.
 * @example sum([1, 2, 3]) // 6
 */
export function sum(terms: Iterable<number>): number {
  let total = 0;
  for (const term of terms) total += term;
  return total;
}

/** The sum divided by the number of terms. */
export const mean = (terms: ArrayLike<number> & Iterable<number>): number => sum(terms) / terms.length;
