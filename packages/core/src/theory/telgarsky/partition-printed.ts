// The product as printed in Lemma 5.3, which is not zero on the axes, and what follows from it.

/** h_k: the interpolant of x^2 at the multiples of 2^-k, exact for dyadic x. */
export function squareInterpolant(k: number, x: number): number {
  const cells = 2 ** k;
  const i = Math.min(cells - 1, Math.floor(x * cells));
  const [a, b] = [i / cells, (i + 1) / cells];
  return a * a + (a + b) * (x - a);
}

/** prod_{k,2} as printed: (4 h_k((a+b)/2) - h_k(a) - h_k(b)) / 2. */
export const printedProductValue = (k: number, a: number, b: number): number =>
  (4 * squareInterpolant(k, (a + b) / 2) - squareInterpolant(k, a) - squareInterpolant(k, b)) / 2;

/** prod_{k,l} as printed, a chain. Inputs of h_k are kept in [0, 1]. */
export const printedChain = (k: number, x: readonly number[]): number =>
  x.slice(1).reduce((p, c) => printedProductValue(k, Math.min(1, Math.max(0, p)), c), x[0]!);

/** The bump relu(s a + 1) - 2 relu(s a) + relu(s a - 1). */
export const bumpValue = (s: number, a: number): number => Math.max(0, 1 - Math.abs(s * a));

/** All elements of the partition as printed, at a point: how many are not zero, and what they add up to. */
export function printedPartition(
  k: number,
  s: number,
  x: readonly number[],
): { readonly active: number; readonly sum: number } {
  let [active, sum] = [0, 0];
  const d = x.length;
  for (let t = 0; t < (s + 1) ** d; t++) {
    const bumps = x.map((c, i) => bumpValue(s, c - (Math.floor(t / (s + 1) ** i) % (s + 1)) / s));
    const value = printedChain(k, bumps);
    if (value !== 0) active++;
    sum += value;
  }
  return { active, sum };
}
