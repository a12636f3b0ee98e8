// Descent on both layers of a small network whose inputs are as large and as telling as the features of an epoch task.

import type { Random } from "../../numbers/random.ts";
import type { EpochTask } from "./epochs.ts";
import { networkValue, networkWeights } from "./small-network.ts";

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

/** sum_u a_u tanh(<w_u, x>): descent on both layers. */
function smallNetwork(inputs: number, width: number, deviation: number, random: Random) {
  const weights = new Float64Array(networkWeights(width, inputs));
  weights.set(random.normal(width * inputs).map((v) => deviation * v));
  const network = { inputs, width, weights };
  const gradient = new Float64Array(weights.length);
  const [b, a] = [width * inputs, width * (inputs + 1)];
  return {
    value: (x: Float64Array): number => networkValue(network, x),
    /** theta - eta grad (1/m) sum_i (f(x_i) - y_i)^2, but for the two biases, which stay 0 */
    step(seen: readonly Float64Array[], y: readonly number[], rate: number): void {
      const total = new Float64Array(weights.length);
      seen.forEach((x, i) => {
        const error = ((networkValue(network, x, gradient) - y[i]!) * 2 * rate) / seen.length;
        for (let p = 0; p < total.length; p++) total[p]! += error * gradient[p]!;
      });
      total.fill(0, b, a)[total.length - 1] = 0;
      for (let p = 0; p < total.length; p++) weights[p]! -= total[p]!;
    },
  };
}
