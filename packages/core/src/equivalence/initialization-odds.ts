// How permutations multiply the chance of starting near a solution (Shen, Theorem 5).

import { logFactorial } from "../numbers/combinatorics.ts";
import { normalCdf } from "../numbers/statistics.ts";

/** Rows (weights and bias) of a hidden layer. */
export type UnitRows = readonly Float64Array[];

/** The greatest difference of entries. */
export const rowDistance = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, v, k) => Math.max(most, Math.abs(v - b[k]!)), 0);

/** The least distance of rows that differ; Infinity when all are equal. */
export function leastRowDistance(rows: UnitRows): number {
  let least = Number.POSITIVE_INFINITY;
  rows.forEach((a, i) => {
    for (const b of rows.slice(i + 1)) {
      const distance = rowDistance(a, b);
      if (distance > 0) least = Math.min(least, distance);
    }
  });
  return least;
}

/**
 * In how many orders the rows look different: d! over the factorials of how often each occurs.
 * @example distinctOrders([Float64Array.of(1), Float64Array.of(2), Float64Array.of(1)]) // 3
 */
export function distinctOrders(rows: UnitRows): number {
  const times = new Map<string, number>();
  for (const row of rows) times.set(row.join(), (times.get(row.join()) ?? 0) + 1);
  const repeated = [...times.values()].reduce((sum, count) => sum + logFactorial(count), 0);
  return Math.round(Math.exp(logFactorial(rows.length) - repeated));
}

/** A law of entries: its size is the greatest entry of a uniform one, the standard deviation of a normal one. */
export interface EntryLaw {
  readonly shape: "uniform" | "normal" | "signs";
  readonly size: number;
}

/** P(an entry is within `radius` of v). */
function entryChance({ shape, size }: EntryLaw, v: number, radius: number): number {
  const [low, high] = [(v - radius) / size, (v + radius) / size];
  if (shape === "normal") return normalCdf(high) - normalCdf(low);
  if (shape === "uniform") return Math.max(0, Math.min(1, high) - Math.max(-1, low)) / 2;
  return [-1, 1].filter((s) => low <= s && s <= high).length / 2;
}

/**
 * P(all entries within `radius` of these rows) for independent entries of one law.
 * @example chanceNear([Float64Array.of(1, 0)], 1, { shape: "uniform", size: 1 }) // 0.5
 */
export const chanceNear = (rows: UnitRows, radius: number, law: EntryLaw): number =>
  rows.reduce((product, row) => row.reduce((p, v) => p * entryChance(law, v, radius), product), 1);

/** Whether some order of the rows comes within the radius of the solution: rows are matched one by one, with a way back. */
export function isNearCopy(rows: UnitRows, solution: UnitRows, radius: number): boolean {
  const taken = new Set<number>();
  const match = (k: number): boolean =>
    k === solution.length ||
    rows.some((row, i) => {
      if (taken.has(i) || rowDistance(row, solution[k]!) > radius) return false;
      taken.add(i);
      if (match(k + 1)) return true;
      taken.delete(i);
      return false;
    });
  return match(0);
}

/** W and b of a layer. */
export interface LayerRows {
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

/** (w, b) of each unit. */
export const rowsOf = ({ W, b }: LayerRows): UnitRows => W.map((w, i) => Float64Array.of(...w, b[i]!));

/** The same function with the rows of hidden layers in other orders: one network for each way in which rows can look. */
export function copiesOf(layers: readonly LayerRows[]): readonly (readonly LayerRows[])[] {
  const [first, next, ...rest] = layers as [LayerRows, LayerRows?, ...LayerRows[]];
  if (!next) return [[first]];
  const looks = new Map(
    permutations(first.b.length).map((order) => {
      const reordered = { W: order.map((i) => first.W[i]!), b: order.map((i) => first.b[i]!) };
      return [JSON.stringify(reordered), { order, reordered }];
    }),
  );
  return [...looks.values()].flatMap(({ order, reordered }) => {
    const after = { ...next, W: next.W.map((row) => order.map((i) => row[i]!)) };
    return copiesOf([after, ...rest]).map((others) => [reordered, ...others]);
  });
}

function permutations(n: number): readonly (readonly number[])[] {
  if (n === 0) return [[]];
  return permutations(n - 1).flatMap((order) =>
    Array.from({ length: n }, (_, at) => [...order.slice(0, at), n - 1, ...order.slice(at)]),
  );
}

/** The greatest difference of parameters of two networks. */
export const copyDistance = (a: readonly LayerRows[], b: readonly LayerRows[]): number =>
  Math.max(...a.flatMap((layer, l) => rowsOf(layer).map((row, i) => rowDistance(row, rowsOf(b[l]!)[i]!))));

/**
 * All networks whose entries are plus or minus the size of their layer and that come within the radius of one of
 * these; each once, though it be near two.
 */
export function signStartsNear(
  copies: readonly (readonly LayerRows[])[],
  sizes: readonly number[],
  radius: number,
): readonly (readonly LayerRows[])[] {
  const flat = copies.map((copy) => copy.flatMap(({ W, b }) => [...W.flat(), ...b]));
  const sizeOf = copies[0]!.flatMap(({ W, b }, l) => [...W.flat(), ...b].map(() => sizes[l]!));
  const entry = (pattern: number, k: number): number => ((pattern >> k) & 1 ? sizeOf[k]! : -sizeOf[k]!);
  const near: (readonly LayerRows[])[] = [];
  for (let pattern = 0; pattern < 2 ** sizeOf.length; pattern++) {
    if (!flat.some((copy) => copy.every((v, k) => Math.abs(entry(pattern, k) - v) <= radius))) continue;
    let at = 0;
    near.push(
      copies[0]!.map(({ W, b }) => ({
        W: W.map((row) => row.map(() => entry(pattern, at++))),
        b: b.map(() => entry(pattern, at++)),
      })),
    );
  }
  return near;
}
