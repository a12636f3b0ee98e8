// Any kernel by one hidden layer of 2^(d-1) (2^s - 1) units and a fixed output layer (Theorem 6.2).
import { DiscreteError } from "../error.ts";
import type { BeliefNetwork } from "./belief-network.ts";
import { bitsOf, type Kernel } from "./kernel.ts";
import { edgeUnit, gammaOf, type StochasticUnit } from "./unit.ts";

/** Weights double from unit to unit: beyond, sums of them are not exact in doubles. */
export const mostShallowOutputs = 5;

/**
 * Stick breaking (Proposition 6.10): chances 1 - p_i that unit i = 1 ... N is on, such that the largest index that is on has
 * the law q_0 ... q_N: p_i = Q_{i-1} / Q_i with Q_i = q_0 + ... + q_i.
 * @example stickBreaking([0.25, 0.25, 0.5]) // [0.5, 0.5]
 */
export function stickBreaking(q: ArrayLike<number>): number[] {
  let total = q[0]!;
  return Array.from({ length: q.length - 1 }, (_, k) => {
    const before = total;
    total += q[k + 1]!;
    return total > 0 ? 1 - before / total : 0;
  });
}

/**
 * The way back: the law of the largest index that is on.
 * @example largestIndexLaw([0.5, 0.5]) // [0.25, 0.25, 0.5]
 */
export function largestIndexLaw(on: readonly number[]): number[] {
  const tail = (from: number): number => on.slice(from).reduce((product, p) => product * (1 - p), 1);
  return [tail(0), ...on.map((p, k) => p * tail(k + 1))];
}

/** Bits of the largest index l that is on, by weights +-2^l gamma (Lemma 6.8); each block of N units the same. */
export function largestIndexLayer(outputs: number, blocks: number, eps: number): readonly StochasticUnit[] {
  const gamma = gammaOf(eps);
  const N = 2 ** outputs - 1;
  return Array.from({ length: outputs }, (_, r) => ({
    bias: -gamma,
    reads: Array.from({ length: blocks * N }, (_, column): readonly [number, number] => {
      const l = (column % N) + 1;
      return [column, gamma * 2 ** l * (bitsOf(l, outputs)[r] === 1 ? 1 : -1)];
    }),
  }));
}

/**
 * 2^(d-1) (2^s - 1) hidden units, and the outputs.
 * @example shallowUnits({ inputs: 1, outputs: 2 }) // 5
 */
export const shallowUnits = ({ inputs, outputs }: Pick<Kernel, "inputs" | "outputs">): number =>
  2 ** (inputs - 1) * (2 ** outputs - 1) + outputs;

/**
 * The shallow network of a kernel; each unit errs with probability eps at most.
 * @example shallowNetwork(kernelOf([[0.5, 0.5], [1, 0]]), 0.001).layers.map((l) => l.length) // [1, 1]
 */
export function shallowNetwork({ inputs, outputs, rows }: Kernel, eps: number): BeliefNetwork {
  if (inputs < 1)
    throw new DiscreteError("a shallow network has an input bit at least: without inputs take --depth 0");
  if (outputs > mostShallowOutputs)
    throw new DiscreteError(
      `a shallow network of ${outputs} outputs has weights up to 2^${2 ** outputs - 1}: with over ${mostShallowOutputs} take --depth 0 ... ${inputs}`,
    );
  const sticks = rows.map(stickBreaking);
  const hidden = Array.from({ length: 2 ** (inputs - 1) }, (_, pair) =>
    sticks[2 * pair]!.map((low, k) =>
      edgeUnit(bitsOf(2 * pair, inputs), low, sticks[2 * pair + 1]![k]!, eps),
    ),
  ).flat();
  return { inputs, layers: [hidden, largestIndexLayer(outputs, 2 ** (inputs - 1), eps)] };
}
