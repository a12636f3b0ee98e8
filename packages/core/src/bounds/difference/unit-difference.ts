// The difference of two units that are the same function of rows z and z + d: a unit of the rows d, which knows where
// to look up the bounds of z.

import type { Activation, Lines } from "../../functions/lines.ts";
import { add, type Interval, mul, point } from "../../numbers/interval/index.ts";
import type { Surface } from "../linear/activation.ts";
import type { Layer } from "../linear/network.ts";
import type { Relaxation } from "../linear/relaxation-lines.ts";
import { product } from "../linear/surfaces.ts";
import type { FirstUnit } from "./first-unit.ts";
import { maximumLines, maximumRange } from "./maximum-lines.ts";
import { narrowed, type RowTriple, rangeOfBoth, writePlanes } from "./two-lines.ts";
import {
  type Hinge,
  hingeAround,
  hingeLines,
  hingeRange,
  hingeValues,
  slopeLines,
  slopeRange,
} from "./unit-lines.ts";

interface Places {
  /** The first unit of whose difference the row `first` is the first one. */
  of(first: number): FirstUnit;
  readonly layer: Layer;
}

const at = (lower: Float64Array, upper: Float64Array, row: number): Interval => ({
  lower: lower[row]!,
  upper: upper[row]!,
});
const scaledRow = (lower: Float64Array, upper: Float64Array, { firstRow, factor }: FirstUnit): Interval =>
  factor === 1 ? at(lower, upper, firstRow) : mul(point(factor), at(lower, upper, firstRow));

const around: Lines = { lowSlope: 0, lowShift: 0, highSlope: 0, highShift: 0 };

function put(
  { lowSlope, lowShift, highSlope, highShift }: Lines,
  into: Relaxation,
  row: number,
  slot: number,
): void {
  into.lowSlope[row] = lowSlope;
  into.highSlope[row] = highSlope;
  into.lowShift[slot] = lowShift;
  into.highShift[slot] = highShift;
}

/** A function of one row, as its difference needs it. */
interface OneRow {
  value(unit: number, z: number): number;
  slope(unit: number, z: number): number;
  /** Lines around the function on an interval. */
  around(unit: number, z: Interval, into: Lines): void;
  values(unit: number, z: Interval): Interval;
  /** Lines around its change, in d alone. */
  change(unit: number, rows: RowTriple, into: Lines): void;
  changes(unit: number, rows: RowTriple): Interval;
  /** Is it a line on an interval? */
  isLine(unit: number, lower: number, upper: number): boolean;
}

const hinges = ({ below, above }: Layer): OneRow => {
  const hinge = (unit: number): Hinge => ({ below: below[unit]!, above: above[unit]! });
  const slope = (unit: number, z: number): number => (z > 0 ? above[unit]! : below[unit]!);
  return {
    value: (unit, z) => z * slope(unit, z),
    slope,
    around: (unit, z, into) => hingeAround(hinge(unit), z, into),
    values: (unit, z) => hingeValues(hinge(unit), z),
    change: (unit, { before, change }, into) =>
      hingeLines(hinge(unit), before, change.lower, change.upper, into),
    changes: (unit, { before, change }) => hingeRange(hinge(unit), before, change.lower, change.upper),
    isLine: (unit, l, u) => l >= 0 || u <= 0 || below[unit] === above[unit],
  };
};

const curves = (curve: Activation): OneRow => {
  const slopes = ({ before, after }: RowTriple): Interval =>
    curve.slopes(Math.min(before.lower, after.lower), Math.max(before.upper, after.upper));
  return {
    value: (_, z) => curve.value(z),
    slope: (_, z) => curve.slope(z),
    around: (_, { lower, upper }, into) => curve.lines(lower, upper, into),
    values: (_, { lower, upper }) => curve.range(lower, upper),
    change: (_, rows, into) => slopeLines(slopes(rows), rows.change.lower, rows.change.upper, into),
    changes: (_, rows) => slopeRange(slopes(rows), rows.change.lower, rows.change.upper),
    isLine: () => false,
  };
};

const lines = (): Lines => ({ lowSlope: 0, lowShift: 0, highSlope: 0, highShift: 0 });
const [unitLines, secondLines] = [lines(), lines()];

/** f(z2) - f(z1), from rows z2 - z1 and z2. */
function ofOneRow({ of, layer }: Places, f: OneRow): Surface {
  const triple = (lower: Float64Array, upper: Float64Array, first: number): RowTriple =>
    narrowed(scaledRow(lower, upper, of(first)), at(lower, upper, first), at(lower, upper, first + 1));
  return {
    name: `change of ${layer.node}`,
    value: (rows, first) =>
      f.value(of(first).unit, rows[first + 1]!) - f.value(of(first).unit, rows[first + 1]! - rows[first]!),
    slope: (rows, first, _, k) => {
      const [unit, z] = [of(first).unit, rows[first + 1]!];
      const before = f.slope(unit, z - rows[first]!);
      return k === first ? before : f.slope(unit, z) - before;
    },
    lines: (lower, upper, first, _, into, slot) => {
      const [{ unit }, rows] = [of(first), triple(lower, upper, first)];
      f.change(unit, rows, around);
      f.around(unit, rows.before, unitLines);
      f.around(unit, rows.after, secondLines);
      writePlanes(around, unitLines, secondLines, rows, into, first, slot);
    },
    range: (lower, upper, first) => {
      const [{ unit }, rows] = [of(first), triple(lower, upper, first)];
      return rangeOfBoth(f.changes(unit, rows), f.values(unit, rows.before), f.values(unit, rows.after));
    },
    bends: (lower, upper, first) => {
      const { unit, firstRow, factor } = of(first);
      const ends = [
        factor * lower[firstRow]!,
        factor * upper[firstRow]!,
        lower[first + 1]!,
        upper[first + 1]!,
      ];
      return !f.isLine(unit, Math.min(...ends), Math.max(...ends));
    },
    gap: (lower, upper, first) => {
      const [{ unit }, rows] = [of(first), triple(lower, upper, first)];
      f.change(unit, rows, around);
      f.around(unit, rows.before, unitLines);
      f.around(unit, rows.after, secondLines);
      const both = gapBetween(unitLines, rows.before) + gapBetween(secondLines, rows.after);
      return Math.min(both, gapBetween(around, rows.change));
    },
    watched: (first) => [of(first).firstRow, of(first).firstRow + 1],
  };
}

