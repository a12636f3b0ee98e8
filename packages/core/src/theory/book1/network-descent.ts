// The data and the settings with which small networks show double descent: more units, more examples, more steps.

import { type EpochTask, epochRisk } from "../../generalization/double-descent/epochs.ts";
import {
  type EpochNetwork,
  networkRisks,
  tangentRate,
} from "../../generalization/double-descent/network-epochs.ts";
import { fitPairs } from "../../generalization/double-descent/networks.ts";
import type { Random } from "../../numbers/random.ts";
import { meanSquare, type Point } from "../../train/levenberg-marquardt.ts";

export const networkDimension = 4;
const noise = 0.5;

/** y = sin(x_1) + x_2 and noise, at normal inputs. */
const taught = (count: number, deviation: number, random: Random): readonly Point[] =>
  Array.from({ length: count }, () => {
    const x = [...random.normal(networkDimension)];
    return { x, y: Math.sin(x[0]!) + x[1]! + deviation * random.normal() };
  });

export interface Errors {
  readonly test: number;
  readonly train: number;
}

/** Medians of training and test error over fresh data and fresh starts; draws is odd. */
export function networkErrors(
  { pairs, examples }: { readonly pairs: number; readonly examples: number },
  draws: number,
  random: Random,
): Errors {
  const tests = taught(60, 0, random);
  const found = Array.from({ length: draws }, () => {
    const data = taught(examples, noise, random);
    const layers = fitPairs(pairs, data, random);
    return { test: meanSquare(layers, "tanh", tests), train: meanSquare(layers, "tanh", data) };
  });
  const median = (of: (e: Errors) => number): number => found.map(of).toSorted((a, b) => a - b)[draws >> 1]!;
  return { test: median((e) => e.test), train: median((e) => e.train) };
}

export const epochNetwork: EpochNetwork = { width: 16, deviation: 0.2 };

/** Three fast features with little to tell, and a slow one with much, in noise that fast ones overfit. */
const timeTask: EpochTask = {
  features: [1, 1, 1, 0.005].map((energy) => ({
    energy,
    target: Math.sqrt((energy === 1 ? 0.2 : 3) / energy),
  })),
  ...{ m: 8, noise: 2, rate: 0.1 },
};

/** What the network would be if its inner weights stayed and its units were linear. */
export const linearInTime: EpochTask = { ...timeTask, rate: timeTask.rate * tangentRate(epochNetwork) };

export const risksInTime = (after: readonly number[], random: Random): readonly number[] =>
  networkRisks(timeTask, epochNetwork, after, random);

/** The steps at which the linear model's risk is least for a while, then greatest for a while. */
export function valleyAndPeak(task: EpochTask): readonly [number, number] {
  const falls = (k: number): boolean => epochRisk(task, k + 1) < epochRisk(task, k);
  let valley = 0;
  while (falls(valley)) valley++;
  let peak = valley;
  while (!falls(peak)) peak++;
  return [valley, peak];
}
