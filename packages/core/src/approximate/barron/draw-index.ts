import type { Random } from "../../numbers/random.ts";

/** Draws k with a probability proportional to shares[k], by one uniform number each; shares of 0 never come. */
export function drawFrom(shares: readonly number[]): (random: Random) => number {
  const sums = Float64Array.from(shares);
  for (let j = 1; j < sums.length; j++) sums[j]! += sums[j - 1]!;
  const total = sums.at(-1)!;
  return (random) => {
    const u = random.uniform() * total;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > u) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
