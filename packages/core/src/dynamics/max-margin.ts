// The margin of a linear classifier, its smooth version, and the flow that climbs it (1.26).

import { dot } from "../linear-algebra/dot.ts";
import type { Rows } from "../linear-algebra/symmetric-eigen.ts";
import { type FlowState, integrate } from "./runge-kutta.ts";

/**
 * gamma(theta) = min_i <theta, z_i> with z_i = y_i x_i: not divided by |theta|.
 * @example marginOf([[1, 0], [0, 1]], [3, 2]) // 2
 */
export const marginOf = (points: Rows, theta: ArrayLike<number>): number =>
  Math.min(...points.map((z) => dot(z, theta)));

/**
 * r_beta(theta) = -ln((1/m) sum_i e^{-beta <theta, z_i>}) / beta, between gamma and gamma + ln(m) / beta. The least
 * margin is taken out of the sum: exponentials of large margins underflow.
 * @example smoothedMargin([[1], [1]], [1000], 1) // 1000
 */
export function smoothedMargin(points: Rows, theta: ArrayLike<number>, beta: number): number {
  const margins = points.map((z) => dot(z, theta));
  const least = Math.min(...margins);
  const sum = margins.reduce((s, v) => s + Math.exp(-beta * (v - least)), 0);
  return least - Math.log(sum / points.length) / beta;
}

/**
 * grad r_1(theta) = sum_i p_i z_i with p_i proportional to e^{-<theta, z_i>}: a point of the convex hull.
 * @example smoothedMarginSlope([[1, 0], [0, 1]], [5, 5]) // Float64Array [0.5, 0.5]
 */
export function smoothedMarginSlope(points: Rows, theta: ArrayLike<number>): Float64Array {
  const margins = points.map((z) => dot(z, theta));
  const least = Math.min(...margins);
  const weights = margins.map((v) => Math.exp(least - v));
  const total = weights.reduce((a, b) => a + b, 0);
  return Float64Array.from(points[0]!, (_, j) =>
    points.reduce((sum, z, i) => sum + (weights[i]! / total) * z[j]!, 0),
  );
}

export interface MarginOptions {
  readonly until: number;
  readonly tolerance?: number;
}

/**
 * The flow d theta / dt = grad r_1(theta) from 0. Along it r_1(theta) >= gamma* |theta|, as |grad r_1| >= gamma*, the
 * distance of 0 from the hull, and d r_1 / dt = |grad r_1|^2 >= gamma* d|theta| / dt: the normalized margin is at
 * least gamma* - ln(m) / |theta|.
 * @example (await marginFlow([[2]], { until: 1 })).at(-1).state[0] // 2, to rounding
 */
export const marginFlow = (points: Rows, options: MarginOptions): Promise<readonly FlowState[]> =>
  integrate((theta) => smoothedMarginSlope(points, theta), new Float64Array(points[0]!.length), options);

/**
 * The same flow with one more component: ln of the clock on which plain gradient flow on the exponential loss r is at
 * the same point. That clock runs with the speed 1 / r = e^{r_1} and shows `head` at the start (the logarithm of 0
 * would be no start); with s = ln clock, ds/dt = e^{r_1 - s}.
 * @example (await marginFlowWithClock([[1]], { until: 1, head: 1 })).at(-1).state[1].toFixed(6) // "1.000000"
 */
export async function marginFlowWithClock(
  points: Rows,
  { until, tolerance = 1e-10, head }: MarginOptions & { readonly head: number },
): Promise<readonly FlowState[]> {
  const dimension = points[0]!.length;
  const field = (state: Float64Array): Float64Array => {
    const theta = state.subarray(0, dimension);
    const clock = Math.exp(smoothedMargin(points, theta, 1) - state[dimension]!);
    return Float64Array.of(...smoothedMarginSlope(points, theta), clock);
  };
  const start = new Float64Array(dimension + 1);
  start[dimension] = Math.log(head);
  return integrate(field, start, { until, tolerance });
}

/**
 * The flow of plain gradient descent on r(theta) = (1/m) sum_i e^{-<theta, z_i>}, from 0.
 * @example (await exponentialFlow([[1]], { until: Math.E - 1 })).at(-1).state[0].toFixed(6) // "1.000000"
 */
export const exponentialFlow = (points: Rows, options: MarginOptions): Promise<readonly FlowState[]> =>
  integrate(
    (theta) => {
      const risk = Math.exp(-smoothedMargin(points, theta, 1));
      return smoothedMarginSlope(points, theta).map((v) => v * risk);
    },
    new Float64Array(points[0]!.length),
    options,
  );
