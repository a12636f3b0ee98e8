// Networks whose output layer is free as well: any distribution of s bits by 2^(s-1) - 1 independent hidden units
// (Proposition 6.12), any kernel of d bits by such units for each input and one more for each input but one.
import { DiscreteError } from "../error.ts";
import type { BeliefNetwork } from "./belief-network.ts";
import { bitsOf, type Kernel } from "./kernel.ts";
import { largestIndexLayer, stickBreaking } from "./shallow.ts";
import { clip, logit, matchUnit, type StochasticUnit } from "./unit.ts";

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));
/** Lists of partial sums double from unit to unit: so many outputs, and so many sums for all inputs. */
export const [mostFreeOutputs, mostSums] = [5, 2 ** 22];

/** z with mean sigma(z + a) = chance over these a with these weights: bisection, since it grows in z. */
function tuned(sums: readonly (readonly [a: number, weight: number])[], chance: number): number {
  const mean = (z: number): number => sums.reduce((total, [a, w]) => total + w * sigma(z + a), 0);
  const reach = sums.reduce((m, [a]) => Math.max(m, Math.abs(a)), 0) + Math.abs(logit(chance));
  let [low, high] = [-reach - 1, reach + 1];
  for (let k = 0; k < 100; k++) {
    const middle = (low + high) / 2;
    if (mean(middle) < chance) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The weights mu_0, ..., mu_N of the last output bit: given that the largest hidden index that is on is l, the bit is on with
 * chance t_l, whatever smaller units are. mu_l is tuned after mu_0, ..., mu_{l-1}, on which it has no influence.
 * @example lastBitWeights([0.5], [0.5, 0.5])[0] // 0
 */
export function lastBitWeights(on: readonly number[], chances: readonly number[]): number[] {
  const weights = [logit(chances[0]!)];
  let sums: (readonly [number, number])[] = [[weights[0]!, 1]];
  on.forEach((p, k) => {
    const mu = tuned(sums, chances[k + 1]!);
    weights.push(mu);
    sums = sums.flatMap(([a, w]) => [[a, w * (1 - p)] as const, [a + mu, w * p] as const]);
  });
  return weights;
}

/** Chances of the hidden units, and the weights of the last output bit, for one distribution. */
function freeWeights(law: ArrayLike<number>, eps: number) {
  const pairs = Array.from({ length: law.length / 2 }, (_, l) => law[2 * l]! + law[2 * l + 1]!);
  const on = stickBreaking(pairs).map((p) => clip(p, eps));
  const chances = pairs.map((mass, l) => clip(mass > 0 ? law[2 * l + 1]! / mass : 1 / 2, eps));
  return { on, weights: lastBitWeights(on, chances) };
}

/**
 * The network without inputs of a distribution of s bits; units err with probability eps at most.
 * @example generativeNetwork([0.1, 0.2, 0.3, 0.4], 0.001).layers.map((l) => l.length) // [1, 2]
 */
export function generativeNetwork(law: ArrayLike<number>, eps: number): BeliefNetwork {
  const s = Math.log2(law.length);
  if (!(Number.isInteger(s) && s >= 2 && s <= mostFreeOutputs))
    throw new DiscreteError(`a network for a distribution has 2 ... ${mostFreeOutputs} output bits`);
  const { on, weights } = freeWeights(law, eps);
  const [bias, ...others] = weights;
  const last: StochasticUnit = { bias: bias!, reads: others.map((w, column) => [column, w]) };
  return {
    inputs: 0,
    layers: [on.map((p) => ({ bias: logit(p), reads: [] })), [...largestIndexLayer(s - 1, 1, eps), last]],
  };
}

/** Whether the weights of a free output layer can be found in some seconds. */
export const hasFreeOutputs = ({ inputs, outputs }: Pick<Kernel, "inputs" | "outputs">): boolean =>
  outputs <= mostFreeOutputs && 2 ** (inputs + 2 ** (outputs - 1) - 1) <= mostSums && inputs + outputs >= 2;

/**
 * 2^(d+s-1) - 1 hidden units, and the outputs.
 * @example freeOutputUnits({ inputs: 1, outputs: 2 }) // 5
 */
export const freeOutputUnits = ({ inputs, outputs }: Pick<Kernel, "inputs" | "outputs">): number =>
  2 ** (inputs + outputs - 1) - 1 + outputs;

/**
 * The network of a kernel with a free output layer. Each input has a block of 2^(s-1) - 1 units, which are off for all others, and
 * each but the first a unit that says that it is there: without these the last output bit could not depend on the input where all
 * hidden units are off, and Theorem 6.4, which has none, is false. Units err with probability eps at most.
 * @example freeOutputNetwork(kernelOf([[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]]), 0.001).layers.map((l) => l.length) // [3, 2]
 */
export function freeOutputNetwork({ inputs, outputs, rows }: Kernel, eps: number): BeliefNetwork {
  if (!hasFreeOutputs({ inputs, outputs }))
    throw new DiscreteError(
      `a free output layer of ${outputs} bits for ${inputs} bits in is too large to be found: take --depth 0 ... ${inputs}`,
    );
  if (inputs === 0) return generativeNetwork(rows[0]!, eps);
  const columns = Array.from({ length: inputs }, (_, k) => k);
  const block = 2 ** (outputs - 1) - 1;
  const free = rows.map((row) => freeWeights(row, eps));
  const hidden = [
    ...free.flatMap(({ on }, x) => on.map((p) => matchUnit(columns, bitsOf(x, inputs), eps, p))),
    ...rows.slice(1).map((_, x) => matchUnit(columns, bitsOf(x + 1, inputs), eps)),
  ];
  const bias = free[0]!.weights[0]!;
  const last: StochasticUnit = {
    bias,
    reads: [
      ...free.flatMap(({ weights }, x) => weights.slice(1).map((w, l) => [x * block + l, w] as const)),
      ...free.slice(1).map(({ weights }, x) => [rows.length * block + x, weights[0]! - bias] as const),
    ],
  };
  return { inputs, layers: [hidden, [...largestIndexLayer(outputs - 1, rows.length, eps), last]] };
}
