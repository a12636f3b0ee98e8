// The data and the settings with which small networks show double descent: more units, more examples, more steps.

import { effectiveComplexity } from "../../generalization/double-descent/effective-complexity.ts";
import type { EpochTask } from "../../generalization/double-descent/epochs.ts";
import {
  type EpochNetwork,
  networkRisks,
  tangentRate,
} from "../../generalization/double-descent/network-epochs.ts";
import { fitNetwork } from "../../generalization/double-descent/networks.ts";
import { networkWeights } from "../../generalization/double-descent/small-network.ts";
import type { Random } from "../../numbers/random.ts";

const inputs = 10;

/** y = x_1 at normal inputs, and noise as large as what there is to learn. */
function taught(count: number, deviation: number, random: Random) {
  const x = Array.from({ length: count }, () => random.normal(inputs));
  return { x, y: x.map((v) => v[0]! + deviation * random.normal()) };
}

export interface Errors {
  readonly test: number;
  readonly train: number;
}

/** Medians of training and test error over fresh data and fresh starts; draws is odd. */
export function networkErrors(width: number, examples: number, draws: number, random: Random): Errors {
  const tests = taught(100, 0, random);
  const found = Array.from({ length: draws }, () => {
    const fit = fitNetwork(width, taught(examples, 1, random), random);
    const test = tests.x.reduce((sum, v, i) => sum + (fit.value(v) - tests.y[i]!) ** 2, 0) / tests.x.length;
    return { test, train: fit.error };
  });
  const median = (of: (e: Errors) => number): number => found.map(of).toSorted((a, b) => a - b)[draws >> 1]!;
  return { test: median((e) => e.test), train: median((e) => e.train) };
}

/** So many units get more and more examples; wider and wider networks get so many examples. */
export const [fixedWidth, fixedExamples, widest] = [2, 30, 32];
export const fixedWeights = networkWeights(fixedWidth, inputs);
export const weightsOf = (width: number): number => networkWeights(width, inputs);
/** A network fits below this training error; the noise has 1. */
const fitsBelow = 1e-3;
const draws = 9;

/** Where training stops to fit, by training errors alone, and where test errors are worst, by those of fresh networks. */
export async function networkPeaks(random: Random) {
  const train = (width: number, count: number): number => networkErrors(width, count, 3, random).train;
  const worst = (sizes: readonly number[], test: (size: number) => Errors): number => {
    const errors = sizes.map((size) => test(size).test);
    return sizes[errors.indexOf(Math.max(...errors))]!;
  };
  let fits = 1;
  while (fits < widest && train(fits, fixedExamples) > fitsBelow) fits++;
  const complexity = await effectiveComplexity((count) => train(fixedWidth, count), {
    ...{ eps: fitsBelow, greatest: 2 * fixedWeights },
  });
  return {
    ...{ fits, complexity },
    byWidth: worst([1, fits, widest], (width) => networkErrors(width, fixedExamples, draws, random)),
    byCount: worst([Math.ceil(complexity / 8), complexity, 4 * complexity], (count) =>
      networkErrors(fixedWidth, count, draws, random),
    ),
  };
}

/** Both layers learn, the outer one from 0: faster than the linear model, as soon as the inner one grows. */
const epochNetwork: EpochNetwork = { width: 16, deviation: 0.25 };
export const epochUnits = epochNetwork.width;

/** Three fast features, and a slow one with more to tell, in noise that overfits the fast ones. */
const timeTask: EpochTask = {
  features: [1, 1, 1, 0.02].map((energy) => ({
    energy,
    target: Math.sqrt((energy === 1 ? 0.5 : 4) / energy),
  })),
  ...{ m: 8, noise: 6, rate: 0.05 },
};

/** What the network would be if its inner weights stayed and its units were linear. */
export const linearInTime: EpochTask = { ...timeTask, rate: timeTask.rate * tangentRate(epochNetwork) };

export const risksInTime = (after: readonly number[], random: Random): readonly number[] =>
  networkRisks(timeTask, epochNetwork, after, random);
