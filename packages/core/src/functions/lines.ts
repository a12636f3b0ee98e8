// What linear bounds ask of a function of one number: lines below and above it.
import type { Interval } from "../numbers/interval/index.ts";

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
