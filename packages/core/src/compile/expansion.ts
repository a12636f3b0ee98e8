// A function of one variable as a polynomial sum_k a_k t^k in t = scale z + shift, |t| <= 1, z the (folded) argument, with
// a proven bound of what the polynomial misses. Its powers are made by squares and products, whose units grow like
// log(1 / error).

import type { Interval } from "../engine/interval.ts";
import * as I from "../engine/interval.ts";
import type { Folding } from "./fold.ts";
import type { Arithmetic } from "./precision.ts";
import type { Univariate } from "./univariate.ts";

/** A polynomial without its proof. */
export interface Powers {
  readonly scale: number;
  readonly shift: number;
  /** Of t^0, t^1, ... */
  readonly coefficients: readonly number[];
}

export interface Expansion extends Powers {
  /** z = |... ||u - c_1| - c_2| ... |. */
  readonly folds: readonly number[];
  /** The arguments u for which it holds. */
  readonly on: Interval;
  /** Bounds |f - polynomial| there. */
  readonly truncation: number;
}

const [nodeCount, highestDegree] = [64, 24];

/** Chebyshev coefficients from values at Chebyshev points. */
function chebyshev(f: (t: number) => number): readonly number[] {
  const angle = (j: number): number => (Math.PI * (j + 0.5)) / nodeCount;
  const values = Array.from({ length: nodeCount }, (_, j) => f(Math.cos(angle(j))));
  return values.map((_, k) => {
    const sum = values.reduce((s, v, j) => s + v * Math.cos(k * angle(j)), 0);
    return ((k === 0 ? 1 : 2) * sum) / nodeCount;
  });
}

/** sum_k c_k T_k in powers of t. */
function inPowers(c: readonly number[]): number[] {
  const powers = c.map(() => 0);
  const unit = (at: number): number[] => c.map((_, k) => (k === at ? 1 : 0));
  let [before, current] = [unit(0), unit(1)];
  c.forEach((ck, k) => {
    const T = k === 0 ? before : current;
    T.forEach((w, j) => {
      powers[j]! += ck * w;
    });
    if (k > 0) [before, current] = [current, current.map((_, j) => 2 * (current[j - 1] ?? 0) - before[j]!)];
  });
  return powers;
}

/**
 * A polynomial of least degree that seems to be within delta / 2 of a function, if a moderate degree will do.
 * @example powersFor(univariateFunction("exp"), { lower: 0, upper: 1 }, 1e-8, arithmetics.f64).coefficients.length // 8
 */
export function powersFor(
  f: Univariate,
  range: Interval,
  delta: number,
  { round }: Arithmetic,
): Powers | undefined {
  const [centre, radius] = [(range.lower + range.upper) / 2, (range.upper - range.lower) / 2];
  if (!(radius > 0)) return undefined;
  const scale = round(1 / radius);
  const shift = round(0 - centre * scale);
  const c = chebyshev((t) => f.value((t - shift) / scale));
  let [degree, tail] = [nodeCount - 1, 0];
  while (degree > 1 && tail + Math.abs(c[degree]!) <= delta / 4) tail += Math.abs(c[degree--]!);
  if (degree > highestDegree || !Number.isFinite(tail)) return undefined;
  const negligible = delta / (8 * (degree + 1));
  const coefficients = inPowers(c.slice(0, degree + 1)).map((a) => (Math.abs(a) < negligible ? 0 : round(a)));
  return { scale, shift, coefficients };
}

/** The same with a proof, if it is one to delta. */
export function proved(
  powers: Powers,
  { curve, range, shifts, defect }: Folding,
  on: Interval,
  delta: number,
): Expansion | undefined {
  const degree = powers.coefficients.length;
  for (let parts = 8 + degree * degree; parts <= 64 * degree * degree; parts *= 4) {
    const truncation = I.add(I.point(truncationBound(curve, powers, range, parts)), I.point(defect)).upper;
    if (truncation <= delta) return { ...powers, folds: shifts, on, truncation };
  }
  return undefined;
}

/**
 * A bound of |f - p| on the range: on each of `parts` cells the Taylor polynomial of f - p, and a remainder.
 * @example truncationBound(univariateFunction("exp"), { scale: 1, shift: 0, coefficients: [1] }, { lower: 0, upper: 1 }, 8) < 1.9 // true
 */
export function truncationBound(f: Univariate, p: Powers, { lower, upper }: Interval, parts: number): number {
  const order = p.coefficients.length; // one more than the degree, so that p has no remainder
  let bound = 0;
  for (let k = 0; k < parts; k++) {
    const at = (j: number): number =>
      j === parts ? upper : Math.min(upper, lower + ((upper - lower) * j) / parts);
    const [from, to] = [at(k), at(k + 1)];
    const middle = Math.min(to, Math.max(from, (from + to) / 2));
    const [right, left] = [I.sub(I.point(to), I.point(middle)), I.sub(I.point(middle), I.point(from))];
    const reach = I.point(Math.max(right.upper, left.upper));
    const exact = f.taylor(I.point(middle), order - 1);
    const powers = taylorOfPolynomial(p, middle);
    let sum = I.abs(f.taylor({ lower: from, upper: to }, order)[order]!);
    for (let j = order - 1; j >= 0; j--) sum = I.add(I.mul(sum, reach), I.abs(I.sub(exact[j]!, powers[j]!)));
    bound = Math.max(bound, sum.upper);
  }
  return bound;
}

/** Taylor coefficients of p(scale u + shift) at u = middle, by repeated synthetic division. */
function taylorOfPolynomial({ scale, shift, coefficients }: Powers, middle: number): readonly Interval[] {
  const t = I.add(I.mul(I.point(scale), I.point(middle)), I.point(shift));
  const rest = coefficients.map(I.point);
  let power = I.point(1);
  return coefficients.map((_, j) => {
    for (let k = rest.length - 2; k >= j; k--) rest[k] = I.add(rest[k]!, I.mul(t, rest[k + 1]!));
    const found = I.mul(power, rest[j]!);
    power = I.mul(power, I.point(scale));
    return found;
  });
}
