/**
 * The sum of products, in order.
 * @example dot([1, 2], [3, 4]) // 11
 */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}
