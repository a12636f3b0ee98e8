// What the relaxation asks of a function of one number, and of one of several.

import type { Activation } from "../../functions/lines.ts";
import type { IntervalArray } from "../../numbers/interval/array.ts";
import type { Interval } from "../../numbers/interval/index.ts";
import type { Relaxation } from "./relaxation-lines.ts";

/** A function of the rows from `first` to `end`. */
export interface Surface {
  readonly name: string;
  value(rows: Float64Array, first: number, end: number): number;
  /** The derivative by row k. */
  slope(rows: Float64Array, first: number, end: number, k: number): number;
  /** Writes slopes for each row and shifts for the slot; lower and upper bound the rows. */
  lines(
    lower: Float64Array,
    upper: Float64Array,
    first: number,
    end: number,
    into: Relaxation,
    slot: number,
  ): void;
  range(lower: Float64Array, upper: Float64Array, first: number, end: number): Interval;
  /** Can tighter bounds of its rows change its planes? Default: yes. */
  bends?(lower: Float64Array, upper: Float64Array, first: number, end: number): boolean;
  /** How far the unit can be from a linear function of its rows, where its slopes at two corners do not tell. */
  gap?(lower: Float64Array, upper: Float64Array, first: number, end: number): number;
  /** The rows, numbered through the network, on whose width the gap depends; default: the unit's own. */
  watched?(first: number): readonly [number, number];
}

/** Units that are known by bounds only, from bounds of all rows of their layer. */
export type Enclosure = (rowLower: Float64Array, rowUpper: Float64Array) => IntervalArray;

/** What makes the slots of a layer from its rows, where that is not piecewise linear. */
export interface Bending {
  readonly curve?: Activation;
  readonly surface?: Surface;
  readonly enclosure?: Enclosure;
}
