// Gradient descent on any empirical risk, with the way it goes.

import type { EmpiricalRisk } from "../train/empirical-risk.ts";

export interface PlainDescentOptions {
  readonly eta: number;
  readonly steps: number;
  /** Ends where the risk is no greater. */
  readonly until?: number;
  /** Called with the number of steps so far. */
  readonly progress?: (step: number) => Promise<void>;
}

/** Where descent was after 0, 1, 2, ... steps. */
export interface PlainDescent {
  readonly risks: readonly number[];
  /** From the start. */
  readonly distances: readonly number[];
  readonly end: Float64Array;
}

function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k]! - b[k]!) ** 2;
  return Math.sqrt(sum);
}

/**
 * theta - eta grad R(theta), again and again, from the network's weights.
 * @example (await plainDescent(empiricalRisk(denseNetwork([{ W: [[1]] }], "linear"), "square", { x: tensor([[1]]), target: tensor([[0]]) }), { eta: 0.25, steps: 1 })).distances // [0, 0.5]
 */
export async function plainDescent(
  risk: EmpiricalRisk,
  { eta, steps, until = 0, progress }: PlainDescentOptions,
): Promise<PlainDescent> {
  const [risks, distances]: [number[], number[]] = [[], []];
  const theta = risk.start.slice();
  for (let k = 0; ; k++) {
    const { value, gradient } = await risk.at(theta);
    risks.push(value);
    distances.push(distance(theta, risk.start));
    if (k >= steps || !(value > until)) return { risks, distances, end: theta };
    for (let j = 0; j < theta.length; j++) theta[j]! -= eta * gradient[j]!;
    await progress?.(k + 1);
  }
}
