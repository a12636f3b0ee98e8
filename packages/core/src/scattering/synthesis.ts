// Signals with wanted scattering coefficients, by descent through the graph: E(x) = 1/2 |S x - y|^2 (book 1, (8.54)).
// With averages over the whole signal it is the microcanonical sampler of textures, with local ones an inversion.
import { run } from "../engine/run.ts";
import { release } from "../engine/session.ts";
import { float32, float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import { numbers, type Tensor, view } from "../graph/tensor.ts";
import { gradient } from "../passes/gradient.ts";
import { ScatteringError } from "./error.ts";
import { type Minimum, minimize } from "./minimize.ts";
import { type ScatteringPlan, scatteringPlan } from "./plan.ts";
import { coefficients, type TransformOptions } from "./transform.ts";

export interface SynthesisOptions extends TransformOptions {
  /** "global": averages over the whole signal (the default), or "local": the coefficients themselves. */
  readonly averages?: "global" | "local";
  /** Steps of descent; default: 100. */
  readonly iterations?: number;
  /** Called after each step. */
  readonly onStep?: (value: number, step: number) => void | Promise<void>;
}

export interface Synthesis extends Pick<Minimum, "values"> {
  readonly x: Float64Array;
  /** |S x - y| / |y| at the start and at the end. */
  readonly before: number;
  readonly after: number;
  /** How many numbers are wanted. */
  readonly constraints: number;
}

const planned = ({ type = "float32", averages = "global", ...options }: SynthesisOptions) => ({
  ...{ plan: scatteringPlan(options), type, isGlobal: averages === "global" },
});

const outputsOf = ({ geometry: { output } }: ScatteringPlan, isGlobal: boolean): number =>
  isGlobal ? 1 : output.reduce((a, b) => a * b, 1);

/**
 * The graph x [1, ...], y -> loss = 1/2 |S x - y|^2, with the statistics s themselves.
 * @example scatteringLoss({ shape: [16], scale: 2 }).outputs.map(({ name }) => name) // ["loss", "s"]
 */
export function scatteringLoss(options: SynthesisOptions): Graph {
  const { plan, type, isGlobal } = planned(options);
  const { shape } = plan.geometry;
  const typed = type === "float32" ? float32 : float64;
  const axes = view("int64", [1], BigInt64Array.of(2n));
  return graph(
    { x: typed(1, ...shape), y: typed(1, plan.paths.length, outputsOf(plan, isGlobal)) },
    ({ x, y }) => {
      const flat = coefficients(x, plan, type).reshape([1, plan.paths.length, -1]);
      const s = isGlobal ? flat.op("ReduceMean", [axes], { keepdims: 1 }) : flat;
      const rest = s.sub(y);
      return { loss: rest.mul(rest).op("ReduceSum", [], { keepdims: 0 }).mul(0.5), s };
    },
    { name: "scattering loss" },
  );
}

/**
 * The statistics of a signal that a synthesis matches.
 * @example (await statistics([1, 2, 3, 4, 4, 3, 2, 1], { shape: [8], scale: 1 })).length // 3
 */
export async function statistics(x: ArrayLike<number>, options: SynthesisOptions): Promise<Float64Array> {
  const loss = scatteringLoss(options);
  const { plan, type, isGlobal } = planned(options);
  const dims = [1, plan.paths.length, outputsOf(plan, isGlobal)];
  const zeros = tensorOf(type, dims, new Float64Array(dims.reduce((a, b) => a * b, 1)));
  const { s } = await run(loss, { x: tensorOf(type, [1, ...options.shape], x), y: zeros });
  await release(loss);
  return Float64Array.from(numbers(s!));
}

/**
 * A signal near a start whose statistics are the wanted ones, as far as descent finds it.
 * @example (await synthesize(await statistics([0, 1, 0, 0, 2, 0, 0, 1], { shape: [8], scale: 2 }), new Float64Array(8).fill(0.1).map((v, k) => v * k), { shape: [8], scale: 2 })).after < 0.1 // true
 */
export async function synthesize(
  wanted: ArrayLike<number>,
  start: ArrayLike<number>,
  options: SynthesisOptions,
): Promise<Synthesis> {
  const loss = scatteringLoss(options);
  const { plan, type } = planned(options);
  if (wanted.length % plan.paths.length !== 0)
    throw new ScatteringError(`${wanted.length} statistics for ${plan.paths.length} paths`);
  const slope = gradient(loss, { wrt: ["x"], of: ["loss"], unitSeeds: true });
  const y = tensorOf(type, [1, plan.paths.length, wanted.length / plan.paths.length], wanted);
  const evaluate = async (x: Float64Array) => {
    const found = await run(slope, { x: tensorOf(type, [1, ...options.shape], x), y });
    return { value: numbers(found.loss!)[0]!, gradient: Float64Array.from(numbers(found.grad_x!)) };
  };
  const { iterations = 100, onStep } = options;
  const found = await minimize(evaluate, Float64Array.from(start), {
    ...{ iterations, share: 1e-12, ...(onStep && { onStep }) },
  });
  await release(slope);
  const size = Math.hypot(...Array.from(wanted));
  const relative = (value: number): number => Math.sqrt(2 * value) / (size || 1);
  return {
    ...{ x: found.x, values: found.values, constraints: wanted.length },
    ...{ before: relative(found.values[0]!), after: relative(found.value) },
  };
}

const tensorOf = (type: "float32" | "float64", dims: readonly number[], values: ArrayLike<number>): Tensor =>
  view(type, dims, type === "float32" ? Float32Array.from(values) : Float64Array.from(values));
