// The greatest and the least of many numbers: Math.max(...values) puts each on the stack, which a long list overflows.

/** Like Math.max: -∞ of nothing, NaN where one is. */
export function greatest(values: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const v of values) found = Math.max(found, v);
  return found;
}

/** Like Math.min: ∞ of nothing, NaN where one is. */
export function least(values: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (const v of values) found = Math.min(found, v);
  return found;
}
