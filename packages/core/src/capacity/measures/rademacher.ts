// Empirical Rademacher complexities that can be computed: of balls of linear functions, and of finite lists of functions.
import type { Random } from "../../engine/random.ts";

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

export interface SignOptions {
  readonly random: Random;
  /** Sign vectors to draw. */
  readonly draws?: number;
}

/** Up to this many examples all signs are taken. */
export const enumerationLimit = 12;

/** The mean of sup(signs) over signs in {-1, 1}^n: all of them for few examples, else drawn ones. */
function overSigns(
  n: number,
  sup: (signs: Int8Array) => number,
  { random, draws = 64 }: SignOptions,
): Pick<SignAverage, "value" | "standardError"> {
  const isSmall = n <= enumerationLimit;
  const count = isSmall ? 2 ** n : draws;
  const signs = new Int8Array(n);
  let [sum, squares] = [0, 0];
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < n; i++) signs[i] = (isSmall ? (k >> i) & 1 : random.uniform() < 0.5) ? 1 : -1;
    const value = sup(signs);
    sum += value;
    squares += value * value;
  }
  const mean = sum / count;
  const variance = Math.max(0, squares / count - mean * mean) / Math.max(1, count - 1);
  return { value: mean, standardError: isSmall ? 0 : Math.sqrt(variance) };
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
  return { ...overSigns(examples, sup, options), upper: (radius / examples) * Math.sqrt(squares) };
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
  return { ...overSigns(examples, sup, options), upper };
}

/**
 * Of a finite list of functions by their values on the sample: E max_f (1/n) <s, f>, at most (Massart)
 * max_f |f|_2 sqrt(2 ln(count)) / n.
 * @example finiteRademacher([[0], [1]], { random: createRandom(1) }).value // 0.5
 */
export function finiteRademacher(values: readonly ArrayLike<number>[], options: SignOptions): SignAverage {
  const n = values[0]?.length ?? 0;
  if (n === 0) throw new RangeError("a Rademacher complexity needs a function and an example");
  const short = values.findIndex((f) => f.length !== n);
  if (short >= 0) throw new RangeError(`function ${short + 1} has ${values[short]!.length} values, not ${n}`);
  const sup = (signs: Int8Array): number => {
    let greatest = Number.NEGATIVE_INFINITY;
    for (const f of values) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += signs[i]! * f[i]!;
      greatest = Math.max(greatest, sum / n);
    }
    return greatest;
  };
  let longest = 0;
  for (const f of values) longest = Math.max(longest, Math.hypot(...Array.from(f)));
  return { ...overSigns(n, sup, options), upper: (longest * Math.sqrt(2 * Math.log(values.length))) / n };
}
