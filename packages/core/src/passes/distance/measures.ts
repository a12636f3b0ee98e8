// Extremes and integrals of a gap, piece by piece.

import { ExactSum, type Ratio, ratioOf } from "../../numbers/exact/ratio.ts";
import {
  abs,
  add,
  compare,
  div,
  type Exact,
  max,
  mul,
  neg,
  reduce,
  sub,
  toNumber,
} from "../../numbers/exact/rational.ts";
import {
  type Enclosure,
  exactly,
  greater,
  isExact,
  isWithin,
  negated,
} from "../../numbers/interval/exact.ts";
import {
  antiderivative,
  evaluateRatio,
  type IntegerPolynomial,
  squared,
} from "../../numbers/polynomial/integer.ts";
import type { ExactPolynomial } from "../../numbers/polynomial/polynomial.ts";
import { signCells, variation } from "../../numbers/polynomial/roots.ts";
import type { GapPiece } from "./gap.ts";

/** Roots are isolated to within this: a fraction of the piece, as a power of two so that numbers stay short. */
const widthOf = ({ from, to }: GapPiece, resolution: number): number =>
  2 ** Math.floor(Math.log2(toNumber(sub(to, from)) * resolution));

/** The greatest number seen, enclosed; numbers that are surely less are dropped before they are computed. */
class Greatest {
  #lower: Exact | undefined;
  #upper: Exact | undefined;
  /** A double that is surely not above the greatest number. */
  #floor = Number.NEGATIVE_INFINITY;