/** How far the lines are apart at the most. */
const gapBetween = (
  { lowSlope, lowShift, highSlope, highShift }: Lines,
  { lower, upper }: Interval,
): number => highShift - lowShift + Math.max((highSlope - lowSlope) * lower, (highSlope - lowSlope) * upper);

/** (x + d)(y + e) - x y = d (y + e) + x e. */
function products({ of, layer }: Places): Surface {
  const factors = (
    lower: Float64Array,
    upper: Float64Array,
    first: number,
  ): readonly [Interval, Interval] => {
    const { firstRow } = of(first);
    return [add(at(lower, upper, firstRow + 1), at(lower, upper, first + 1)), at(lower, upper, firstRow)];
  };
  const parts = (lower: Float64Array, upper: Float64Array, first: number): readonly Interval[] =>
    factors(lower, upper, first).map((f, k) => slopeRange(f, lower[first + k]!, upper[first + k]!));
  return {
    name: `change of ${layer.node}`,
    value: (rows, first) => {
      const { firstRow } = of(first);
      return rows[first]! * (rows[firstRow + 1]! + rows[first + 1]!) + rows[firstRow]! * rows[first + 1]!;
    },
    slope: (rows, first, _, k) => {
      const { firstRow } = of(first);
      return k === first ? rows[firstRow + 1]! + rows[first + 1]! : rows[firstRow]! + rows[first]!;
    },
    lines: (lower, upper, first, _, into, slot) => {
      let [low, high] = [point(0), point(0)];
      factors(lower, upper, first).forEach((f, k) => {
        slopeLines(f, lower[first + k]!, upper[first + k]!, around);
        put(around, into, first + k, slot);
        low = add(low, point(around.lowShift));
        high = add(high, point(around.highShift));
      });
      into.lowShift[slot] = low.lower;
      into.highShift[slot] = high.upper;
    },
    range: (lower, upper, first) => parts(lower, upper, first).reduce(add),
    gap: (lower, upper, first) =>
      factors(lower, upper, first).reduce(
        (sum, f, k) => sum + (f.upper - f.lower) * Math.max(-lower[first + k]!, upper[first + k]!),
        0,
      ),
    watched: (first) => [of(first).firstRow, of(first).firstRow + 2],
  };
}

/** max(z_i + d_i) - max z_i: at least the least d_i of those z_i that can be greatest, at most the greatest of the others'. */
function maxima({ of, layer }: Places): Surface {
  return {
    name: `change of ${layer.node}`,
    value: (rows, first, end) => {
      const { firstRow, factor } = of(first);
      let [before, after] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let row = first; row < end; row++) {
        const z = factor * rows[firstRow + row - first]!;
        before = Math.max(before, z);
        after = Math.max(after, z + rows[row]!);
      }
      return after - before;
    },
    slope: () => 0,
    lines: (lower, upper, first, end, into, slot) =>
      maximumLines(of(first), lower, upper, first, end, into, slot),
    range: (lower, upper, first, end) => maximumRange(of(first), lower, upper, first, end),
    gap: (lower, upper, first, end) => {
      const { lower: least, upper: greatest } = maximumRange(of(first), lower, upper, first, end);
      return greatest - least;
    },
    watched: (first) => {
      const { unit, firstRow } = of(first);
      return [firstRow, firstRow + layer.groups[unit + 1]! - layer.groups[unit]!];
    },
  };
}

/** How many rows a unit of a layer reads. */
export const rowsPerUnit = ({ groups }: Layer, unit: number): number =>
  groups.length > 0 ? groups[unit + 1]! - groups[unit]! : 1;

/** Does the difference of two units also read the second one's row? */
export const readsSecondRow = ({ kind, curve }: Layer): boolean => kind === "hinge" || curve !== undefined;

/** Is there a rule for the differences of a layer's units? */
export const hasDifference = ({ kind, surface, enclosure }: Layer): boolean =>
  kind !== "linear" && !enclosure && (!surface || surface === product);

/**
 * The change of units of `layer` when d is added to their rows. Rows are numbered through the joint network; `of` says
 * which unit the rows from `first` belong to.
 */
export function unitDifference(layer: Layer, of: (first: number) => FirstUnit): Surface {
  const places = { of, layer };
  if (layer.kind === "hinge") return ofOneRow(places, hinges(layer));
  if (layer.kind === "max") return maxima(places);
  return layer.curve ? ofOneRow(places, curves(layer.curve)) : products(places);
}
