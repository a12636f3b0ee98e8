// Descent on both layers of a small network whose inputs are as large and as telling as the features of an epoch task.

import type { Random } from "../../numbers/random.ts";
import type { EpochTask } from "./epochs.ts";

type Signs = readonly number[];

/** All vectors of n signs. */
const cube = (n: number): readonly Signs[] =>
  Array.from({ length: 2 ** n }, (_, k) => Array.from({ length: n }, (__, j) => ((k >> j) & 1 ? 1 : -1)));

/** Eight examples on which four inputs are orthogonal, and no product of three of them is the fourth. */
const examples = cube(4).filter(([a, b, , d]) => d === a! * b!);

/** Sixteen noises of one size with mean 0 and uncorrelated entries: rows of Sylvester's matrix, and their negatives. */
const noises = examples.flatMap((_, k) => {
  const row = examples.map((__, i) => ([0, 1, 1, 0, 1, 0, 0, 1][k & i]! ? -1 : 1)); // the parity of k & i
  return [row, row.map((v) => -v)];
});

/** How many hidden units, and the deviation of the weights that they start with; the outer weights start at 0. */
export interface EpochNetwork {
  readonly width: number;
  readonly deviation: number;
}

/**
 * The outer weights alone learn small inputs like a linear model whose rate is eta times this, as long as the inner ones stay.
 * @example tangentRate({ width: 16, deviation: 0.25 }) // 1
 */
export const tangentRate = ({ width, deviation }: EpochNetwork): number => width * deviation ** 2;

/**
 * The mean excess risk after these numbers of steps (ascending), over all inputs of the cube and the sixteen noises, of
 * networks sum_u a_u tanh(<w_u, x>) with four inputs; the task has four features and eight examples.
 * @example networkRisks({ features: Array(4).fill({ energy: 1, target: 1 }), noise: 0, rate: 0.1 }, { width: 8, deviation: 0.2 }, [0], createRandom(1)) // [4]
 */
export function networkRisks(
  { features, noise, rate }: Pick<EpochTask, "features" | "noise" | "rate">,
  { width, deviation }: EpochNetwork,
  after: readonly number[],
  random: Random,
): readonly number[] {
  const input = (signs: Signs): Float64Array =>
    Float64Array.from(signs, (s, j) => s * Math.sqrt(features[j]!.energy));
  const truth = (x: Float64Array): number => features.reduce((sum, f, j) => sum + f.target * x[j]!, 0);
  const everywhere = cube(features.length).map(input);
  const seen = examples.map(input);
  const risks = after.map(() => 0);
  for (const pattern of noises) {
    const y = seen.map((x, i) => truth(x) + Math.sqrt(noise) * pattern[i]!);
    const network = smallNetwork(features.length, width, deviation, random);
    let done = 0;
    after.forEach((count, k) => {
      for (; done < count; done++) network.step(seen, y, rate);
      for (const x of everywhere)
        risks[k]! += (network.value(x) - truth(x)) ** 2 / (everywhere.length * noises.length);
    });
  }
  return risks;
}

/** sum_u a_u tanh(<w_u, x>) and its gradient by hand: thousands of steps on eight examples. */
function smallNetwork(dimension: number, width: number, deviation: number, random: Random) {
  const W = random.normal(width * dimension).map((v) => deviation * v);
  const a = new Float64Array(width);
  const hidden = (x: Float64Array, u: number): number => {
    let sum = 0;
    for (let j = 0; j < dimension; j++) sum += W[u * dimension + j]! * x[j]!;
    return Math.tanh(sum);
  };
  const value = (x: Float64Array): number => a.reduce((sum, v, u) => sum + v * hidden(x, u), 0);
  return {
    value,
    /** theta - eta grad (1/m) sum_i (f(x_i) - y_i)^2 */
    step(seen: readonly Float64Array[], y: readonly number[], rate: number): void {
      const [ofA, ofW] = [new Float64Array(width), new Float64Array(W.length)];
      seen.forEach((x, i) => {
        const error = (2 * rate * (value(x) - y[i]!)) / seen.length;
        for (let u = 0; u < width; u++) {
          const h = hidden(x, u);
          ofA[u]! += error * h;
          const inner = error * a[u]! * (1 - h * h);
          for (let j = 0; j < dimension; j++) ofW[u * dimension + j]! += inner * x[j]!;
        }
      });
      for (let u = 0; u < width; u++) a[u]! -= ofA[u]!;
      for (let w = 0; w < W.length; w++) W[w]! -= ofW[w]!;
    },
  };
}
