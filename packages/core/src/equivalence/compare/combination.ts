// Linear combinations of numbered terms in exact arithmetic, and a table that knows multiples of one another.

import { add, compare, div, type Exact, mul, sign, toNumber } from "../../numbers/exact/rational.ts";

/** sum of weights[t] * t + constant; no weight is 0. */
export interface Combination {
  readonly weights: ReadonlyMap<number, Exact>;
  readonly constant: Exact;
}

export const constantOf = (constant: Exact): Combination => ({ weights: new Map(), constant });
export const termOf = (term: number, weight: Exact = 1): Combination => ({
  weights: new Map([[term, weight]]),
  constant: 0,
});

/** How numbers are added and multiplied: exactly, or rounded. */
export interface Arithmetic {
  add(a: Exact, b: Exact): Exact;
  mul(a: Exact, b: Exact): Exact;
  div(a: Exact, b: Exact): Exact;
  /** Numbers are the same that differ by no more than this share of the greatest beside them. */
  readonly tolerance: number;
}

export const exactly: Arithmetic = { add, mul, div, tolerance: 0 };
export const upTo = (tolerance: number): Arithmetic => ({
  add: (a, b) => (a as number) + (b as number),
  mul: (a, b) => (a as number) * (b as number),
  div: (a, b) => (a as number) / (b as number),
  tolerance,
});

/** A combination while it is summed. */
export class Sum {
  readonly weights = new Map<number, Exact>();
  constant: Exact;
  readonly #arithmetic: Arithmetic;

  constructor(arithmetic: Arithmetic, constant: Exact = 0) {
    this.#arithmetic = arithmetic;
    this.constant = constant;
  }

  add(other: Combination, factor: Exact): this {
    const { add: plus, mul: times } = this.#arithmetic;
    for (const [term, weight] of other.weights) {
      const sum = plus(this.weights.get(term) ?? 0, times(weight, factor));
      if (sign(sum) === 0) this.weights.delete(term);
      else this.weights.set(term, sum);
    }
    this.constant = plus(this.constant, times(other.constant, factor));
    return this;
  }
}

/** The term with the greatest weight, the first of several; undefined for a constant. */
function leading({ weights }: Combination): number | undefined {
  let [most, size]: [number | undefined, number] = [undefined, -1];
  for (const [term, weight] of weights) {
    const own = Math.abs(toNumber(weight));
    if (own > size || (own === size && term < most!)) [most, size] = [term, own];
  }
  return most;
}

/** A number between -1/2 and 1/2 that stands for a term. */
function image(term: number): number {
  let h = Math.imul(term + 1, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32 - 0.5;
}

/** Multiples of one another have the same place, up to rounding; others seldom. */
function placeOf({ weights, constant }: Combination): number {
  let [sum, size] = [image(-2) * toNumber(constant), Math.abs(toNumber(constant))];
  for (const [term, weight] of weights) {
    const w = toNumber(weight);
    sum += image(term) * w;
    size += Math.abs(w);
  }
  return Math.floor((placesPerUnit * Math.abs(sum)) / size);
}
const placesPerUnit = 2 ** 18;

/** form = factor * direction number `id`. */
export interface Multiple {
  readonly id: number;
  readonly factor: Exact;
}

/** Combinations by what they are a multiple of: the first of them that was met. */
export class Directions {
  readonly #known: Combination[] = [];
  readonly #byPlace = new Map<number, number[]>();
  readonly #arithmetic: Arithmetic;
  /** How far multiples were apart, at most, as shares of the greatest number beside them. */
  deviation = 0;

  constructor(arithmetic: Arithmetic) {
    this.#arithmetic = arithmetic;
  }

  /** Of a combination that is no constant. */
  of(form: Combination): Multiple {
    const place = placeOf(form);
    for (const near of [place, place - 1, place + 1])
      for (const id of this.#byPlace.get(near) ?? []) {
        const factor = this.#ratio(form, this.#known[id]!);
        if (factor !== undefined) return { id, factor };
      }
    const id = this.#known.push(form) - 1;
    this.#byPlace.set(place, [...(this.#byPlace.get(place) ?? []), id]);
    return { id, factor: 1 };
  }

  /** a / b, if a is a multiple of b. */
  #ratio(a: Combination, b: Combination): Exact | undefined {
    const first = leading(b)!;
    const [above, below] = [a.weights.get(first), b.weights.get(first)!];
    if (above === undefined) return undefined;
    const factor = this.#arithmetic.div(above, below);
    const { weights, constant } = b;
    const gap = combinationGap(
      a,
      factor === 1 ? b : new Sum(this.#arithmetic).add({ weights, constant }, factor),
    );
    if (!(gap <= this.#arithmetic.tolerance)) return undefined;
    this.deviation = Math.max(this.deviation, gap);
    return factor;
  }
}

/** How far the numbers of two combinations are apart, as a share of the greatest of them; 0 only if they are the same. */
export function combinationGap(a: Combination, b: Combination): number {
  let [gap, size] = [0, 0];
  const look = (x: Exact, y: Exact): void => {
    const [u, v] = [toNumber(x), toNumber(y)];
    size = Math.max(size, Math.abs(u), Math.abs(v));
    if (compare(x, y) !== 0) gap = Math.max(gap, Math.abs(u - v), Number.MIN_VALUE);
  };
  look(a.constant, b.constant);
  for (const [term, weight] of a.weights) look(weight, b.weights.get(term) ?? 0);
  for (const [term, weight] of b.weights) if (!a.weights.has(term)) look(0, weight);
  return gap === 0 ? 0 : Math.max(gap / size, Number.MIN_VALUE);
}
