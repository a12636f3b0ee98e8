// Double descent where features come in the order of their importance: what is left out errs, and is noise for the others.
import { normalDesignBias, normalDesignVariance } from "./bias-variance.ts";

/** Of the signal |theta*|^2 = `signal`, the first d of all independent normal features hold 1 - (1 + d / m)^-decay. */
export interface OrderedTask {
  readonly m: number;
  readonly signal: number;
  readonly noise: number;
  readonly decay: number;
}

/**
 * What the features after the first d hold of the signal.
 * @example leftOut({ m: 10, signal: 4, noise: 1, decay: 2 }, 10) // 1
 */
export const leftOut = ({ m, signal, decay }: OrderedTask, d: number): number =>
  signal * (1 + d / m) ** -decay;

/**
 * Expected excess risk of the least norm on the first d features, m examples; infinite for |m - d| <= 1.
 * u + (signal - u) E|P v|^2 + (u + noise) E Tr(Sigma^+), u what is left out.
 * @example orderedRisk({ m: 10, signal: 4, noise: 1, decay: 2 }, 30) // 3.4078...
 */
export function orderedRisk(task: OrderedTask, d: number): number {
  const left = leftOut(task, d);
  const { mean: lost } = normalDesignBias(task.m, d);
  return left + (task.signal - left) * lost + (left + task.noise) * normalDesignVariance(task.m, d).mean;
}

/**
 * The least risk with fewer features than examples, and with more: the classical sweet spot, and what lies beyond the peak.
 * @example sweetSpots({ m: 24, signal: 25, noise: 1, decay: 2 }).map(({ d }) => d) // [7, 52]
 */
export function sweetSpots(task: OrderedTask): readonly [SweetSpot, SweetSpot] {
  const { m } = task;
  const least = (from: number, to: number): SweetSpot => {
    let best: SweetSpot = { d: from, risk: orderedRisk(task, from) };
    for (let d = from + 1; d <= to; d++) {
      const risk = orderedRisk(task, d);
      if (risk < best.risk) best = { d, risk };
    }
    return best;
  };
  return [least(1, m - 2), least(m + 2, 12 * m)];
}

export interface SweetSpot {
  readonly d: number;
  readonly risk: number;
}
