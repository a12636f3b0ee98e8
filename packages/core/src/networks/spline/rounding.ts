// What rounding changes a spline network by: its weights, which are quotients, and its run in f64.

import { unitRoundoff } from "../../numbers/floating-point.ts";
import { layersOf } from "../layers/layers.ts";
import { spline } from "./spline.ts";

/**
 * A bound, between the first and the last knot, of |computed in f64 - the spline through these points|, whatever the
 * order of the sum: u (4 sum |v_{j+1} - v_j| + (n + 4) (|v_0| + sum_j |w_j| (x_n - x_j))), n pieces, weights w_j.
 * Slopes are off by less than 4 u each; a weight, a unit and its product round once, and the sum n times.
 * @example splineRounding([0, 0.5, 1], [0, 1, 0]) < 1e-14 // true
 */
export function splineRounding(knots: readonly number[], values: readonly number[]): number {
  const weights = layersOf(spline(knots, values)).layers[1]!.weights;
  const last = knots.at(-1)!;
  let size = Math.abs(values[0]!);
  weights.columnOf.forEach((j, k) => {
    size += Math.abs(weights.values[k]!) * (last - knots[j]!);
  });
  const variation = values.slice(1).reduce((sum, v, j) => sum + Math.abs(v - values[j]!), 0);
  return unitRoundoff * (4 * variation + (knots.length + 3) * size) * (1 + 2 ** -20);
}
