// Factorials as integers, to check logarithms against.

/** n!, exactly. */
export function factorial(n: number): bigint {
  let product = 1n;
  for (let k = 2n; k <= BigInt(n); k++) product *= k;
  return product;
}

/** log10 of a positive integer of any length, from its leading digits. */
export function log10Of(n: bigint): number {
  const digits = n.toString();
  const leading = digits.slice(0, 17);
  return Math.log10(Number(leading)) + (digits.length - leading.length);
}
