// Gradient descent on the squared risk of a network with one hidden layer, and how far it goes.

import type { ShallowNetwork } from "../shallow-network.ts";
import { type Examples, type FlatWeights, flatWeights, squaredRiskOf } from "./squared-risk.ts";

export interface DescentOptions {
  readonly eta: number;
  readonly steps: number;
  /** Ends where the risk is no greater. */
  readonly until?: number;
}

/** Where descent was after 0, 1, 2, ... steps. */
export interface Descent {
  readonly risks: readonly number[];
  /** From the start, over both layers. */
  readonly distances: readonly number[];
  readonly end: ShallowNetwork;
}

const moved = (theta: Float64Array, slope: Float64Array, eta: number): Float64Array => {
  const next = new Float64Array(theta.length);
  for (let k = 0; k < next.length; k++) next[k] = theta[k]! - eta * slope[k]!;
  return next;
};

function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k]! - b[k]!) ** 2;
  return sum;
}

/**
 * Gradient descent, both layers moving.
 * @example descend({ sigma: "linear", a: [1], V: [[0]] }, { points: [Float64Array.of(1)], values: [1] }, { eta: 0.25, steps: 1 }).risks // [1, 0.25]
 */
export function descend(
  start: ShallowNetwork,
  examples: Examples,
  { eta, steps, until = 0 }: DescentOptions,
): Descent {
  const riskAt = squaredRiskOf(start.sigma, examples);
  const first = flatWeights(start);
  const [risks, distances]: [number[], number[]] = [[], []];
  let theta: FlatWeights = first;
  for (let k = 0; ; k++) {
    const { value, gradient } = riskAt(theta);
    risks.push(value);
    distances.push(
      Math.sqrt(squaredDistance(theta.outer, first.outer) + squaredDistance(theta.inner, first.inner)),
    );
    if (k >= steps || !(value > until)) break;
    theta = {
      outer: moved(theta.outer, gradient.outer, eta),
      inner: moved(theta.inner, gradient.inner, eta),
    };
  }
  const dimension = start.V[0]!.length;
  return {
    risks,
    distances,
    end: {
      ...start,
      a: [...theta.outer],
      V: start.V.map((_, k) => theta.inner.subarray(k * dimension, (k + 1) * dimension)),
    },
  };
}
