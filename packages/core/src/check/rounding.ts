// What rounding does to a value in a run, by a running error analysis: with |x' - x| <= e_x for the terms of a sum of n
// numbers, computed in any order, with or without fused multiply-add, the sum is off by at most
// sum |w| e + gamma_r (sum |w| (|x| + e) + |b|), where r roundings meet any one term (Higham, section 3.1).

import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import { addDown, addUp, divUp, mulUp } from "../numbers/rounding.ts";
import type { Scalar, Sum } from "./circuit.ts";
import { Refutation } from "./error.ts";

/** u bounds a relative error, `tiny` what an operation loses below the normal range (even if that is flushed to 0). */
export interface FloatFormat {
  readonly type: "float32" | "float64";
  readonly u: number;
  readonly tiny: number;
  /** Of all its numbers. */
  readonly greatest: number;
}
export const precisions: Readonly<Record<"f32" | "f64", FloatFormat>> = {
  f32: { type: "float32", u: 2 ** -24, tiny: 2 ** -126, greatest: (2 - 2 ** -23) * 2 ** 127 },
  f64: { type: "float64", u: 2 ** -53, tiny: 2 ** -1022, greatest: Number.MAX_VALUE },
};

/** A value in real arithmetic, and how far the computed one may be from it. */
interface Computed {
  readonly range: Interval;
  readonly error: number;
  /** Also a bound of the error divided by the value, but for `tiny`: then rounding keeps the sign. */
  readonly relative?: number;
}

const isPowerOfTwo = (w: number): boolean => {
  const exponent = Math.log2(Math.abs(w));
  return Number.isInteger(exponent) && 2 ** exponent === Math.abs(w);
};

function sum(
  { terms, weights, bias }: Sum,
  of: (s: Scalar) => Computed,
  { u, tiny, greatest }: FloatFormat,
  within?: Interval,
): Computed {
  let [range, carried, size] = [I.point(bias), 0, Math.abs(bias)];
  terms.forEach((term, k) => {
    const { range: x, error } = of(term);
    const w = Math.abs(weights[k]!);
    range = I.add(range, I.mul(I.point(weights[k]!), x));
    carried = addUp(carried, mulUp(w, error));
    size = addUp(size, mulUp(w, addUp(I.magnitude(x), error)));
  });
  const products = weights.some((w) => !isPowerOfTwo(w)) ? 1 : 0;
  const additions = terms.length === 0 ? 0 : terms.length - 1 + (bias === 0 ? 0 : 1);
  const roundings = terms.length === 0 ? 0 : additions + products;
  const scaled = weights.some((w) => Math.abs(w) !== 1);
  if (!(size <= greatest / 2)) return { range, error: Number.POSITIVE_INFINITY }; // it may overflow
  if (roundings === 0) return { range, error: scaled ? addUp(carried, tiny) : carried };
  const left = addDown(1, -mulUp(roundings, u));
  const gamma = left > 0 ? divUp(mulUp(roundings, u), left) : Number.POSITIVE_INFINITY;
  const met =
    roundings === 1
      ? mulUp(u, Math.min(size, addUp(I.magnitude(within ?? range), carried)))
      : mulUp(gamma, size);
  const error = addUp(addUp(carried, met), mulUp(additions + terms.length, tiny));
  return roundings === 1 && carried === 0 ? { range, error, relative: u } : { range, error };
}

/**
 * How far rounding may take a value, when it is computed from these ones, which are exact and in these ranges; `within`
 * is a range of the value itself, if one is known.
 */
export function roundingOf(
  value: Scalar,
  from: ReadonlyMap<Scalar, Interval>,
  precision: FloatFormat,
  where: string,
  within?: Interval,
): Computed {
  return evaluated(value, knownFrom(from), precision, where, within);
}

/** Of these values one that may overflow when it is computed from those; all that are left out of sums must be asked for. */
export function overflowing(
  values: Iterable<Scalar>,
  from: ReadonlyMap<Scalar, Interval>,
  precision: FloatFormat,
  where: string,
): Scalar | undefined {
  const known = knownFrom(from);
  for (const value of values)
    if (!Number.isFinite(evaluated(value, known, precision, where).error)) return value;
  return undefined;
}

const knownFrom = (from: ReadonlyMap<Scalar, Interval>): Map<Scalar, Computed> =>
  new Map([...from].map(([s, range]) => [s, { range, error: 0 }]));

/** Everything between the known values and this one becomes known. */
function evaluated(
  value: Scalar,
  known: Map<Scalar, Computed>,
  precision: FloatFormat,
  where: string,
  within?: Interval,
): Computed {
  const of = (s: Scalar): Computed => known.get(s)!;
  const open = [value];
  while (open.length > 0) {
    const s = open.at(-1)!;
    const missing = known.has(s) ? [] : argumentsOf(s).filter((a) => !known.has(a));
    if (missing.length > 0) open.push(...missing);
    else {
      open.pop();
      if (!known.has(s)) known.set(s, computed(s, of, precision, where, s === value ? within : undefined));
    }
  }
  return of(value);
}

const argumentsOf = (s: Scalar): readonly Scalar[] =>
  s.kind === "sum" ? s.terms : s.kind === "input" ? [] : [s.of];

function computed(
  s: Scalar,
  of: (s: Scalar) => Computed,
  precision: FloatFormat,
  where: string,
  within: Interval | undefined,
): Computed {
  if (s.kind === "sum") return sum(s, of, precision, within);
  if (s.kind === "input") throw new Refutation(where, "it reads an input that is no argument of it");
  const { range, error, relative } = of(s.of);
  if (s.kind === "abs") {
    const isSafe = addUp(I.magnitude(range), error) <= precision.greatest / 2; // or 2 relu(s) may overflow
    return { range: I.abs(range), error: isSafe ? error : Number.POSITIVE_INFINITY };
  }
  const open = I.max(range, I.point(0));
  const own = relative === undefined ? error : addUp(mulUp(relative, open.upper), mulUp(4, precision.tiny));
  return { range: open, error: Math.min(error, own) };
}
