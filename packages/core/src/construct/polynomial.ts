// Polynomials of any degree on any box as ReLU networks with a certified error and the fewest units.

import { abs, add, compare, type Exact, sub, toNumber } from "../engine/exact.ts";
import { requireAccuracy } from "./calculus-conditions.ts";
import { ConstructError } from "./error.ts";
import { addMonomials, degree, placeOf } from "./monomial.ts";
import {
  changeVariables,
  type Interval,
  type Normalization,
  normalize,
  type PolynomialTerms,
  type Term,
  variablesOf,
} from "./polynomial-terms.ts";
import { type Certified, certifiedWithin } from "./product-certified.ts";
import { type Circuit, CircuitBuilder } from "./product-circuit.ts";
import { type Form, form } from "./product-form.ts";

export interface PolynomialOptions {
  /** Where each variable lies; default: [-1, 1]. */
  readonly box?: readonly Interval[];
  readonly eps: number;
  /** How the box is mapped to the powers' range; default: the way with the fewest units. */
  readonly normalization?: Normalization;
}

/**
 * A network that computes the polynomial on the box up to eps. The powers of t = scale x + shift in [-1, 1] or [0, 1]
 * are made by squares and products; sum |c_alpha| (|alpha| - 1)_+ 4^-(m+1) <= eps if all have m levels, and the levels
 * of each are chosen so that the hidden units are fewest.
 * @example polynomial(univariate([0, 0, 1]), { eps: 1e-3, box: [[0, 1]] }).units // 11
 */
export function polynomial(p: PolynomialTerms, { box, eps, normalization }: PolynomialOptions): Certified {
  requireAccuracy("polynomial", eps);
  const kinds: readonly Normalization[] = normalization ? [normalization] : ["centre", "lower", "upper"];
  const circuits = kinds.map((kind) => polynomialCircuit(p, eps, kind, box));
  return certifiedWithin(circuits, eps, "polynomial");
}

/** The circuit of a polynomial: powers by squares and products, and one sum. */
export function polynomialCircuit(
  p: PolynomialTerms,
  eps: number,
  kind: Normalization,
  box?: readonly Interval[],
): Circuit {
  const builder = new CircuitBuilder();
  const [sum] = addPolynomials(builder, [p], eps, kind, box);
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
 * Adds the variables of a box, and the monomials of polynomials in them, to a circuit. Coefficients are rounded to
 * doubles, and terms that together are below eps / 1000 left out.
 */
export function addPolynomials(
  builder: CircuitBuilder,
  polynomials: readonly PolynomialTerms[],
  eps: number,
  kind: Normalization,
  box?: readonly Interval[],
): RoundedForm[] {
  const dimension = variablesOf(polynomials.flat());
  const intervals = box ?? unitBox(polynomials.flat());
  if (intervals.length !== dimension)
    throw new ConstructError(`a box of ${intervals.length} intervals for ${dimension} variables`);
  const changes = intervals.map((interval) => normalize(interval, kind));
  const sources = changes.map(({ scale: s, shift }, k) =>
    builder.add({ kind: "source", of: form([[k, s]], shift), lower: kind === "centre" ? -1 : 0, upper: 1 }),
  );
  const normalized = polynomials.map((p) => changeVariables(p, changes));
  const kept = normalized.map((p) => largeTerms(p, eps / 1000));
  const wanted = kept.flat().map((term) => term.exponents);
  const places = addMonomials(builder, sources, wanted);
  return kept.map((terms, k) => roundedForm(terms, normalized[k]!, places));
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

/** The kept terms as a form of their monomials; monomials are at most 1, so that each coefficient's error counts fully. */
function roundedForm(
  kept: PolynomialTerms,
  whole: PolynomialTerms,
  places: ReadonlyMap<string, number>,
): RoundedForm {
  let [constant, error]: Exact[] = [0, 0];
  const terms: [number, number][] = [];
  for (const term of whole) {
    const place = placeOf(places, term.exponents);
    const rounded = kept.includes(term) ? toNumber(term.coefficient) : 0;
    error = add(error!, abs(sub(term.coefficient, rounded)));
    if (rounded === 0) continue;
    if (place === undefined) constant = rounded;
    else terms.push([place, rounded]);
  }
  return { of: form(terms, constant!), error: error! };
}
