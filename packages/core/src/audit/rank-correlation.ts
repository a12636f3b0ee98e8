// Which measures order models as their generalization gaps do: Kendall's rank correlation, ties included.
import type { NamedMeasure } from "../measures/measure-row.ts";

/**
 * Kendall's tau-b: (concordant - discordant pairs) / sqrt((pairs not tied in x)(pairs not tied in y)); undefined where
 * one side is constant or a number is not one.
 * @example kendallTau([1, 2, 3], [10, 30, 20]) // 0.333...
 */
export function kendallTau(x: readonly number[], y: readonly number[]): number | undefined {
  if (x.length !== y.length) throw new RangeError(`${x.length} numbers cannot be ranked against ${y.length}`);
  if ([...x, ...y].some(Number.isNaN)) return undefined;
  let [agreement, untiedX, untiedY] = [0, 0, 0];
  for (let i = 0; i < x.length; i++)
    for (let j = 0; j < i; j++) {
      const [a, b] = [order(x[i]!, x[j]!), order(y[i]!, y[j]!)];
      agreement += a * b;
      untiedX += a * a;
      untiedY += b * b;
    }
  return untiedX > 0 && untiedY > 0 ? agreement / Math.sqrt(untiedX * untiedY) : undefined;
}

/** Not the sign of a difference: that of infinities is not a number. */
const order = (a: number, b: number): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);

/** A model of a comparison: what was measured of it, and its test error less its training error. */
export interface MeasuredGap {
  readonly gap: number;
  readonly measures: readonly NamedMeasure[];
}

export interface RankedMeasure {
  readonly id: string;
  readonly name: string;
  readonly family: NamedMeasure["family"];
  /** From -1 to 1; not there where the measure, or the gap, is the same for all models that have it. */
  readonly tau?: number;
  /** Models that have a value of this measure. */
  readonly count: number;
}

/** How far each measure orders the models as their gaps do, the closest first; those without a correlation last. */
export function measureRanking(rows: readonly MeasuredGap[]): readonly RankedMeasure[] {
  const known = new Map<string, { readonly of: NamedMeasure; readonly pairs: [NamedMeasure, number][] }>();
  for (const { gap, measures } of rows)
    for (const of of measures) {
      const entry = known.get(of.id) ?? { of, pairs: [] };
      known.set(of.id, entry);
      const amount = of.log ?? of.value;
      if (amount !== undefined && !Number.isNaN(amount)) entry.pairs.push([of, gap]);
    }
  const ranked = [...known.values()].map(({ of: { id, name, family }, pairs }): RankedMeasure => {
    const tau = kendallTau(
      pairs.map(([a]) => pairs.filter(([b]) => byAmount(b, a) < 0).length),
      pairs.map(([, gap]) => gap),
    );
    return { id, name, family, ...(tau === undefined ? {} : { tau }), count: pairs.length };
  });
  return ranked.sort((a, b) => (b.tau ?? -2) - (a.tau ?? -2));
}

/** By logarithms where both have one, since products of norms overflow; what has none is not positive, so it comes first. */
const byAmount = (a: NamedMeasure, b: NamedMeasure): -1 | 0 | 1 => {
  if (a.log !== undefined && b.log !== undefined) return order(a.log, b.log);
  if (a.log === undefined && b.log === undefined) return order(a.value!, b.value!);
  const [bare, sign] = a.log === undefined ? [a, -1 as const] : [b, 1 as const];
  const other = bare === a ? b : a;
  return bare.value === 0 && other.log === Number.NEGATIVE_INFINITY ? 0 : sign;
};
