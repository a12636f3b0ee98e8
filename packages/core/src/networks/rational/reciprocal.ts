// Reciprocals as products: 1 / (1 - s) = prod_i (1 + s^(2^i)), by squares and products.

import { ConstructError } from "../../functions/error.ts";
import { add, compare, div, type Exact, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import { powerOfTwoAbove, roundUp } from "../../numbers/exact/rounding.ts";
import { requireAccuracy } from "../calculus/conditions.ts";
import { type Certified, certifiedWithin } from "../circuit/certified.ts";
import { type Circuit, CircuitBuilder, type Product } from "../circuit/circuit.ts";
import { form, variable } from "../circuit/form.ts";
import type { Interval } from "../polynomial/terms.ts";

export interface ReciprocalOptions {
  readonly eps: number;
}

/**
 * 1 / x on [from, to], from > 0, up to eps: with s = 1 - w x, |s| <= sigma < 1, it is w prod_{i<K} (1 + s^(2^i)) up to
 * w sigma^(2^K) / (1 - sigma). K squares and products in all, of log(1/eps) levels each.
 * @example reciprocal([0.5, 1], { eps: 1e-3 }).error <= 1e-3 // true
 */
export function reciprocal(interval: Interval, { eps }: ReciprocalOptions): Certified {
  requireAccuracy("reciprocal", eps);
  const circuits = [centredFactor(interval), oneSidedFactor(interval)].flatMap((factor) => {
    const stages = stagesFor(factorRange(interval, factor).sigma, eps / factor);
    return [stages, stages + 1].map((count) => () => reciprocalCircuit(interval, { factor, stages: count }));
  });
  return certifiedWithin(circuits, { eps, name: "reciprocal", what: `1/x on [${interval.join(", ")}]` });
}

/** About 2 / (from + to), in few bits: |1 - w x| is least at its greatest. */
export const centredFactor = ([from, to]: Interval): number => fewBits(2 / (from + to));
/** 1 / to rounded down, in few bits: s = 1 - w x is not negative. */
export const oneSidedFactor = ([, to]: Interval): number => fewBits(1 / to);

function fewBits(x: number): number {
  const unit = 2 ** (Math.floor(Math.log2(x)) - 23);
  return Math.floor(x / unit) * unit;
}

/** K with sigma^(2^K) / (1 - sigma) at most eps / 2. */
export function stagesFor(sigma: number, eps: number): number {
  const wanted = Math.log((eps / 2) * (1 - sigma)) / Math.log(sigma);
  return Math.max(1, Math.ceil(Math.log2(Math.max(wanted, 2))));
}

function factorRange([from, to]: Interval, factor: number) {
  if (!(from > 0 && from < to && Number.isFinite(to)))
    throw new ConstructError(`1/x needs an interval with positive ends, not [${from}, ${to}]`);
  const [least, most] = [sub(1, mul(factor, to)), sub(1, mul(factor, from))];
  // On a grid, so that 1 - lower is a double, too.
  const lower = (Math.floor(toNumber(least) * 2 ** 40) - 1) / 2 ** 40;
  const upper = roundUp(most);
  return { lower: compare(least, 0) >= 0 ? 0 : lower, upper, sigma: Math.max(-lower, upper) };
}

export interface ReciprocalStages {
  /** w. */
  readonly factor: number;
  /** K. */
  readonly stages: number;
}

/** The circuit of w prod_{i<K} (1 + s^(2^i)), s = 1 - w x. */
export function reciprocalCircuit(interval: Interval, { factor, stages }: ReciprocalStages): Circuit {
  const { lower, upper, sigma } = factorRange(interval, factor);
  const builder = new CircuitBuilder();
  const s = builder.add({ kind: "source", of: form([[0, -factor]], 1), lower, upper });
  const start: GeometricStart = { place: s, constant: 1, size: 1 + sigma, nonnegative: true, made: 1 };
  const ratio = { place: s, sigma, nonnegative: lower >= 0, slack: 1 };
  const output = addGeometricProduct(builder, start, ratio, { stages, factor });
  return { dimension: 1, box: [interval], values: builder.values, outputs: [output] };
}

export interface GeometricStart {
  /** A value v such that v + constant is the product of the first `made` factors and the numerator. */
  readonly place: number;
  readonly constant: number;
  /** A bound of |v + constant|. */
  readonly size: number;
  readonly nonnegative: boolean;
  readonly made: number;
}

export interface GeometricRatio {
  readonly place: number;
  /** |s| <= sigma < 1. */
  readonly sigma: number;
  readonly nonnegative: boolean;
  /** The network's s may be this much beyond sigma. */
  readonly slack: number;
}

/** Errors may take a value this much beyond the exact one's bound. */
const margin = 1 + 2 ** -6;

/**
 * Adds w r_K, where r_{i+1} = r_i + r_i s_i and s_{i+1} = s_i^2: the numerator times w prod_{i<K} (1 + s^(2^i)).
 * The sum's error is the rest of the series, and what the caller knows of w.
 */
export function addGeometricProduct(
  builder: CircuitBuilder,
  start: GeometricStart,
  ratio: GeometricRatio,
  { stages, factor }: ReciprocalStages,
  factorError: Exact = 0,
): number {
  const error = add(rest(ratio.sigma, stages, factor, start.made === 0 ? start.size : 1), factorError);
  let [r, s] = [start, ratio];
  for (let i = 0; i < stages; i++) {
    const bound = powerOfTwoAbove(i === 0 ? s.sigma * ratio.slack : s.sigma * margin);
    const last = i === stages - 1;
    const weight = last ? factor : 1;
    const terms: [number, number][] = [[r.place, weight]];
    if (i >= r.made) terms.push([builder.add(nextProduct(r, s, bound)), weight]);
    const of = form(terms, weight * r.constant);
    if (last) return builder.add({ kind: "sum", of, error });
    if (i >= r.made) {
      const size = roundUp(add(r.size, mul(r.size, s.sigma)));
      const most = powerOfTwoAbove(size * margin);
      const place = builder.add({ kind: "sum", of, range: [r.nonnegative ? 0 : -most, most] });
      r = { ...r, place, constant: 0, size };
    }
    const place = builder.add({ kind: "square", of: variable(s.place), bound, nonnegative: s.nonnegative });
    s = { ...s, place, sigma: roundUp(mul(s.sigma, s.sigma)), nonnegative: true };
  }
  throw new ConstructError(`a geometric product has at least one stage, not ${stages}`);
}

/** r_i s_i. */
const nextProduct = (r: GeometricStart, s: GeometricRatio, bound: number): Product => ({
  kind: "product",
  of: [form([[r.place, 1]], r.constant), variable(s.place)],
  bounds: [powerOfTwoAbove(r.size * margin), bound],
  nonnegative: r.nonnegative && s.nonnegative,
});

/** numerator w sigma^(2^K) / (1 - sigma), rounded up. */
function rest(sigma: number, stages: number, factor: number, numerator: number): number {
  const gap = sub(1, sigma);
  if (compare(gap, 0) <= 0)
    throw new ConstructError(`the ratio of a geometric product is ${sigma}, not below 1`);
  let power = sigma;
  for (let i = 0; i < stages; i++) power = roundUp(mul(power, power));
  return roundUp(div(mul(mul(numerator, Math.abs(factor)), power), gap));
}
