// Threshold functions 1[w.h + b > 0] of few bits, and what tuples of them reach: the signs of W h + b.

/** Weights that suffice for all threshold functions of up to four bits (Muroga). */
const greatestWeight = 3;

/**
 * All threshold functions of m <= 4 bits, each as its truth table: bit h of the number is the value at h.
 * @example thresholdFunctions(2).length // 14
 */
export function thresholdFunctions(m: number): number[] {
  const found = new Set<number>();
  const most = m * greatestWeight + 1;
  const weights = Array.from({ length: m }, () => 0);
  const visit = (k: number): void => {
    if (k < m) {
      for (let w = -greatestWeight; w <= greatestWeight; w++) {
        weights[k] = w;
        visit(k + 1);
      }
      return;
    }
    const sums = Array.from({ length: 2 ** m }, (_, h) =>
      weights.reduce((sum, w, j) => sum + ((h >> j) & 1) * w, 0),
    );
    for (let b = -most; b < most; b++)
      found.add(sums.reduce((table, z, h) => table + (z + b + 0.5 > 0 ? 2 ** h : 0), 0));
  };
  visit(0);
  return [...found].toSorted((a, b) => a - b);
}

/** The tuples of s threshold functions of s - 1 bits, in ascending order, whose signs are all even strings, each once. */
export function parityTuples(s: number): (readonly number[])[] {
  const m = s - 1;
  const functions = thresholdFunctions(m);
  const known = new Set(functions);
  const tuples: (readonly number[])[] = [];
  const extend = (chosen: readonly number[], from: number): void => {
    if (chosen.length === s - 1) {
      // The last bit is the parity of the others.
      const last = chosen.reduce((a, b) => a ^ b, 0);
      if (last >= (chosen.at(-1) ?? 0) && known.has(last) && isInjective([...chosen, last], m))
        tuples.push([...chosen, last]);
      return;
    }
    for (let k = from; k < functions.length; k++) extend([...chosen, functions[k]!], k);
  };
  extend([], 0);
  return tuples;
}

function isInjective(tables: readonly number[], m: number): boolean {
  const strings = Array.from({ length: 2 ** m }, (_, h) => tables.map((t) => (t >> h) & 1).join(""));
  return new Set(strings).size === strings.length;
}
