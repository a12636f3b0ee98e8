// The table of C2-23 and what it is checked against: other counts of the same coefficients, and what chance alone gives.
import { kendallTau } from "../../audit/rank-correlation.ts";
import type { GranulatedTau, ModelSetting } from "../../generalization/granulated-tau.ts";
import type { Random } from "../../numbers/random.ts";

/** A measure: its values on the models that have it, and how they agree with the gaps. */
export interface RankedRow {
  readonly name: string;
  readonly values: readonly number[];
  /** Which models these are. */
  readonly at: readonly number[];
  /** Not there where the measure or the gap is the same for all models. */
  readonly tau?: number;
  readonly granulated: GranulatedTau;
}

/** 0, 1, ... for the values in ascending order, equal ones alike. */
export function denseRanks(values: readonly number[]): readonly number[] {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const rank = new Map(sorted.map((v, k) => [v, k]));
  return values.map((v) => rank.get(v)!);
}

/** Pairs of equal entries. */
function tiedPairs(keys: readonly (number | string)[]): number {
  const counts = new Map<number | string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts.values()].reduce((sum, c) => sum + (c * (c - 1)) / 2, 0);
}

/** Kendall's tau-b as (all - tied in x - tied in y + tied in both - 2 inversions) / sqrt(...), from ranks put in order. */
export function tauByInversions(x: readonly number[], y: readonly number[]): number | undefined {
  const [a, b] = [denseRanks(x), denseRanks(y)];
  const inOrder = a.map((_, k) => k).sort((i, j) => a[i]! - a[j]! || b[i]! - b[j]!);
  let inversions = 0;
  inOrder.forEach((i, k) => {
    for (const j of inOrder.slice(k + 1)) if (b[j]! < b[i]!) inversions++;
  });
  const all = (x.length * (x.length - 1)) / 2;
  const [inX, inY, inBoth] = [tiedPairs(a), tiedPairs(b), tiedPairs(a.map((v, k) => `${v} ${b[k]}`))];
  if (inX === all || inY === all) return undefined;
  return (all - inX - inY + inBoth - 2 * inversions) / Math.sqrt((all - inX) * (all - inY));
}

/** Jiang's own way: a coefficient for each group of models that agree in all other settings, then means of means. */
export function groupedTau(
  settings: readonly ModelSetting[],
  x: readonly number[],
  y: readonly number[],
  hyperparameters: readonly string[],
): number {
  const means = hyperparameters.flatMap((axis) => {
    const groups = new Map<string, number[]>();
    settings.forEach((setting, k) => {
      const key = JSON.stringify({ ...setting, [axis]: 0 });
      groups.set(key, [...(groups.get(key) ?? []), k]);
    });
    const several = [...groups.values()].filter((group) => group.length > 1);
    const taus = several.map((group) => {
      let sum = 0;
      for (const i of group) for (const j of group) sum += Math.sign((x[i]! - x[j]!) * (y[i]! - y[j]!));
      return sum / (group.length * (group.length - 1));
    });
    return taus.length > 0 ? [taus.reduce((a, b) => a + b) / taus.length] : [];
  });
  return means.reduce((a, b) => a + b, 0) / means.length;
}

export interface ChanceLevel {
  /** The greatest |tau| of a measure on gaps that were dealt out at random, once. */
  readonly dealt: number;
  /** That number exceeds this with probability at most delta, as the rank of one of many alike. */
  readonly level: number;
  readonly deals: number;
}

/** A permutation test: gaps are dealt to the models again and again, and the greatest coefficient is kept. */
export function chanceLevel(
  rows: readonly RankedRow[],
  gaps: readonly number[],
  { delta, deals, random }: { readonly delta: number; readonly deals: number; readonly random: Random },
): ChanceLevel {
  const extremes = Array.from({ length: deals + 1 }, () => {
    const dealt = [...gaps];
    for (let k = dealt.length - 1; k > 0; k--) {
      const other = random.integer(0, k);
      [dealt[k], dealt[other]] = [dealt[other]!, dealt[k]!];
    }
    const tau = ({ values, at }: RankedRow): number =>
      kendallTau(
        values,
        at.map((k) => dealt[k]!),
      ) ?? 0;
    return rows.reduce((most, row) => Math.max(most, Math.abs(tau(row))), 0);
  });
  const [dealt, ...others] = extremes;
  const level = others.sort((a, b) => b - a)[Math.floor(delta * (deals + 1)) - 1]!;
  return { dealt: dealt!, level, deals };
}
