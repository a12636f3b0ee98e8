// Random signs: all of them, or some that are drawn.
import type { Random } from "./random.ts";

export interface SignOptions {
  readonly random: Random;
  /** Sign vectors to draw, where there are too many to take them all; 64 if left out. */
  readonly draws?: number;
}

/** Up to this many examples all signs are taken even if some could be drawn; and the most of which they can be. */
const [enumerated, mostSigns] = [12, 20];

/** Independent signs. */
export const drawSigns = (m: number, random: Random): Int8Array =>
  Int8Array.from({ length: m }, () => (random.uniform() < 0.5 ? -1 : 1));

/**
 * Visits sign vectors: all 2^m of them for few examples or where none may be drawn, else drawn ones. The array is used
 * again. Gives their number and whether it was all of them.
 */
export function overSigns(
  m: number,
  visit: (signs: Int8Array) => void,
  options?: SignOptions,
): { readonly count: number; readonly all: boolean } {
  if (options && m > enumerated) {
    const { random, draws = 64 } = options;
    for (let k = 0; k < draws; k++) visit(drawSigns(m, random));
    return { count: draws, all: false };
  }
  if (m > mostSigns) throw new RangeError(`all signs of ${m} examples are too many; at most ${mostSigns}`);
  const signs = new Int8Array(m);
  for (let mask = 0; mask < 2 ** m; mask++) {
    for (let i = 0; i < m; i++) signs[i] = (mask >> i) & 1 ? 1 : -1;
    visit(signs);
  }
  return { count: 2 ** m, all: true };
}

/** The standard error of a mean of `count` numbers, by their sum and the sum of their squares. */
export const standardErrorOf = (sum: number, squares: number, count: number): number =>
  Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2) / Math.max(1, count - 1));