  /** Sees the number (and those up to `play` above it). */
  see(value: Exact, play: Exact = 0): void {
    if (this.#lower === undefined || compare(value, this.#lower) > 0) {
      this.#lower = value;
      const rounded = toNumber(value);
      this.#floor = rounded - 2 ** -50 * Math.abs(rounded) - Number.MIN_VALUE;
    }
    const top = add(value, play);
    if (this.#upper === undefined || compare(top, this.#upper) > 0) this.#upper = top;
  }

  /** Could a number be the greatest that is this, give or take the error? */
  mayBe(value: number, error: number): boolean {
    return !(value + error < this.#floor);
  }

  get enclosure(): Enclosure {
    return { lower: this.#lower!, upper: this.#upper! };
  }
}

/** Least and greatest of what it sees: the least number is the greatest of the negatives. */
class Extremes {
  readonly #greatest = new Greatest();
  readonly #negative = new Greatest();

  see(value: Exact, play: Exact = 0): void {
    this.#greatest.see(value, play);
    this.#negative.see(neg(value), play);
  }

  /** Sees the value of a polynomial at a point, unless floating point shows that it does not matter. */
  seeAt(p: ExactPolynomial, x: Exact): void {
    const { value, error } = p.near(x);
    if (this.#greatest.mayBe(value, error) || this.#negative.mayBe(-value, error)) this.see(p.at(x));
  }

  /** A polynomial is extreme at the ends and where its derivative changes sign. */
  seePiece(p: ExactPolynomial, from: Exact, to: Exact, width: number): void {
    this.seeAt(p, from);
    if (p.degree >= 1) this.seeAt(p, to);
    if (p.degree < 2) return;
    signCells(p.derivative, from, to, width).forEach((cell, k) => {
      if (cell.sign === 0) this.see(p.at(cell.from), variation(p, cell.from, cell.to));
      else if (k > 0) this.seeAt(p, cell.from);
    });
  }

  get range(): Range {
    const { lower, upper } = this.#negative.enclosure;
    const least = { lower: neg(upper), upper: neg(lower) };
    const greatest = this.#greatest.enclosure;
    return { least, greatest, sup: greater(size(least), size(greatest)) };
  }
}

/** Infimum, supremum, and supremum of the absolute value. */
export interface Range {
  readonly least: Enclosure;
  readonly greatest: Enclosure;
  readonly sup: Enclosure;
}

const size = (e: Enclosure): Enclosure => {
  if (compare(e.lower, 0) >= 0) return e;
  return compare(e.upper, 0) <= 0 ? negated(e) : { lower: 0, upper: max(neg(e.lower), e.upper) };
};

/** A measure of a gap, from its pieces one after the other. */
export interface Measure<Result> {
  add(piece: GapPiece): void;
  readonly result: Result;
  /** Is the result as sharp as this, relative to what it measures? */
  isSharp(tolerance: number): boolean;
}

const isNarrow = (e: Enclosure, tolerance: number, size: Exact): boolean =>
  isExact(e) || isWithin(e, tolerance, size);

/** The range of the gap itself, or (order 1) the essential range of its derivative. */
export class RangeMeasure implements Measure<Range> {
  readonly #seen = new Extremes();
  readonly #resolution: number;
  readonly #order: 0 | 1;

  constructor(resolution: number, order: 0 | 1, points: readonly Exact[] = []) {
    this.#resolution = resolution;
    this.#order = order;
    for (const value of points) this.#seen.see(value);
  }

  add(piece: GapPiece): void {
    const p = this.#order === 0 ? piece.polynomial : piece.polynomial.derivative;
    this.#seen.seePiece(p, piece.from, piece.to, widthOf(piece, this.#resolution));
  }

  get result(): Range {
    return this.#seen.range;
  }

  isSharp(tolerance: number): boolean {
    const { least, greatest, sup } = this.result;
    return [least, greatest, sup].every((e) => isNarrow(e, tolerance, sup.lower));
  }
}

const signed = (r: Ratio, sign: number): Ratio => (sign === 1 ? r : { ...r, numerator: -r.numerator });

/** Sums of integrals; antiderivatives are computed up to a factor, and those with one factor are added. */
class IntegralSum {
  readonly #sums = new Map<bigint, ExactSum>();

  /** Adds integrals of a polynomial over intervals, times a sign. */
  over(p: IntegerPolynomial): (from: Exact, to: Exact, sign: number) => void {
    const { multiple, factor } = antiderivative(p);
    const sum = this.#sums.get(factor) ?? new ExactSum();
    this.#sums.set(factor, sum);
    return (from, to, sign) => {
      sum.add(signed(evaluateRatio(multiple, ratioOf(from)), -sign));
      sum.add(signed(evaluateRatio(multiple, ratioOf(to)), sign));
    };
  }

  enclosure(limit?: number): Enclosure {
    const parts = [...this.#sums].map(([factor, sum]) => ({
      ...sum.enclosure(limit),
      factor: reduce(factor, 1n),
    }));
    const lower = parts.reduce<Exact>((all, part) => add(all, div(part.lower, part.factor)), 0);
    if (parts.every(isExact)) return exactly(lower);
    return { lower, upper: parts.reduce<Exact>((all, part) => add(all, div(part.upper, part.factor)), 0) };
  }
}

/** The integral of |gap|: the antiderivative between the zeros, and what the cells around them may add. */
export class SizeIntegral implements Measure<Enclosure> {
  readonly #sum = new IntegralSum();
  readonly #resolution: number;
  readonly #play = new ExactSum();

  constructor(resolution: number) {
    this.#resolution = resolution;
  }

  add(piece: GapPiece): void {
    const { from, to, polynomial: p } = piece;
    if (p.degree < 0) return;
    const integrate = this.#sum.over(p.integers);
    for (const cell of signCells(p, from, to, widthOf(piece, this.#resolution))) {
      if (cell.sign !== 0) integrate(cell.from, cell.to, cell.sign);
      else {
        const most = add(abs(p.at(cell.from)), variation(p, cell.from, cell.to));
        this.#play.add(ratioOf(mul(sub(cell.to, cell.from), most)));
      }
    }
  }

  get result(): Enclosure {
    const { lower, upper } = this.#sum.enclosure();
    const play = this.#play.enclosure().upper;
    return play === 0 ? { lower, upper } : { lower, upper: add(upper, play) };
  }

  isSharp(tolerance: number): boolean {
    const { result } = this;
    return isNarrow(result, tolerance, result.lower);
  }
}

/** The integral of gap^2; exact always, or (by default) only while its denominator stays printable. */
export class SquareIntegral implements Measure<Enclosure> {
  readonly #sum = new IntegralSum();
  readonly #limit: number | undefined;

  constructor({ always = false } = {}) {
    this.#limit = always ? Number.POSITIVE_INFINITY : undefined;
  }

  add({ from, to, polynomial }: GapPiece): void {
    this.#sum.over(squared(polynomial.integers))(from, to, 1);
  }

  get result(): Enclosure {
    return this.#sum.enclosure(this.#limit);
  }

  isSharp(): boolean {
    return true;
  }
}
