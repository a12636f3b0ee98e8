// The dual of any function, by Mehler's formula: with the Hermite coefficients c_k(a) = E f(sqrt(a) x) h_k(x),
// E f(u) f(v) = sum_k c_k(a) c_k(b) r^k, r = k / sqrt(a b). The coefficients are integrals over one normal number, once for
// each variance instead of once for each pair. What is left out is known: sum_k c_k^2 = E f^2.
import type { Dual, GaussianPairs } from "./dual.ts";
import { type GaussianRule, gaussianRule, weightedHermite } from "./gaussian-rule.ts";

/** A function of one variable as numbers. */
export interface ScalarFunction {
  value(x: number): number;
  /** The derivative, wherever there is one. */
  slope(x: number): number;
  /** Where it is not smooth. */
  readonly kinks: readonly number[];
}

/** Terms of the series: the fewest that leave out less than this part of E f^2 and E f'^2. */
const termChoices = [16, 32, 64, 128, 256] as const;
const negligible = 1e-13;
const order = 16;

/** For each variance: the coefficients of f and of f', and which part of E f^2 and E f'^2 they leave out. */
interface Coefficients {
  readonly terms: number;
  readonly value: Float64Array;
  readonly slope: Float64Array;
  /** E f^2 and E f'^2 themselves. */
  readonly squares: Float64Array;
  readonly slopeSquares: Float64Array;
  /** The greatest part that is left out, and the greatest difference between two orders of quadrature. */
  readonly left: number;
  readonly between: number;
}

interface Prepared {
  readonly rule: GaussianRule;
  readonly hermite: Float64Array;
}

/**
 * The dual of a function without a closed form. Estimates its error by the terms left out and by two orders compared.
 * @example expectations(seriesDual({ value: Math.sin, slope: Math.cos, kinks: [] }), 1, 1, 1).value.toFixed(12) // "0.432332358382"
 */
export function seriesDual(f: ScalarFunction): Dual {
  const known = new WeakMap<Float64Array, Map<number, Coefficients>>();
  const ruleOf = preparedRules(f);
  const coefficientsOf = (variances: Float64Array, terms: number): Coefficients => {
    const byTerms = known.get(variances) ?? new Map<number, Coefficients>();
    known.set(variances, byTerms);
    const found = byTerms.get(terms) ?? coefficients(f, variances, terms, ruleOf);
    byTerms.set(terms, found);
    return found;
  };
  return (pairs) => {
    const terms = Math.max(termsFor(f, pairs.a, ruleOf), termsFor(f, pairs.b, ruleOf));
    return sumSeries(pairs, coefficientsOf(pairs.a, terms), coefficientsOf(pairs.b, terms));
  };
}

type RuleOf = (deviation: number, terms: number) => Prepared;

/** A kink at t is one at t / sqrt(a) of x: only at 0 the nodes are the same for all variances. */
function preparedRules(f: ScalarFunction): RuleOf {
  const moving = f.kinks.filter((x) => x !== 0);
  const fixed = new Map<number, Prepared>();
  const make = (kinks: readonly number[], terms: number): Prepared => {
    const rule = gaussianRule(kinks, order);
    return { rule, hermite: weightedHermite(rule, terms) };
  };
  return (deviation, terms) => {
    if (moving.length > 0 && deviation > 0)
      return make(
        moving.map((x) => x / deviation),
        terms,
      );
    const found = fixed.get(terms) ?? make([], terms);
    fixed.set(terms, found);
    return found;
  };
}

const chosen = new WeakMap<ScalarFunction, WeakMap<Float64Array, number>>();

/** As many terms as the widest variance needs: wide functions look steep. */
function termsFor(f: ScalarFunction, variances: Float64Array, ruleOf: RuleOf): number {
  const ofFunction = chosen.get(f) ?? new WeakMap<Float64Array, number>();
  chosen.set(f, ofFunction);
  const found = ofFunction.get(variances);
  if (found !== undefined) return found;
  const widest = Float64Array.of(variances.reduce((m, a) => Math.max(m, a), 0));
  const terms =
    termChoices.find((choice) => coefficients(f, widest, choice, ruleOf).left < negligible) ??
    termChoices.at(-1)!;
  ofFunction.set(variances, terms);
  return terms;
}

