// Rational functions p / q on a box where q keeps away from 0 (Telgarsky 2017).

import { ConstructError } from "../../functions/error.ts";
import {
  add,
  compare,
  div,
  type Exact,
  max,
  mul,
  neg,
  sign,
  sub,
  toNumber,
} from "../../numbers/exact/rational.ts";
import { powerOfTwoAbove, roundUp } from "../../numbers/exact/rounding.ts";
import { requireAccuracy } from "../calculus/conditions.ts";
import { type Certified, certifiedWithin } from "../circuit/certified.ts";
import { type Circuit, CircuitBuilder } from "../circuit/circuit.ts";
import { form } from "../circuit/form.ts";
import { degree } from "../monomial.ts";
import {
  addPolynomials,
  boxName,
  coefficientOf,
  layoutsFor,
  type PolynomialLayout,
  polynomial,
  type RoundedForm,
  unitBox,
} from "../polynomial/polynomial.ts";
import { type Enclosure, polynomialRange } from "../polynomial/range.ts";
import {
  absoluteSum,
  changeVariables,
  type Interval,
  normalize,
  type PolynomialTerms,
  requireTerms,
  valueAt,
  variablesOf,
} from "../polynomial/terms.ts";
import {
  addGeometricProduct,
  centredFactor,
  type GeometricRatio,
  type GeometricStart,
  stagesFor,
} from "./reciprocal.ts";

export interface RationalOptions {
  /** Where each variable lies; default: [-1, 1]. */
  readonly box?: readonly Interval[];
  readonly eps: number;
}

/**
 * p / q on the box up to eps: with s = 1 - w q, |s| <= sigma < 1, it is w p prod_{i<K} (1 + s^(2^i)) up to
 * w |p| sigma^(2^K) / (1 - sigma). That q has no zero on the box is proved first, by subdivision.
 * @example rational(univariate([1]), univariate([1, 0, 1]), { eps: 1e-2 }).error <= 1e-2 // true
 */
export function rational(
  numerator: PolynomialTerms,
  denominator: PolynomialTerms,
  { box, eps }: RationalOptions,
): Certified {
  requireAccuracy("rational", eps);
  requireTerms("numerator", numerator);
  requireTerms("denominator", denominator);
  variablesOf([...numerator, ...denominator], box);
  if (numerator.every((term) => sign(term.coefficient) === 0))
    return polynomial([{ coefficient: 0, exponents: unitBox(denominator).map(() => 0) }], { box, eps });
  if (denominator.length > 0 && denominator.every((term) => degree(term.exponents) === 0)) {
    const constant = valueAt(denominator, []);
    if (sign(constant) === 0) throw new ConstructError("the denominator is 0");
    const quotient = numerator.map((term) => ({ ...term, coefficient: div(term.coefficient, constant) }));
    return polynomial(quotient, { box, eps });
  }
  const circuits = layoutsFor(["centre", "lower"]).flatMap((layout) =>
    [0, 1].map((more) => () => rationalCircuit(numerator, denominator, layout, { box, eps, more })),
  );
  const where = boxName(box ?? unitBox([...numerator, ...denominator]));
  return certifiedWithin(circuits, { eps, name: "rational", what: `the rational function on ${where}` });
}

/** The circuit with as many stages as the rest of the series needs, or more. */
function rationalCircuit(
  numerator: PolynomialTerms,
  denominator: PolynomialTerms,
  layout: PolynomialLayout,
  { box, eps, more }: RationalOptions & { readonly more: number },
): Circuit {
  const sides = box ?? unitBox([...numerator, ...denominator]);
  const [top, bottom] = enclosures([numerator, denominator], sides, layout);
  const negative = compare(bottom.upper, 0) < 0;
  if (!negative && compare(bottom.lower, 0) <= 0)
    throw new ConstructError(
      `the denominator is not known to keep away from 0 on the box: between ${toNumber(bottom.lower)} and ${toNumber(bottom.upper)}`,
    );
  const ends = [toNumber(bottom.lower), toNumber(bottom.upper)].map(Math.abs);
  const factor = centredFactor([Math.min(...ends), Math.max(...ends)]);
  const w = negative ? -factor : factor;
  const size = Math.max(roundUp(top.upper), roundUp(neg(top.lower)));
  // A change by e of p or q changes p / q by at most about e / |q| or e |p| / q^2.
  const least = Math.min(...ends);
  const small = eps * Math.min(1, least, least ** 2 / Math.max(size, Number.MIN_VALUE));
  const builder = new CircuitBuilder();
  const forms = addPolynomials(builder, [numerator, denominator], small, layout, box);
  const ratio = addRatio(builder, forms[1]!, bottom, w);
  // At least two stages: the last one scales by w, which is exact only for a sum that a unit has carried.
  const stages = Math.max(2, stagesFor(ratio.sigma, eps / (factor * size)) + more);
  const output =
    forms[0]!.of.terms.size === 0
      ? addConstantOver(builder, forms[0]!.of.constant, ratio, stages, w)
      : addGeometricProduct(builder, addNumerator(builder, forms[0]!, top), ratio, { stages, factor: w });
  return { dimension: sides.length, box: sides, values: builder.values, outputs: [output] };
}

