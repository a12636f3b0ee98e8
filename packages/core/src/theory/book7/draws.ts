// What the lemmata of this chapter draw: dictionaries, sets of entries, codes.
import type { Random } from "../../numbers/random.ts";
import { unitAtoms } from "../../sparse/layers/model.ts";
import type { Dictionary } from "../../sparse/pursuit/dictionary.ts";

/** Normal atoms: in general position with probability 1. */
export const normalDictionary = (size: number, count: number, random: Random): Dictionary =>
  unitAtoms({ size, count, atoms: random.normal(size * count) });

/** So many of 0, ..., count - 1, ascending. */
export const someOf = (count: number, many: number, random: Random): readonly number[] =>
  random
    .shuffle(Array.from({ length: count }, (_, j) => j))
    .slice(0, many)
    .sort((a, b) => a - b);

/** Unit vectors and the columns of a Hadamard matrix over sqrt(n), n a power of 2: coherence 1 / sqrt(n). */
export function pairOfBases(n: number): Dictionary {
  const atoms = new Float64Array(2 * n * n);
  for (let j = 0; j < n; j++) {
    atoms[j * n + j] = 1;
    for (let i = 0; i < n; i++) atoms[(n + j) * n + i] = signOf(i & j) / Math.sqrt(n);
  }
  return { size: n, count: 2 * n, atoms };
}

/** -1 to the number of ones. */
function signOf(bits: number): number {
  let sign = 1;
  for (let left = bits; left > 0; left &= left - 1) sign = -sign;
  return sign;
}

/** A code with nonzeros of sizes between two numbers, both of which are taken, at random places and with random signs. */
export function codeWithin(
  count: number,
  nonzeros: number,
  [least, greatest]: readonly [number, number],
  random: Random,
): Float64Array {
  const x = new Float64Array(count);
  someOf(count, nonzeros, random.split("places")).forEach((j, k) => {
    const size = k === 0 ? greatest : k === 1 ? least : least + (greatest - least) * random.uniform();
    x[j] = (random.uniform() < 0.5 ? -1 : 1) * size;
  });
  return x;
}
