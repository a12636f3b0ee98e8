// Polynomials of any degree on any box as ReLU networks with a certified error and the fewest units.

import { ConstructError } from "../../functions/error.ts";
import { abs, add, compare, type Exact, max, sub, toNumber } from "../../numbers/exact/rational.ts";
import { requireAccuracy } from "../calculus/conditions.ts";
import { type Certified, certifiedWithin } from "../circuit/certified.ts";
import { type Circuit, CircuitBuilder } from "../circuit/circuit.ts";
import { combine, type Form, form, variable } from "../circuit/form.ts";
import { addMonomials, degree, type Exponents, placeOf } from "../monomial.ts";
import { addChebyshev, chebyshevTerms } from "./chebyshev.ts";
import {
  absoluteSum,
  changeVariables,
  type Interval,
  type Normalization,
  normalize,
  type PolynomialTerms,
  requireTerms,
  type Scaling,
  type Term,
  variablesOf,
} from "./terms.ts";

export interface PolynomialOptions {
  /** Where each variable lies; default: [-1, 1]. */
  readonly box?: readonly Interval[];
  readonly eps: number;
  /** How the box is mapped to the powers' range; default: the way with the fewest units. */
  readonly normalization?: Normalization;
}

/** How the circuit of a polynomial is made. */
export interface PolynomialLayout {
  readonly normalization: Normalization;
  readonly scaling?: Scaling;
  /** powers: of t in [-1, 1] or [0, 1]; chebyshev: T_n(t), t in [-1, 1]. */
  readonly basis?: "powers" | "chebyshev";
}

/** Layouts to choose from: the first ones need the fewest units, later ones round less. */
export const layoutsFor = (normalizations: readonly Normalization[]): PolynomialLayout[] =>
  (["tight", "binary"] as const).flatMap((scaling) => [
    ...normalizations.map((normalization): PolynomialLayout => ({ normalization, scaling })),
    ...normalizations
      .filter((normalization) => normalization === "centre")
      .map((normalization): PolynomialLayout => ({ normalization, scaling, basis: "chebyshev" })),
  ]);

/**
 * A network that computes the polynomial on the box up to eps, also when it runs in f64. The powers of
 * t = scale x + shift in [-1, 1] or [0, 1] are made by squares and products, or Chebyshev polynomials in their place;
 * sum |c_alpha| (|alpha| - 1)_+ 4^-(m+1) <= eps if all powers have m levels, and the levels of each are chosen so that
 * the hidden units are fewest.
 * @example polynomial(univariate([0, 0, 1]), { eps: 1e-3, box: [[0, 1]] }).units // 11
 */
export function polynomial(p: PolynomialTerms, { box, eps, normalization }: PolynomialOptions): Certified {
  requireAccuracy("polynomial", eps);
  requireTerms("polynomial", p);
  variablesOf(p, box);
  const layouts = layoutsFor(normalization ? [normalization] : ["centre", "lower", "upper"]);
  const circuits = layouts.map((layout) => () => polynomialCircuit(p, eps, layout, box));
  return certifiedWithin(circuits, {
    eps,
    name: "polynomial",
    what: `the polynomial on ${boxName(box ?? unitBox(p))}`,
  });
}

/** As messages say it: "[0, 1] x [-1, 1]". */
export const boxName = (box: readonly Interval[]): string =>
  box.map((side) => `[${side.join(", ")}]`).join(" x ");

/** The circuit of a polynomial: powers by squares and products, and one sum. */
export function polynomialCircuit(
  p: PolynomialTerms,
  eps: number,
  layout: PolynomialLayout,
  box?: readonly Interval[],
): Circuit {
  const builder = new CircuitBuilder();
  const [sum] = addPolynomials(builder, [p], eps, layout, box);
  const output = builder.add({ kind: "sum", ...sum! });
  return { dimension: variablesOf(p), box: box ?? unitBox(p), values: builder.values, outputs: [output] };
}

export const unitBox = (p: PolynomialTerms): Interval[] =>
  Array.from({ length: variablesOf(p) }, () => [-1, 1]);

