// Risks on a population of finitely many points, where every expectation over samples can be written out.
import type { Random } from "../numbers/random.ts";

/** Points with probabilities, and the loss of each function of a class at each point. */
export interface FinitePopulation {
  readonly probabilities: readonly number[];
  /** losses[f][j] of function f at point j, in [0, 1]. */
  readonly losses: readonly (readonly number[])[];
}

/** sum_j p_j loss_j. */
export const populationRisk = (probabilities: readonly number[], losses: readonly number[]): number =>
  probabilities.reduce((sum, p, j) => sum + p * losses[j]!, 0);

/** (1/m) sum_i loss at the i-th point of the sample. */
export const sampleRisk = (losses: readonly number[], sample: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < sample.length; i++) sum += losses[sample[i]!]!;
  return sum / sample.length;
};

/**
 * The generalization gap R[f] - R_S[f] of each function.
 * @example generalizationGaps({ probabilities: [0.5, 0.5], losses: [[0, 1]] }, [0]) // [0.5]
 */
export const generalizationGaps = (
  { probabilities, losses }: FinitePopulation,
  sample: ArrayLike<number>,
): readonly number[] => losses.map((each) => populationRisk(probabilities, each) - sampleRisk(each, sample));

/**
 * The mean of a quantity over all samples of m points, each with its probability.
 * @example overSamples([0.5, 0.5], 2, (sample) => sample[0] + sample[1]) // 1
 */
export function overSamples(
  probabilities: readonly number[],
  m: number,
  quantity: (sample: Int32Array) => number,
): number {
  const [n, sample] = [probabilities.length, new Int32Array(m)];
  let sum = 0;
  for (let k = 0; k < n ** m; k++) {
    let [rest, probability] = [k, 1];
    for (let i = 0; i < m; i++) {
      sample[i] = rest % n;
      rest = Math.floor(rest / n);
      probability *= probabilities[sample[i]!]!;
    }
    if (probability > 0) sum += probability * quantity(sample);
  }
  return sum;
}

/** sup_f (1/m) sum_i s_i loss_f(i). */
function signedSup(losses: FinitePopulation["losses"], sample: Int32Array, signs: Int8Array): number {
  let greatest = Number.NEGATIVE_INFINITY;
  for (const each of losses) {
    let sum = 0;
    for (let i = 0; i < sample.length; i++) sum += signs[i]! * each[sample[i]!]!;
    greatest = Math.max(greatest, sum / sample.length);
  }
  return greatest;
}

/**
 * The Rademacher complexity R_m: the mean over all samples and all signs.
 * @example populationRademacher({ probabilities: [1], losses: [[0], [1]] }, 1) // 0.5
 */
export function populationRademacher({ probabilities, losses }: FinitePopulation, m: number): number {
  const signs = new Int8Array(m);
  return overSamples(probabilities, m, (sample) => {
    let sum = 0;
    for (let k = 0; k < 2 ** m; k++) {
      for (let i = 0; i < m; i++) signs[i] = (k >> i) & 1 ? 1 : -1;
      sum += signedSup(losses, sample, signs);
    }
    return sum / 2 ** m;
  });
}

/** A sample of m independent points. */
export function drawSample(probabilities: readonly number[], m: number, random: Random): Int32Array {
  return Int32Array.from({ length: m }, () => {
    let u = random.uniform();
    const at = probabilities.findIndex((p) => {
      u -= p;
      return u < 0;
    });
    return at < 0 ? probabilities.length - 1 : at;
  });
}

/** R_m by drawn samples and signs: the mean and its standard error. */
export function drawnRademacher(
  { probabilities, losses }: FinitePopulation,
  m: number,
  { draws, random }: { readonly draws: number; readonly random: Random },
): { readonly value: number; readonly standardError: number } {
  let [sum, squares] = [0, 0];
  for (let k = 0; k < draws; k++) {
    const signs = Int8Array.from({ length: m }, () => (random.uniform() < 0.5 ? -1 : 1));
    const sup = signedSup(losses, drawSample(probabilities, m, random), signs);
    sum += sup;
    squares += sup * sup;
  }
  const value = sum / draws;
  return {
    value,
    standardError: Math.sqrt(Math.max(0, squares / draws - value ** 2) / Math.max(1, draws - 1)),
  };
}
