// Signals with wanted scattering coefficients, by descent through the graph: E(x) = 1/2 |S x - y|^2 (book 1, (8.54)).
// With averages over the whole signal it is the microcanonical sampler of textures, with local ones an inversion.
import { run } from "../engine/run.ts";
import { release } from "../engine/session.ts";
import { float32, float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import { numbers, type Tensor, view } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import { gradient } from "../passes/gradient.ts";
import { energy } from "./energy.ts";
import { ScatteringError } from "./error.ts";
import { type Minimum, minimize } from "./minimize.ts";
import { harmonicCount, harmonicStatistics, harmonicWeights } from "./phase-harmonics.ts";
import { type ScatteringPlan, scatteringPlan } from "./plan.ts";
import { coefficients, type TransformOptions } from "./transform.ts";

export interface SynthesisOptions extends TransformOptions {
  /** Scattering coefficients (the default), or "harmonics": covariances of wavelet phase harmonics, over the whole signal. */
  readonly model?: "scattering" | "harmonics";
  /** "global": averages over the whole signal (the default), or "local": the coefficients themselves. */
  readonly averages?: "global" | "local";
  /** Steps of descent; default: 100. */
  readonly iterations?: number;
  /** Called after each step, with where it has come to. */
  readonly onStep?: (value: number, step: number, x: Float64Array) => void | Promise<void>;
}

export interface Synthesis extends Pick<Minimum, "values"> {
  readonly x: Float64Array;
  /** |S x - y| / |y| at the start and at the end. */
  readonly before: number;
  readonly after: number;
  /** How many numbers are wanted. */
  readonly constraints: number;
}

export interface Wanted {
  readonly plan: ScatteringPlan;
  readonly type: "float32" | "float64";
  /** [1, rows, columns] of the statistics. */
  readonly dims: readonly [number, number, number];
  readonly of: (x: Value) => Value;
  /** What each of them counts, if not all are on one scale. */
  readonly weights?: (wanted: ArrayLike<number>) => Float64Array;
}

/** What a synthesis wants: its plan, and the graph of its statistics. */
export function plannedStatistics(options: SynthesisOptions): Wanted {
  const { type = "float32", averages = "global", model = "scattering" } = options;
  const plan = scatteringPlan(options);
  if (model === "harmonics") {
    if (averages === "local")
      throw new ScatteringError("phase harmonics have averages over the whole signal");
    return {
      ...{ plan, type, dims: [1, harmonicCount(plan), 1] },
      of: (x) => harmonicStatistics(x, plan, type),
      weights: (wanted) => harmonicWeights(plan, wanted),
    };
  }
  const { paths, geometry } = plan;
  const flat = (x: Value): Value => coefficients(x, plan, type).reshape([1, paths.length, -1]);
  if (averages === "local")
    return { plan, type, of: flat, dims: [1, paths.length, geometry.output.reduce((a, b) => a * b, 1)] };
  const axes = view("int64", [1], BigInt64Array.of(2n));
  return {
    ...{ plan, type, dims: [1, paths.length, 1] },
    of: (x) => flat(x).op("ReduceMean", [axes], { keepdims: 1 }),
  };
}

/**
 * The graph x [1, ...], y -> loss = 1/2 |S x - y|^2, with the statistics s themselves; phase harmonics have a third input
 * w, what each of them counts.
 * @example scatteringLoss({ shape: [16], scale: 2 }).outputs.map(({ name }) => name) // ["loss", "s"]
 */
export function scatteringLoss(options: SynthesisOptions): Graph {
  const { plan, type, dims, of, weights } = plannedStatistics(options);
  const typed = type === "float32" ? float32 : float64;
  const inputs = { x: typed(1, ...plan.geometry.shape), y: typed(...dims) };
  const written = (x: Value, y: Value, w?: Value) => {
    const s = of(x);
    const rest = w ? s.sub(y).mul(w) : s.sub(y);
    return { loss: rest.mul(rest).op("ReduceSum", [], { keepdims: 0 }).mul(0.5), s };
  };
  const name = "scattering loss";
  return weights
    ? graph({ ...inputs, w: typed(...dims) }, ({ x, y, w }) => written(x, y, w), { name })
    : graph(inputs, ({ x, y }) => written(x, y), { name });
}

/**
 * The statistics of signals that a synthesis matches: one graph for all of them, to be released at the end.
 * @example (await (await measuring({ shape: [8], scale: 1 })).of([1, 2, 3, 4, 4, 3, 2, 1])).length // 3
 */
export function measuring(options: SynthesisOptions): {
  of(x: ArrayLike<number>): Promise<Float64Array>;
  release(): Promise<void>;
} {
  const { plan, type, of } = plannedStatistics(options);
  const typed = type === "float32" ? float32 : float64;
  const written = graph({ x: typed(1, ...plan.geometry.shape) }, (inputs) => ({ s: of(inputs.x) }), {
    name: "statistics",
  });
  return {
    async of(x) {
      const { s } = await run(written, { x: tensorOf(type, [1, ...options.shape], x) });
      return Float64Array.from(numbers(s));
    },
    release: () => release(written),
  };
}

/**
 * The statistics of one signal.
 * @example (await statistics([1, 2, 3, 4, 4, 3, 2, 1], { shape: [8], scale: 1 })).length // 3
 */
export async function statistics(x: ArrayLike<number>, options: SynthesisOptions): Promise<Float64Array> {
  const measure = measuring(options);
  const found = await measure.of(x);
  await measure.release();
  return found;
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
  const { type, dims, weights } = plannedStatistics(options);
  const loss = scatteringLoss(options);
  const [, rows, columns] = dims;
  if (wanted.length !== rows * columns)
    throw new ScatteringError(`${wanted.length} statistics for ${rows * columns} that there are`);
  const slope = gradient(loss, { wrt: ["x"], of: ["loss"], unitSeeds: true });
  const w = weights?.(wanted);
  const given = { y: tensorOf(type, dims, wanted), ...(w && { w: tensorOf(type, dims, w) }) };
  const evaluate = async (x: Float64Array) => {
    const found = await run(slope, { x: tensorOf(type, [1, ...options.shape], x), ...given });
    return { value: numbers(found.loss!)[0]!, gradient: Float64Array.from(numbers(found.grad_x!)) };
  };
  const { iterations = 100, onStep } = options;
  const found = await minimize(evaluate, Float64Array.from(start), {
    ...{ iterations, share: 1e-12, ...(onStep && { onStep }) },
  });
  await release(slope);
  const size = Math.sqrt(energy(Float64Array.from(wanted, (v, k) => v * (w?.[k] ?? 1))));
  const relative = (value: number): number => Math.sqrt(2 * value) / (size || 1);
  return {
    ...{ x: found.x, values: found.values, constraints: wanted.length },
    ...{ before: relative(found.values[0]!), after: relative(found.value) },
  };
}

export const tensorOf = (
  type: "float32" | "float64",
  dims: readonly number[],
  values: ArrayLike<number>,
): Tensor => view(type, dims, type === "float32" ? Float32Array.from(values) : Float64Array.from(values));
