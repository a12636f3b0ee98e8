// What rounding costs when a network runs in doubles: bounds for every order of its sums, with or without fused
// multiply-add. A row that adds n numbers rounds n - 1 times, by at most half the spacing of doubles at each partial
// sum, and each product with a weight that is not a power of two rounds once.

import { ConstructError } from "../../functions/error.ts";
import { type Exact, toNumber } from "../../numbers/exact/rational.ts";
import { addUp, mulUp, powerOfTwoAbove } from "../../numbers/exact/rounding.ts";
import { halfSpacing, unitRoundoff } from "../../numbers/floating-point.ts";
import { type Circuit, type Gate, type Range, squaresOf } from "./circuit.ts";
import type { Form } from "./form.ts";
import type { GateStep } from "./gate.ts";

/** Computed units may be this much above what exact ones reach; boundsOf checks that errors stay far below it. */
export const roomForErrors = 2 ** -20;
const withRoom = (most: number): number => most * (1 + roomForErrors);

export interface RowRounding {
  /** The computed row is off by at most this. */
  readonly rounding: number;
  /** It is computed to be at most this. */
  readonly most: number;
}

/**
 * The rounding of a row over units in these ranges. `known` bounds the row's value over the computed units, if the
 * ranges do not; `cut`: what is negative becomes 0, and its rounding does not count.
 */
export function rowRounding(
  row: Form,
  units: readonly Range[],
  known = Number.POSITIVE_INFINITY,
  cut = true,
): RowRounding {
  // Every partial sum lies between -down and up, the row between low and high.
  let [up, down, high, negLow, products, terms, exact] = [0, 0, 0, 0, 0, 0, true];
  const include = (least: number, most: number): void => {
    terms++;
    up = addUp(up, Math.max(0, most));
    down = addUp(down, Math.max(0, -least));
    high = addUp(high, most);
    negLow = addUp(negLow, -least);
  };
  for (const [index, coefficient] of row.terms) {
    const weight = toNumber(coefficient);
    const [from, to] = units[index]!;
    const ends = weight > 0 ? [from, to] : [to, from];
    const [least, most] = [-mulUp(-weight, ends[0]!), mulUp(weight, ends[1]!)];
    include(least, most);
    if (isPowerOfTwo(weight)) {
      if (Math.abs(weight) < 1) products = addUp(products, Number.MIN_VALUE); // below the least double
      continue;
    }
    exact = false;
    products = addUp(products, halfSpacing(Math.max(-least, most)));
  }
  const constant = toNumber(row.constant);
  if (constant !== 0) include(constant, constant);
  if (terms === 0) return { rounding: 0, most: 0 };
  // With one rounding alone, which is monotone, a double that bounds the row bounds what is computed.
  const single = exact && terms <= 2;
  const [top, bottom] = [Math.min(high, known), Math.min(negLow, known)];
  const size = Math.max(0, top, cut ? 0 : bottom) * (single ? 1 : 1 + 2 ** -40);
  const partial = Math.max(up, down) * (1 + 2 ** -40);
  const additions = terms === 1 ? 0 : addUp(mulUp(terms - 2, halfSpacing(partial)), halfSpacing(size));
  const rounding = addUp(products, additions);
  return { rounding, most: Math.max(0, single ? top : addUp(top, rounding)) };
}

const isPowerOfTwo = (weight: number): boolean => powerOfTwoAbove(Math.abs(weight)) === Math.abs(weight);

/** Charges the roundings of a run to the values of the circuit that they change. */
export class RunRounding {
  /** By value: what the roundings of its own units add up to at most. */
  readonly local = new Map<number, number>();
  /** By sum: how far its unit stays above 0, and what it reaches, at least. */
  readonly slack = new Map<number, number>();
  readonly top = new Map<number, number>();
  #units: readonly Range[];

  constructor({ dimension, box, values }: Circuit) {
    this.#units = Array.from({ length: dimension }, (_, k): Range => {
      if (box) return box[k]!;
      const own = values.find((v) => v.kind === "source" && v.of.terms.size === 1 && v.of.terms.get(k) === 1);
      if (own?.kind === "source") return [own.lower, own.upper];
      throw new ConstructError(`a circuit none of whose sources is input ${k} needs its box`);
    });
  }

  charge(value: number, by: number): void {
    this.local.set(value, addUp(this.local.get(value) ?? 0, by));
  }

  /** A unit that carries a value, which is at most `most` above the unit's zero; what the computed unit reaches. */
  carried(row: Form, most: number, value: number): number {
    const found = rowRounding(row, this.#units, withRoom(most));
    this.charge(value, found.rounding);
    return found.most;
  }

  /** How far a running sum is from both ends of what its unit can hold. */
  held(value: number, slack: Exact, top: number): void {
    this.slack.set(value, Math.min(this.slack.get(value) ?? Infinity, toNumber(slack)));
    this.top.set(value, Math.min(this.top.get(value) ?? Infinity, top));
  }

  outputs(rows: readonly Form[], values: readonly number[]): void {
    for (const [k, row] of rows.entries())
      this.charge(values[k]!, rowRounding(row, this.#units, undefined, false).rounding);
  }

  /**
   * The rows of a gate: what its computed units reach. c h_m(s / c) changes by at most 2 |ds|, also for s beyond c, and
   * by 2 / 4^j of what T^j(s) changes by. So rounding s costs 2 where units hold its absolute value first (near 0,
   * where both of them round, h_m has slope 1/2 at most), and 4, and 2 for s - c/2, where two units of the first level
   * round it each for themselves. All later roundings cost at most 5 u c: T(s) is off by 3 u c, each T^j(s) by 17 u c.
   */
  gateRows(gate: Gate, { rows, reads }: GateStep, value: number): number[] {
    let next = 0;
    return squaresOf(gate).flatMap(({ coefficient, bound, nonnegative }) => {
      const own = rows.slice(next, next + (reads === "absolutes" && nonnegative ? 1 : 2));
      next += own.length;
      if (reads === "units") return [withRoom(bound), withRoom(bound / 2)];
      if (reads === "sides") {
        const reached = [...own[0]!.terms.keys()].map((k) => this.#units[k]![1]);
        return [Math.max(...reached), withRoom(bound / 2)];
      }
      const found = own.map((row, k) =>
        rowRounding(row, this.#units, withRoom(reads === "levels" && k === 1 ? bound / 2 : bound)),
      );
      const [s, shifted] = found.map((r) => r.rounding);
      const ofSide =
        reads === "absolutes" ? 2 * Math.max(s!, shifted ?? 0) : addUp(4 * s!, mulUp(2, shifted!));
      const scale = mulUp(Math.abs(coefficient), bound);
      this.charge(value, mulUp(scale, addUp(ofSide, 5 * unitRoundoff * bound)));
      return found.map((r) => r.most);
    });
  }

  /** The units of the next layer: what they reach. */
  push(most: readonly number[]): void {
    this.#units = most.map((m): Range => [0, m]);
  }
}
