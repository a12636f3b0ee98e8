// Arithmetic circuits: squares, products and sums of affine forms. They say what a network shall compute; schedule.ts,
// levels.ts and layers.ts say how, error-bounds.ts how well.

import { ConstructError } from "../../functions/error.ts";
import type { Exact } from "../../numbers/exact/rational.ts";
import type { Form } from "./form.ts";
import { polarization } from "./identities.ts";

export type Range = readonly [number, number];

/** A value of a circuit; forms refer to earlier values by their place in the list. */
export type CircuitValue = Source | Square | Product | Sum;

/** A form of the coordinates of the input, which lies in [lower, upper]. */
export interface Source {
  readonly kind: "source";
  readonly of: Form;
  readonly lower: number;
  readonly upper: number;
}

/** of^2 by c^2 h_m(|of| / c), where |of| <= c = bound. */
export interface Square {
  readonly kind: "square";
  readonly of: Form;
  readonly bound: number;
  /** What is squared is known not to be negative: no absolute value is taken. */
  readonly nonnegative?: boolean;
  /** Where what is squared lies exactly, if better than by the ranges of its terms. */
  readonly within?: readonly [Range];
}

/** of[0] of[1] = A B (((x / A + y / B) / 2)^2 - ((x / A - y / B) / 2)^2), where |x| <= A, |y| <= B. */
export interface Product {
  readonly kind: "product";
  readonly of: readonly [Form, Form];
  readonly bounds: readonly [number, number];
  /** Both factors are known not to be negative. */
  readonly nonnegative?: boolean;
  /** Where the factors lie exactly, if better than by the ranges of their terms. */
  readonly within?: readonly [Range, Range];
}

/** An affine form of earlier values. Their networks add into one running sum, which one unit carries. */
export interface Sum {
  readonly kind: "sum";
  readonly of: Form;
  /** How far the form itself is from what is meant (rounded coefficients). */
  readonly error?: Exact;
  /** A lower bound of the running sum at every level, if better than the one from the ranges of the terms. */
  readonly least?: number;
  /** Each term in its own accumulator, added only where the sum is read. */
  readonly separate?: boolean;
  /** One unit holds the finished sum before a gate first reads it: its weights meet no others, and stay exact. */
  readonly held?: boolean;
  /** Bounds of the exact sum, if better than those from the ranges of its terms. */
  readonly within?: readonly [Exact, Exact];
  /** Bounds that the network's sum must keep to; needed where another sum reads this one. */
  readonly range?: readonly [number, number];
}

export interface Circuit {
  /** Coordinates of the input. */
  readonly dimension: number;
  /** Where they lie: needed where the weight of a coordinate in a sum has to be rounded. */
  readonly box?: readonly (readonly [number, number])[];
  readonly values: readonly CircuitValue[];
  /** The sums that are the outputs. */
  readonly outputs: readonly number[];
}

export type Gate = Square | Product;
export const isGate = (value: CircuitValue): value is Gate =>
  value.kind === "square" || value.kind === "product";

/** The forms that a gate reads. */
export const operands = (gate: Gate): readonly Form[] => (gate.kind === "square" ? [gate.of] : gate.of);

/** The squares that a gate adds up: coefficient * form^2, |form| <= bound. */
export interface SquareTerm {
  readonly coefficient: number;
  /** Of the operands: their coefficients. */
  readonly of: readonly number[];
  readonly bound: number;
  readonly nonnegative: boolean;
}

export function squaresOf(gate: Gate): readonly SquareTerm[] {
  const nonnegative = gate.nonnegative ?? false;
  if (gate.kind === "square") return [{ coefficient: 1, of: [1], bound: gate.bound, nonnegative }];
  const { gain, scales } = polarization(...gate.bounds);
  return [
    { coefficient: gain, of: scales, bound: 1, nonnegative },
    { coefficient: -gain, of: [scales[0], -scales[1]], bound: 1, nonnegative: false },
  ];
}

/** Whether a layer of absolute values comes before the levels of a gate. */
export const takesAbsolute = (gate: Gate): boolean => squaresOf(gate).some((s) => !s.nonnegative);

/** Where a value of the network lies; gates, whatever their levels, never leave the range of exact ones. */
export function rangeOf(value: CircuitValue): Range {
  if (value.kind === "source") return [value.lower, value.upper];
  if (value.kind === "sum") {
    if (!value.range) throw new ConstructError("a sum that another sum of a circuit reads has no range");
    return value.range;
  }
  if (value.kind === "square") return [0, value.bound ** 2];
  const most = value.bounds[0] * value.bounds[1];
  return [value.nonnegative ? 0 : -most, most];
}

/** Builds circuits value by value. */
export class CircuitBuilder {
  readonly values: CircuitValue[] = [];

  /** Adds a value and gives its place. */
  add(value: CircuitValue): number {
    for (const f of value.kind === "source" ? [] : isGate(value) ? operands(value) : [value.of])
      for (const index of f.terms.keys())
        if (this.values[index] === undefined)
          throw new ConstructError(
            `a ${value.kind} reads value ${index} of a circuit that has not been made`,
          );
    return this.values.push(value) - 1;
  }
}
