// What a random layer makes of a function: E f(u) f(v) and E f'(u) f'(v) for a Gaussian pair (u, v) of mean 0.

import { angle, type PairFormula, plainNumbers } from "./pair-formula.ts";

/**
 * Pairs, one after the other: pair j has the covariance k[from + j], the variance a[aFrom + j aStep] of u (aStep is 0 where
 * u is the same in all pairs) and b[bFrom + j] of v. What is found stands at `from + j` of `value` and `slope`.
 */
export interface GaussianPairs {
  readonly k: Float64Array;
  readonly from: number;
  readonly count: number;
  readonly a: Float64Array;
  readonly aFrom: number;
  readonly aStep: 0 | 1;
  readonly b: Float64Array;
  readonly bFrom: number;
  readonly value: Float64Array;
  readonly slope: Float64Array;
}

/**
 * Writes E f(u) f(v) into `value` and E f'(u) f'(v) into `slope`. Gives an estimate of the error as a part of
 * sqrt(E f(u)^2 E f(v)^2): 0 for a closed form.
 */
export interface Dual {
  (pairs: GaussianPairs): number;
  /** The closed form, where it needs nothing but arithmetic and roots. */
  readonly formula?: PairFormula;
}

/** A number from the covariance k and the variances a and b. */
export type OfPair = (k: number, a: number, b: number) => number;

/**
 * The dual of a closed form that is cheap to say pair by pair.
 * @example expectations(pointwise((k, a, b) => a * b + 2 * k * k, (k) => 4 * k), 0.5, 1, 1) // { value: 1.5, slope: 2 }
 */
export const pointwise =
  (value: OfPair, slope: OfPair): Dual =>
  (pairs) => {
    const { k, from, count, a, aFrom, aStep, b, bFrom } = pairs;
    for (let j = 0; j < count; j++) {
      const [c, s, t] = [k[from + j]!, a[aFrom + j * aStep]!, b[bFrom + j]!];
      pairs.value[from + j] = value(c, s, t);
      pairs.slope[from + j] = slope(c, s, t);
    }
    return 0;
  };

/**
 * Both expectations for one pair.
 * @example expectations(library.relu.dual(0), 1, 1, 1) // { value: 0.5, slope: 0.5 }
 */
export function expectations(
  dual: Dual,
  k: number,
  a: number,
  b: number,
): { readonly value: number; readonly slope: number } {
  const [value, slope] = [new Float64Array(1), new Float64Array(1)];
  const one = (x: number): Float64Array => Float64Array.of(x);
  const places = { from: 0, count: 1, aFrom: 0, aStep: 0, bFrom: 0 } as const;
  dual({ k: one(k), a: one(a), b: one(b), ...places, value, slope });
  return { value: value[0]!, slope: slope[0]! };
}

/** The dual of a formula. */
export function dualOf(formula: PairFormula): Dual {
  return Object.assign(
    pairByPair((k, a, b) => formula(plainNumbers, k, a, b)),
    { formula },
  );
}

/** The same for a function with f(t x) = t f(x), t > 0: squares of what is very small or large are neither 0 nor infinite. */
function dualAtAnySize(formula: PairFormula): Dual {
  const dual = pairByPair((k, a, b) => {
    const [s, t] = [scaleOf(a), scaleOf(b)];
    const { value, slope } = formula(plainNumbers, k * s * t, a * s * s, b * t * t);
    return { value: value / s / t, slope };
  });
  return Object.assign(dual, { formula });
}

/** A power of two that brings a variance near 1 when it multiplies the deviation; 1 for moderate ones, and for 0. */
const scaleOf = (variance: number): number =>
  variance === 0 || (variance > 1e-70 && variance < 1e70) ? 1 : 2 ** -Math.round(Math.log2(variance) / 2);

const pairByPair =
  (of: (k: number, a: number, b: number) => { readonly value: number; readonly slope: number }) =>
  ({ k, from, count, a, aFrom, aStep, b, bFrom, value, slope }: GaussianPairs): number => {
    for (let j = 0; j < count; j++) {
      const found = of(k[from + j]!, a[aFrom + j * aStep]!, b[bFrom + j]!);
      value[from + j] = found.value;
      slope[from + j] = found.slope;
    }
    return 0;
  };

/**
 * l x below 0 and r x above: with p = (l + r) / 2, q = (r - l) / 2 and the angle t = arccos(k / sqrt(a b)), the function is
 * p x + q |x|, and E f f = p^2 k + q^2 (2 / pi) (sqrt(a b - k^2) + (pi / 2 - t) k), E f' f' = p^2 + q^2 (2 / pi) (pi / 2 - t).
 */
export function twoSlopes(left: number, right: number): Dual {
  const [p, q] = [((left + right) / 2) ** 2, ((right - left) / 2) ** 2 * (2 / Math.PI)];
  return dualAtAnySize((of, k, a, b) => {
    const { number, plus, times } = of;
    const square = of.minus(times(a, b), times(k, k));
    const sine = of.root(of.greater(square, number(0)));
    const turn = angle(of, k, sine, times(of.root(a), of.root(b)));
    return {
      value: plus(times(number(p), k), times(number(q), plus(sine, times(turn, k)))),
      slope: plus(number(p), times(number(q), turn)),
    };
  });
}

/** n! / (((n - j) / 2)! 2^((n - j) / 2)) / sqrt(j!), for j = n, n - 2, ...: x^n in normalized Hermite polynomials. */
function hermiteCoefficients(n: number): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  const factorial = (m: number): number => (m <= 1 ? 1 : m * factorial(m - 1));
  for (let j = n; j >= 0; j -= 2) {
    const half = (n - j) / 2;
    found.push([j, factorial(n) / (factorial(half) * 2 ** half) / Math.sqrt(factorial(j))]);
  }
  return found;
}

/**
 * x^n: E u^n v^n = sum_j c_j^2 (a b)^((n - j) / 2) k^j, and the slope is n^2 times the same for n - 1.
 * @example expectations(monomialDual(2), 0.5, 1, 1) // { value: 1.5, slope: 2 }
 */
export function monomialDual(n: number): Dual {
  const moment = (m: number): OfPair => {
    const terms = hermiteCoefficients(m);
    return (k, a, b) => terms.reduce((sum, [j, c]) => sum + c * c * (a * b) ** ((m - j) / 2) * k ** j, 0);
  };
  const below = n > 0 ? moment(n - 1) : () => 0;
  return pointwise(moment(n), (k, a, b) => n * n * below(k, a, b));
}
