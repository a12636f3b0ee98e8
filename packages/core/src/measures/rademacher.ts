// Empirical Rademacher complexities of balls of linear functions; those of finite lists are in bounds/rademacher.ts.
import { overSigns, type SignOptions, standardErrorOf } from "../numbers/signs.ts";

export interface SignAverage {
  /** The mean over drawn (or all) signs. */
  readonly value: number;
  /** Of the mean; 0 where all signs were taken. */
  readonly standardError: number;
  /** An upper bound in closed form (Jensen, Massart). */
  readonly upper: number;
}

/** Rows of numbers, one an example. */
export interface FeatureRows {
  readonly examples: number;
  readonly width: number;
  readonly rows: ArrayLike<number>;
}

/** The mean of sup(signs) over all signs for few examples, else over drawn ones. */
function signAverage(
  n: number,
  sup: (signs: Int8Array) => number,
  options: SignOptions,
): Pick<SignAverage, "value" | "standardError"> {
  let [sum, squares] = [0, 0];
  const { count, all } = overSigns(
    n,
    (signs) => {
      const value = sup(signs);
      sum += value;
      squares += value * value;
    },
    options,
  );
  return { value: sum / count, standardError: all ? 0 : standardErrorOf(sum, squares, count) };
}

/** sum_i signs_i row_i. */
function signedSum({ examples, width, rows }: FeatureRows, signs: Int8Array, into: Float64Array): void {
  into.fill(0);
  for (let i = 0; i < examples; i++) {
    const sign = signs[i]!;
    const from = i * width;
    for (let j = 0; j < width; j++) into[j]! += sign * rows[from + j]!;
  }
}

/**
 * Of x -> <w, x> with |w|_2 <= B: (B / n) E |sum_i s_i x_i|_2, at most (B / n) sqrt(sum_i |x_i|^2).
 * @example linearRademacher({ examples: 1, width: 2, rows: [3, 4] }, 2, { random: createRandom(1) }).value // 10
 */
export function linearRademacher(features: FeatureRows, radius: number, options: SignOptions): SignAverage {
  const { examples, width, rows } = features;
  const sum = new Float64Array(width);
  const sup = (signs: Int8Array): number => {
    signedSum(features, signs, sum);
    return (radius / examples) * Math.sqrt(sum.reduce((s, v) => s + v * v, 0));
  };
  let squares = 0;
  for (let k = 0; k < examples * width; k++) squares += rows[k]! ** 2;
  return { ...signAverage(examples, sup, options), upper: (radius / examples) * Math.sqrt(squares) };
}

/**
 * Of x -> <w, x> with |w|_1 <= B: (B / n) E max_j |sum_i s_i x_ij|, at most (B / n) max_j |x_j| sqrt(2 ln(2 d)).
 * @example sparseRademacher({ examples: 1, width: 2, rows: [3, 4] }, 2, { random: createRandom(1) }).value // 8
 */
export function sparseRademacher(features: FeatureRows, radius: number, options: SignOptions): SignAverage {
  const { examples, width, rows } = features;
  const sum = new Float64Array(width);
  const sup = (signs: Int8Array): number => {
    signedSum(features, signs, sum);
    return (radius / examples) * sum.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  };
  const columns = new Float64Array(width);
  for (let k = 0; k < examples * width; k++) columns[k % width]! += rows[k]! ** 2;
  const longest = Math.sqrt(columns.reduce((a, b) => Math.max(a, b), 0));
  const upper = (radius / examples) * longest * Math.sqrt(2 * Math.log(2 * width));
  return { ...signAverage(examples, sup, options), upper };
}
