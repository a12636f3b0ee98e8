// Coalitions: some groups of the input are there, the others are at the baseline.
import type { Random } from "../../numbers/random.ts";
import type { Point } from "../score-model.ts";
import type { Groups } from "./groups.ts";

/** Which groups are there. */
export type Coalition = readonly boolean[];

/** All 2^n of them; group g is in number k if bit g of k is set. */
export const allCoalitions = (n: number): Coalition[] =>
  Array.from({ length: 2 ** n }, (_, k) => Array.from({ length: n }, (_, g) => (k & (1 << g)) !== 0));

export const sizeOf = (coalition: Coalition): number => coalition.filter(Boolean).length;

export function atCoalition(x: Point, baseline: Point, groups: Groups, coalition: Coalition): Point {
  const y = Float64Array.from(baseline);
  groups.forEach((group, g) => {
    if (coalition[g]) for (const k of group) y[k] = x[k]!;
  });
  return y;
}

/** Each group is there or not, by the toss of a coin. */
export const tossed = (n: number, random: Random): Coalition =>
  Array.from({ length: n }, () => random.uniform() < 0.5);

/** `size` groups of n, each choice as likely. */
export function drawnOfSize(n: number, size: number, random: Random): Coalition {
  const order = random.permutation(n);
  const coalition = new Array<boolean>(n).fill(false);
  for (let k = 0; k < size; k++) coalition[order[k]!] = true;
  return coalition;
}
