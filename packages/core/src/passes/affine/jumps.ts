// Piecewise constant functions as decisions: is a row above a threshold? Steps of quantizers, and leaves of trees.
import { GraphError } from "../../graph/error.ts";
import { type Exact, fractionBits, mul } from "../../numbers/exact/rational.ts";

/** A question about one row of a unit; a number is the choice that it ends in. */
export interface Decision {
  /** Which of the unit's rows, from 0. */
  readonly row: number;
  readonly threshold: number;
  /** On which side a row lies that is the threshold itself. */
  readonly tie: "below" | "above";
  readonly below: Decision | number;
  readonly above: Decision | number;
}

/** The piecewise constant functions of a stage, one a unit. */
export interface Jumps {
  readonly roots: readonly (Decision | number)[];
  /** What a unit is where this was chosen. */
  readonly value: (unit: number, choice: number) => number;
  /** More than any choice. */
  readonly choices: number;
  /** How many thresholds a unit has. */
  readonly thresholds: readonly number[];
  /** Bits after the binary point of thresholds and of values. */
  readonly thresholdBits: number;
  readonly valueBits: number;
}

/** A quantizer: clip(round(x / scale) + zero, least, greatest), halves rounded to even. */
export interface Staircase {
  readonly scale: number;
  readonly zero: number;
  readonly least: number;
  readonly greatest: number;
}

/** The levels from `first` to `last`, halved; choice k is the level least + k. */
class Steps implements Decision {
  readonly row = 0;
  readonly #stairs: Staircase;
  readonly #first: number;
  readonly #last: number;

  constructor(stairs: Staircase, first: number, last: number) {
    this.#stairs = stairs;
    this.#first = first;
    this.#last = last;
  }

  /** The step lies between this level and the next one. */
  get #level(): number {
    return Math.floor((this.#first + this.#last) / 2);
  }

  get threshold(): number {
    return this.#stairs.scale * (this.#level - this.#stairs.zero + 0.5);
  }

  get tie(): "below" | "above" {
    return (this.#level - this.#stairs.zero) % 2 === 0 ? "below" : "above";
  }

  #between(first: number, last: number): Decision | number {
    return first === last ? first - this.#stairs.least : new Steps(this.#stairs, first, last);
  }

  get below(): Decision | number {
    return this.#between(this.#first, this.#level);
  }

  get above(): Decision | number {
    return this.#between(this.#level + 1, this.#last);
  }
}

const isExact = (x: Exact): x is number => typeof x === "number";

/** Quantizers, one a unit. The thresholds scale (n + 1/2) are exact: scales of 24 bits leave room for 28 more. */
export function staircases(stairs: readonly Staircase[], node: string): Jumps {
  let bits = 0;
  for (const { scale, zero, least, greatest } of stairs) {
    if (!(scale > 0) || !Number.isFinite(scale)) throw new GraphError(`${node}: its scale is ${scale}`);
    if (![least, greatest].every((level) => isExact(mul(scale, level - zero + 0.5))))
      throw new GraphError(`${node}: with the scale ${scale} its steps are no doubles`);
    bits = Math.max(bits, fractionBits(scale) + 1);
  }
  const most = stairs.reduce((n, s) => Math.max(n, s.greatest - s.least), 0);
  return {
    roots: stairs.map((s) => new Steps(s, s.least, s.greatest)),
    value: (unit, choice) => stairs[unit]!.least + choice,
    choices: most + 1,
    thresholds: stairs.map((s) => s.greatest - s.least),
    thresholdBits: bits,
    valueBits: 0,
  };
}

/** What a function of these rows chooses when they are numbers. */
export function chosenAt(root: Decision | number, rows: (row: number) => number): number {
  let at = root;
  while (typeof at !== "number") {
    const x = rows(at.row);
    const side = x === at.threshold ? at.tie : x > at.threshold ? "above" : "below";
    at = at[side];
  }
  return at;
}