/** Where the polynomials lie on the box. */
const enclosures = (
  polynomials: readonly [PolynomialTerms, PolynomialTerms],
  sides: readonly Interval[],
  { normalization, scaling }: PolynomialLayout,
): readonly [Enclosure, Enclosure] => {
  const changes = sides.map((side) => normalize(side, normalization, scaling));
  const range = sides.map((): Interval => [normalization === "centre" ? -1 : 0, 1]);
  return polynomials.map((p) => rangeWithin(changeVariables(p, changes), range)) as [Enclosure, Enclosure];
};

/** c / q: the constant goes into the factor, which it rounds. */
function addConstantOver(
  builder: CircuitBuilder,
  c: Exact,
  ratio: GeometricRatio,
  stages: number,
  w: number,
): number {
  const size = 1 + ratio.sigma;
  const start: GeometricStart = { place: ratio.place, constant: 1, size, nonnegative: true, made: 1 };
  const exact = mul(c, w);
  const near = coefficientOf(exact);
  const off = sub(exact, near);
  const most = roundUp(div(1, sub(1, ratio.sigma))); // of the product of the 1 + s^(2^i)
  const options = { stages, factor: near };
  return addGeometricProduct(builder, start, ratio, options, mul(max(off, neg(off)), most));
}

/** An enclosure on a part of [-1, 1]^d that overestimates by little of the least size of the values. */
function rangeWithin(p: PolynomialTerms, box: readonly Interval[]): Enclosure {
  const { short, error } = shortened(p);
  const coarse = polynomialRange(short, box, 0, 1);
  let tolerance = toNumber(sub(coarse.upper, coarse.lower)) / 16;
  let range = coarse;
  for (let attempt = 0; attempt < 6; attempt++, tolerance /= 4) {
    range = polynomialRange(short, box, tolerance);
    const least = Math.max(toNumber(range.lower), -toNumber(range.upper));
    if (least > 0 && tolerance <= least / 16) break;
    if (least + tolerance < 0) break; // 0 is among the values: nothing finer would help
  }
  return { lower: sub(range.lower, error), upper: add(range.upper, error) };
}

/** Coefficients of 24 bits, with which exact arithmetic is fast, and by how much this changes p at most. */
function shortened(p: PolynomialTerms): { readonly short: PolynomialTerms; readonly error: Exact } {
  const largest = p.reduce((most, t) => Math.max(most, Math.abs(toNumber(t.coefficient))), 2 ** -900);
  const unit = 2 ** (Math.ceil(Math.log2(largest)) - 24);
  const short = p.map((t) => ({ ...t, coefficient: Math.round(toNumber(t.coefficient) / unit) * unit }));
  const gaps = p.map((t, k) => ({ ...t, coefficient: sub(t.coefficient, short[k]!.coefficient) }));
  return { short, error: roundUp(absoluteSum(gaps)) };
}

/** s = 1 - w q as a sum. */
function addRatio(
  builder: CircuitBuilder,
  { of, error }: RoundedForm,
  { lower, upper }: Enclosure,
  w: number,
): GeometricRatio {
  let off: Exact = mul(Math.abs(w), error);
  const terms = [...of.terms].map(([index, coefficient]): [number, number] => {
    const exact = mul(-w, coefficient);
    const rounded = coefficientOf(exact);
    const gap = sub(exact, rounded);
    off = add(off, max(gap, neg(gap)));
    return [index, rounded];
  });
  const ends = [sub(1, mul(w, lower)), sub(1, mul(w, upper))];
  const within = (w > 0 ? [ends[1]!, ends[0]!] : ends) as [Exact, Exact];
  // Not too small: errors of q that do not matter shall not take s beyond it.
  const sigma = Math.max(roundUp(add(within[1], off)), roundUp(sub(off, within[0])), 2 ** -12);
  const slack = Math.min(1 + 2 ** -6, (1 + 1 / sigma) / 2);
  const constant = sub(1, mul(w, of.constant));
  const range = [-powerOfTwoAbove(sigma * slack), powerOfTwoAbove(sigma * slack)] as const;
  const place = builder.add({
    kind: "sum",
    of: form(terms, constant),
    error: off,
    within,
    range,
    held: true,
  });
  return { place, sigma, nonnegative: false, slack };
}

/** The numerator as a sum with proved bounds. */
function addNumerator(builder: CircuitBuilder, { of, error }: RoundedForm, range: Enclosure): GeometricStart {
  const size = Math.max(roundUp(range.upper), roundUp(neg(range.lower)), 2 ** -40);
  const most = powerOfTwoAbove(size * (1 + 2 ** -6));
  const within = [range.lower, range.upper] as const;
  const place = builder.add({ kind: "sum", of, error, within, range: [-most, most], held: true });
  return { place, size, constant: 0, nonnegative: false, made: 0 };
}