export interface RoundedForm {
  readonly of: Form;
  /** What rounding and leaving out coefficients changes at most. */
  readonly error: Exact;
}

/**
 * Adds the variables of a box, and the monomials or Chebyshev polynomials in them that polynomials need, to a circuit.
 * Coefficients are rounded to doubles, and terms that together are below eps / 1000 left out.
 */
export function addPolynomials(
  builder: CircuitBuilder,
  polynomials: readonly PolynomialTerms[],
  eps: number,
  { normalization, scaling, basis = "powers" }: PolynomialLayout,
  box?: readonly Interval[],
): RoundedForm[] {
  const intervals = box ?? unitBox(polynomials.flat());
  const changes = intervals.map((interval) => normalize(interval, normalization, scaling));
  const lower = normalization === "centre" ? -1 : 0;
  const sources = changes.map(({ scale: s, shift }, k) =>
    builder.add({ kind: "source", of: form([[k, s]], shift), lower, upper: 1 }),
  );
  const inT = polynomials.map((p) => changeVariables(p, changes));
  const expanded = basis === "powers" ? inT : inT.map(chebyshevTerms);
  requireModerate(expanded);
  const kept = expanded.map((p) => largeTerms(p, eps / 1000));
  const wanted = kept.flat().map((term) => term.exponents);
  const formOf =
    basis === "powers" ? monomialForms(builder, sources, wanted) : addChebyshev(builder, sources, wanted);
  return kept.map((terms, k) => roundedForm(terms, expanded[k]!, formOf));
}

/** Sums of coefficients must not overflow. */
function requireModerate(polynomials: readonly PolynomialTerms[]): void {
  const largest = polynomials.map(absoluteSum).reduce(max, 0);
  if (compare(largest, 2 ** 900) >= 0)
    throw new ConstructError(
      `a polynomial has coefficients of ${toNumber(largest)} in all, scaled to its box: too large for double precision`,
    );
}

function monomialForms(builder: CircuitBuilder, sources: readonly number[], wanted: readonly Exponents[]) {
  const places = addMonomials(builder, sources, wanted);
  return (alpha: Exponents): Form => {
    const place = placeOf(places, alpha);
    return place === undefined ? form([], 1) : variable(place);
  };
}

/** Without the smallest terms, of degree at least two, as long as these add up to at most `spare`. */
function largeTerms(p: PolynomialTerms, spare: number): PolynomialTerms {
  const dropped = new Set<Term>();
  let total: Exact = 0;
  const bySize = p
    .filter((term) => degree(term.exponents) >= 2)
    .sort((a, b) => compare(abs(a.coefficient), abs(b.coefficient)));
  for (const term of bySize) {
    total = add(total, abs(term.coefficient));
    if (compare(total, spare) > 0) break;
    dropped.add(term);
  }
  return p.filter((term) => !dropped.has(term));
}

/** The kept terms as a form of values of size at most 1, so that each coefficient's error counts fully. */
function roundedForm(
  kept: PolynomialTerms,
  whole: PolynomialTerms,
  formOf: (alpha: Exponents) => Form,
): RoundedForm {
  const exact = combine(kept.map((term) => [term.coefficient, formOf(term.exponents)] as const));
  let error = absoluteSum(whole.filter((term) => !kept.includes(term)));
  const rounded = (coefficient: Exact, round: (c: Exact) => number): number => {
    const near = round(coefficient);
    error = add(error, abs(sub(coefficient, near)));
    return near;
  };
  const terms = [...exact.terms].map(([place, c]) => [place, rounded(c, coefficientOf)] as const);
  return { of: form(terms, rounded(exact.constant, toNumber)), error };
}

/** Rounded to 51 bits: three times a coefficient is a weight of a gate's last level. Next to nothing becomes 0. */
export function coefficientOf(c: Exact): number {
  const near = toNumber(c);
  if (Math.abs(near) < 2 ** -900) return 0;
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(near))) - 50);
  return Math.round(near / unit) * unit;
}