function coefficients(
  f: ScalarFunction,
  variances: Float64Array,
  terms: number,
  ruleOf: RuleOf,
): Coefficients {
  const value = new Float64Array(variances.length * terms);
  const slope = new Float64Array(variances.length * terms);
  const [squares, slopeSquares] = [variances.slice(), variances.slice()];
  let left = 0;
  for (let i = 0; i < variances.length; i++) {
    const deviation = Math.sqrt(Math.max(0, variances[i]!));
    const { rule, hermite } = ruleOf(deviation, terms);
    const [v, s] = [value.subarray(i * terms, (i + 1) * terms), slope.subarray(i * terms, (i + 1) * terms)];
    const [ofValue, ofSlope] = [
      project(f.value, deviation, rule, hermite, v),
      project(f.slope, deviation, rule, hermite, s),
    ];
    [squares[i], slopeSquares[i]] = [ofValue.square, ofSlope.square];
    left = Math.max(left, ofValue.left, ofSlope.left);
  }
  const between = betweenOrders(f, variances);
  return { terms, value, slope, squares, slopeSquares, left, between };
}

/** c_k = sum_q w_q h_k(x_q) g(deviation x_q); gives E g^2, and which part of it the coefficients leave out. */
function project(
  g: (x: number) => number,
  deviation: number,
  { nodes, weights }: GaussianRule,
  hermite: Float64Array,
  into: Float64Array,
): { readonly square: number; readonly left: number } {
  const terms = into.length;
  let square = 0;
  for (let q = 0; q < nodes.length; q++) {
    const y = g(deviation * nodes[q]!);
    square += weights[q]! * y * y;
    const row = q * terms;
    for (let k = 0; k < terms; k++) into[k]! += y * hermite[row + k]!;
  }
  let kept = 0;
  for (let k = 0; k < terms; k++) kept += into[k]! * into[k]!;
  return { square, left: square > 0 ? Math.max(0, 1 - kept / square) : 0 };
}

/** E f^2 by this order and by another one, for the widest variance: the difference as a part of it. */
function betweenOrders(f: ScalarFunction, variances: Float64Array): number {
  const deviation = Math.sqrt(variances.reduce((m, a) => Math.max(m, a), 0));
  const kinks = deviation > 0 ? f.kinks.map((x) => x / deviation) : [];
  const [one, another] = [order, order - 4].map((points) => {
    const { nodes, weights } = gaussianRule(kinks, points);
    return nodes.reduce((sum, x, q) => sum + weights[q]! * f.value(deviation * x) ** 2, 0);
  }) as [number, number];
  return one > 0 ? Math.abs(one - another) / one : 0;
}

/** Horner's scheme in r for both series at once. */
function sumSeries(pairs: GaussianPairs, of: Coefficients, at: Coefficients): number {
  const { k, from, count, a, aFrom, aStep, b, bFrom } = pairs;
  const { terms } = of;
  let nearest = 0;
  for (let j = 0; j < count; j++) {
    const [i, n] = [aFrom + j * aStep, bFrom + j];
    if (k[from + j] === a[i] && a[i] === b[n]) {
      [pairs.value[from + j], pairs.slope[from + j]] = [of.squares[i]!, of.slopeSquares[i]!];
      continue; // u = v
    }
    const scale = Math.sqrt(a[i]! * b[n]!);
    const r = scale > 0 ? Math.min(1, Math.max(-1, k[from + j]! / scale)) : 0;
    let [value, slope] = [0, 0];
    for (let t = terms - 1, p = i * terms + t, q = n * terms + t; t >= 0; t--, p--, q--) {
      value = value * r + of.value[p]! * at.value[q]!;
      slope = slope * r + of.slope[p]! * at.slope[q]!;
    }
    pairs.value[from + j] = value;
    pairs.slope[from + j] = slope;
    nearest = Math.max(nearest, Math.abs(r));
  }
  return Math.sqrt(of.left * at.left) * nearest ** terms + Math.max(of.between, at.between);
}
