// What the relaxation asks of a function of one number, and of one of several.
import type { Interval } from "../../engine/interval.ts";
import type { IntervalArray } from "../../engine/interval-array.ts";
import type { Relaxation } from "./relaxation.ts";

/** Lines below and above a function on an interval. */
export interface Lines {
  lowSlope: number;
  lowShift: number;
  highSlope: number;
  highShift: number;
}

/** A function of one row. */
export interface Activation {
  /** With its parameters: functions with the same name are the same. */
  readonly name: string;
  /** Near the function's value: for searches, not for bounds. */
  value(z: number): number;
  slope(z: number): number;
  /** Writes lines that are sound between low and high. */
  lines(low: number, high: number, into: Lines): void;
  /** Bounds of the values between low and high. */
  range(low: number, high: number): Interval;
  /** Bounds of the slopes between low and high; at a kink those of both sides. */
  slopes(low: number, high: number): Interval;
}

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
