// Staircases: networks with one hidden layer of thresholds z -> 1[z >= 0], and where to put the steps.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { requireAccuracy } from "../calculus/conditions.ts";
import { layer, network } from "../layers/layers.ts";
import { lipschitz, type Segment, type Target } from "../spline/target.ts";
import { variation } from "./variation.ts";

/** The step function that is levels[i] from thresholds[i] on, and 0 left of them all. */
export interface Steps {
  /** In increasing order. */
  readonly thresholds: readonly number[];
  readonly levels: readonly number[];
}

/**
 * f(x) = sum_i a_i 1[x >= b_i] with a_1 = levels_1, a_i = levels_i - levels_{i-1}: one unit a step.
 * @example staircase({ thresholds: [0, 0.5], levels: [1, 3] }) // 1 on [0, 0.5), 3 from 0.5 on
 */
export function staircase({ thresholds, levels }: Steps): Graph {
  if (thresholds.length === 0 || levels.length !== thresholds.length)
    throw new ConstructError(
      `a staircase needs a level for each threshold, not ${levels.length} for ${thresholds.length}`,
    );
  return thresholdNetwork(
    thresholds,
    levels.map((level, i) => (i === 0 ? level : level - levels[i - 1]!)),
  );
}

/** sum_i weights[i] 1[x >= thresholds[i]] + bias; the thresholds may come in any order. */
export const thresholdNetwork = (
  thresholds: readonly number[],
  weights: readonly number[],
  bias = 0,
): Graph =>
  network(
    [
      layer(
        thresholds.map(() => [1]),
        thresholds.map((b) => 0 - b),
      ),
      layer([weights], [bias]),
    ],
    { activation: "threshold", name: `staircase_${thresholds.length}` },
  );

const count = (ratio: number): number => Math.max(1, Math.ceil(ratio));

/**
 * Telgarsky's grid on [0, 1]: m = ceil(rho / eps), b_i = (i - 1) eps / rho, levels g(b_i). Sup error <= eps.
 * @example gridSteps(targets.sine, 0.05).thresholds.length // 60
 */
export function gridSteps(g: Target, eps: number, rho = lipschitz(g, [0, 1])): Steps {
  requireAccuracy("staircase", eps);
  const thresholds = Array.from({ length: count(rho / eps) }, (_, i) => (i * eps) / rho);
  return { thresholds, levels: thresholds.map((b) => g.value(b)) };
}

/**
 * Cells of width 2 eps / rho with the value at their middle: m = ceil(rho / (2 eps)) steps for the same error.
 * @example midpointSteps(targets.sine, 0.05).thresholds.length // 30
 */
export function midpointSteps(g: Target, eps: number, rho = lipschitz(g, [0, 1])): Steps {
  const steps = count(rho / (2 * eps));
  const thresholds = Array.from({ length: steps }, (_, i) => i / steps);
  return { thresholds, levels: thresholds.map((b) => g.value(b + 0.5 / steps)) };
}

/**
 * Cells of equal variation with the value at half of it: m = ceil(TV / (2 eps)) steps, and none for flat parts.
 * @example variationSteps(targets.ramp, 0.05).thresholds.length // 10
 */
export function variationSteps(g: Target, eps: number, on: Segment = [0, 1]): Steps {
  const { total, at } = variation(g, on);
  const steps = count(total / (2 * eps));
  const thresholds = Array.from({ length: steps }, (_, i) => (i === 0 ? on[0] : at(i / steps)));
  return { thresholds, levels: thresholds.map((_, i) => g.value(at((i + 0.5) / steps))) };
}

/**
 * The extremes of f - g on [from, to] for a step function f: on a cell, g is extremal at an end or where it turns.
 * The value at the right end of a cell is the limit from within.
 */
export function staircaseError(
  { thresholds, levels }: Steps,
  g: Target,
  [from, to]: Segment = [0, 1],
): number {
  let sup = 0;
  thresholds.forEach((b, i) => {
    const [start, end] = [Math.max(from, b), Math.min(to, thresholds[i + 1] ?? to)];
    for (const x of [start, end, ...g.turns.filter((t) => t > start && t < end)])
      if (start <= end) sup = Math.max(sup, Math.abs(levels[i]! - g.value(x)));
  });
  return sup;
}
