// Gradient flow d theta / dt = -grad R(theta): gradient descent with infinitely small steps.
import type { EmpiricalRisk, RiskPoint } from "../train/empirical-risk.ts";
import { type FlowOptions, integrate } from "./runge-kutta.ts";

export interface FlowPoint extends RiskPoint {
  readonly t: number;
  readonly theta: Float64Array;
  /** The integral of |grad R|^2 up to here, which is what the risk has lost. */
  readonly dissipated: number;
}

const squaredNorm = (v: Float64Array): number => v.reduce((sum, x) => sum + x * x, 0);

/**
 * The flow from `from` (default: the network's weights), at the ends of the integrator's steps. The integral of
 * |grad R|^2 is one more component of the state: R + integral is constant along the exact flow.
 * @example (await gradientFlow(empiricalRisk(denseNetwork([{ W: [[1]] }], "linear"), "square", { x: tensor([[1]]), target: tensor([[0]]) }), { until: 1 })).at(-1).theta // e^-2
 */
export async function gradientFlow(
  risk: EmpiricalRisk,
  { from = risk.start, ...options }: FlowOptions & { readonly from?: Float64Array },
): Promise<readonly FlowPoint[]> {
  const size = from.length;
  const field = async (state: Float64Array): Promise<Float64Array> => {
    const { gradient } = await risk.at(state.slice(0, size));
    const slope = new Float64Array(size + 1);
    gradient.forEach((g, i) => {
      slope[i] = -g;
    });
    slope[size] = squaredNorm(gradient);
    return slope;
  };
  const start = new Float64Array(size + 1);
  start.set(from);
  const points: FlowPoint[] = [];
  for (const { t, state } of await integrate(field, start, options)) {
    const theta = state.slice(0, size);
    points.push({ t, theta, dissipated: state[size]!, ...(await risk.at(theta)) });
  }
  return points;
}
