// Differences of an activation as doubles compute them: truncation and rounding together.
import { activation } from "../../functions/activation.ts";
import type { SmoothActivation } from "../../functions/smooth.ts";
import { type DifferenceOptions, differenceNodes, differenceWeights } from "./difference.ts";

/**
 * max |Phi_h(x) - x^k| over equidistant points of [-R, R], computed in doubles.
 * @example measuredDifference("exp", 2, { h: 0.01, at: 0, scheme: "forward" }) > 0.01 // true
 */
export function measuredDifference(
  name: SmoothActivation,
  k: number,
  { h, radius = 1, at, scheme = "central" }: DifferenceOptions,
  points = 101,
): number {
  const sigma = activation(name);
  const [nodes, weights] = [differenceNodes(k, scheme), differenceWeights(k)];
  const scale = h ** k * sigma.derivative(k, at);
  let most = 0;
  for (let p = 0; p < points; p++) {
    const x = radius * ((2 * p) / (points - 1) - 1);
    let sum = 0;
    for (let i = 0; i <= k; i++) sum += weights[i]! * sigma.value(nodes[i]! * h * x + at);
    most = Math.max(most, Math.abs(sum / scale - x ** k));
  }
  return most;
}
