// Low-degree learning (Linial, Mansour, Nisan): the coefficients of low degree are averages over random examples.
import type { Random } from "../../numbers/random.ts";
import { DiscreteError } from "../error.ts";
import { bitCount } from "./spectrum.ts";

export interface LearnedPolynomial {
  /** The sets S as bit masks, and the estimates of fhat(S). */
  readonly sets: readonly number[];
  readonly coefficients: Float64Array;
}

/**
 * All sets of at most `degree` of n variables, as bit masks.
 * @example lowDegreeSets(3, 1) // [0, 1, 2, 4]
 */
export const lowDegreeSets = (n: number, degree: number): readonly number[] =>
  Array.from({ length: 2 ** n }, (_, S) => S).filter((S) => bitCount(S) <= degree);

const character = (S: number, x: number): number => 1 - 2 * (bitCount(S & x) & 1);

/**
 * The estimates mean_t f(x_t) chi_S(x_t) of all coefficients of at most this degree, from uniform examples.
 * @example learnLowDegree((x) => 1 - 2 * (x & 1), 4, 1, 100, createRandom(1)).coefficients[1] // 1
 */
export function learnLowDegree(
  f: (x: number) => number,
  n: number,
  degree: number,
  examples: number,
  random: Random,
): LearnedPolynomial {
  if (!(n >= 0 && n <= 24)) throw new DiscreteError(`low-degree learning takes 0 to 24 variables, not ${n}`);
  const sets = lowDegreeSets(n, degree);
  const coefficients = new Float64Array(sets.length);
  for (let t = 0; t < examples; t++) {
    const x = random.integer(0, 2 ** n - 1);
    const y = f(x);
    sets.forEach((S, k) => {
      coefficients[k]! += y * character(S, x);
    });
  }
  return { sets, coefficients: coefficients.map((sum) => sum / examples) };
}

/**
 * The value of a learned polynomial at a point.
 * @example predict({ sets: [1], coefficients: new Float64Array([2]) }, 1) // -2
 */
export const predict = ({ sets, coefficients }: LearnedPolynomial, x: number): number =>
  sets.reduce((sum, S, k) => sum + coefficients[k]! * character(S, x), 0);
