// Factorials: as doubles, and as integers to check logarithms against.

/**
 * n!, exactly up to 22!, and rounded beyond.
 * @example factorial(5) // 120
 */
export function factorial(n: number): number {
  let product = 1;
  for (let k = 2; k <= n; k++) product *= k;
  return product;
}

/** n!, exactly. */
export function exactFactorial(n: number): bigint {
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
