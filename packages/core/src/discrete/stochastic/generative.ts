// Any distribution of s bits by 2^(s-1) - 1 independent hidden units and a free output layer (Proposition 6.12).
import { DiscreteError } from "../error.ts";
import type { BeliefNetwork } from "./belief-network.ts";
import { largestIndexLayer, stickBreaking } from "./shallow.ts";
import { clip, logit, type StochasticUnit } from "./unit.ts";

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));
/** Lists of partial sums double from unit to unit. */
const mostOutputs = 5;

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

/**
 * The network without inputs of a distribution of s bits; units err with probability eps at most.
 * @example generativeNetwork([0.1, 0.2, 0.3, 0.4], 0.001).layers.map((l) => l.length) // [1, 2]
 */
export function generativeNetwork(law: ArrayLike<number>, eps: number): BeliefNetwork {
  const s = Math.log2(law.length);
  if (!(Number.isInteger(s) && s >= 2 && s <= mostOutputs))
    throw new DiscreteError(`a network for a distribution has 2 ... ${mostOutputs} output bits`);
  const pairs = Array.from({ length: law.length / 2 }, (_, l) => law[2 * l]! + law[2 * l + 1]!);
  const on = stickBreaking(pairs).map((p) => clip(p, eps));
  const chances = pairs.map((mass, l) => clip(mass > 0 ? law[2 * l + 1]! / mass : 1 / 2, eps));
  const [bias, ...weights] = lastBitWeights(on, chances);
  const last: StochasticUnit = { bias: bias!, reads: weights.map((w, column) => [column, w]) };
  return {
    inputs: 0,
    layers: [on.map((p) => ({ bias: logit(p), reads: [] })), [...largestIndexLayer(s - 1, 1, eps), last]],
  };
}
