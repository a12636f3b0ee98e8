// Dormand and Prince's Runge-Kutta pair of orders 5 and 4, with steps that keep the local error below a tolerance.
import { TrainError } from "../train/error.ts";

export interface FlowOptions {
  /** The time at which to end. */
  readonly until: number;
  /** The Euclidean norm that the estimated error of one step may have; default 1e-10. */
  readonly tolerance?: number;
  /** Steps to try; default 20000. A field that jumps (a ReLU network's) can hold the flow at the jump for ever. */
  readonly maximumSteps?: number;
  /** Ends with the path so far instead of an error when the steps are used up. */
  readonly partial?: boolean;
}

export interface FlowState {
  readonly t: number;
  readonly state: Float64Array;
}

/** d state / dt. */
export type Field = (state: Float64Array) => Float64Array | Promise<Float64Array>;

const stages = [
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
/** The weights of order 5 less those of order 4. */
const errorWeights = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40] as const;

/** y + h sum_j a_j k_j */
function moved(y: Float64Array, h: number, a: readonly number[], k: readonly Float64Array[]): Float64Array {
  const next = Float64Array.from(y);
  a.forEach((weight, j) => {
    if (weight === 0) return;
    for (let i = 0; i < next.length; i++) next[i]! += h * weight * k[j]![i]!;
  });
  return next;
}

const norm = (v: Float64Array): number => Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));

/**
 * The states at the ends of all accepted steps, the first one included.
 * @example (await integrate((y) => y.map((v) => -v), Float64Array.of(1), { until: 1 })).at(-1).t // 1
 */
export async function integrate(
  field: Field,
  start: Float64Array,
  { until, tolerance = 1e-10, maximumSteps = 20000, partial = false }: FlowOptions,
): Promise<readonly FlowState[]> {
  const path: FlowState[] = [{ t: 0, state: start }];
  const zero = new Float64Array(start.length);
  let slope = await field(start);
  let h = Math.min(until, 0.01 / Math.max(1, norm(slope)));
  for (let tries = 0; path.at(-1)!.t < until; tries++) {
    if (tries >= maximumSteps) {
      if (partial) break;
      throw new TrainError(`the flow needs more than ${maximumSteps} steps to reach t = ${until}`);
    }
    const { t, state } = path.at(-1)!;
    const last = t + h >= until;
    if (last) h = until - t;
    const k = [slope];
    for (const a of stages) k.push(await field(moved(state, h, a, k)));
    const error = norm(moved(zero, h, errorWeights, k));
    if (error <= tolerance) {
      path.push({ t: last ? until : t + h, state: moved(state, h, stages[5]!, k) });
      slope = k[6]!; // the last stage is the slope at the new point
    }
    // A step of size h has the error c h^5; 0.9 keeps the next one on the safe side.
    const factor = error > 0 ? 0.9 * (tolerance / error) ** (1 / 5) : 5;
    h *= Math.min(5, Math.max(0.2, Number.isNaN(factor) ? 0.2 : factor));
  }
  return path;
}
