// Where a network's weights stand in the landscape of what training minimizes.
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { requiredInputs } from "../../graph/graph.ts";
import { cast, numbers } from "../../graph/tensor.ts";
import { batchRows } from "../../measures/predictions.ts";
import { createRandom } from "../../numbers/random.ts";
import type { TrainingData } from "../../train/advance.ts";
import type { LossName } from "../../train/loss.ts";
import { classifyPoint, type PointKind, type PointTolerances } from "./classify.ts";
import { filterDirection } from "./filter-directions.ts";
import { type HessianSpectrum, hessianSpectrum } from "./hessian-spectrum.ts";
import { type Slice, slice } from "./slice.ts";
import { type WeightObjective, weightObjective } from "./weight-objective.ts";

export interface PointOptions {
  readonly loss: LossName;
  readonly decay?: number;
  readonly seed?: number;
  readonly probes?: number;
  readonly steps?: number;
  /** A gradient of no greater norm counts as 0; default 1e-4. */
  readonly gradientTolerance?: number;
  /** An eigenvalue no larger than this part of the largest counts as 0; default 1e-6, and no less than rounding. */
  readonly curvatureTolerance?: number;
  /** Slices with so many points along a side, at each of these radii. */
  readonly slices?: { readonly points: number; readonly radii: readonly number[] };
  readonly signal?: AbortSignal;
  readonly onProgress?: (what: string, share: number) => void;
}

export interface LandscapePoint {
  readonly weights: number;
  readonly examples: number;
  readonly loss: number;
  readonly gradientNorm: number;
  readonly hessian: HessianSpectrum;
  readonly kind: PointKind;
  readonly tolerances: PointTolerances;
  /** The least |pre-activation| of a ReLU on any example: second derivatives hold where no unit switches. */
  readonly kinkDistance?: number;
  readonly slices: readonly Slice[];
}

/**
 * Loss, gradient, spectrum and kind of the point where a network is, and slices through it.
 * @example (await describePoint(denseNetwork([{ W: [[1]] }], "linear"), { x: tensor([[1]]), target: tensor([[1]]) }, { loss: "square" })).kind // "minimum"
 */
export async function describePoint(
  net: Graph,
  data: TrainingData,
  options: PointOptions,
): Promise<LandscapePoint> {
  const { loss, decay = 0, seed = 1, signal, onProgress } = options;
  const objective = weightObjective(net, data, { loss, decay });
  const { start } = objective;
  onProgress?.("gradient", 0);
  const value = await objective.value(start);
  const gradientNorm = euclidean(await objective.gradient(start));
  const relative = Math.max(objective.rounding, options.curvatureTolerance ?? 1e-6);
  const hasSlices = options.slices !== undefined;
  const hessian = await hessianSpectrum((v) => objective.curvature(start, v), start.length, {
    random: createRandom(seed).split("spectrum"),
    rounding: relative,
    ...(options.probes === undefined ? {} : { probes: options.probes }),
    ...(options.steps === undefined ? {} : { steps: options.steps }),
    ...(signal ? { signal } : {}),
    onProgress: (share) => onProgress?.("Hessian", hasSlices ? share / 2 : share),
  });
  const tolerances = { gradient: options.gradientTolerance ?? 1e-4, curvature: hessian.tolerance };
  const kinkDistance = await leastKink(objective, data);
  return {
    weights: start.length,
    examples: objective.examples,
    loss: value,
    gradientNorm,
    hessian,
    kind: classifyPoint({ gradientNorm, ...hessian }, tolerances),
    tolerances,
    ...(kinkDistance === undefined ? {} : { kinkDistance }),
    slices: await slicesOf(objective, seed, options),
  };
}

const euclidean = (v: Float64Array): number => Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));

async function slicesOf(
  { graph, names, start, value }: WeightObjective,
  seed: number,
  { slices, signal, onProgress }: PointOptions,
): Promise<readonly Slice[]> {
  if (!slices) return [];
  const draw = (label: string) => filterDirection(graph, names, createRandom(seed).split(label), start);
  const directions = [draw("first direction"), draw("second direction")] as const;
  const made: Slice[] = [];
  for (const radius of slices.radii)
    made.push(
      await slice(value, start, directions, {
        points: slices.points,
        radius,
        ...(signal ? { signal } : {}),
        onProgress: (share) => onProgress?.("slice", 0.5 + (made.length + share) / slices.radii.length / 2),
      }),
    );
  return made;
}

/** Examples whose pre-activations are looked at. */
const mostKinkExamples = 1000;

async function leastKink({ graph }: WeightObjective, { x }: TrainingData): Promise<number | undefined> {
  const before = [...new Set(graph.nodes.flatMap((n) => (n.op === "Relu" ? [n.inputs[0]!] : [])))];
  if (before.length === 0) return undefined;
  const input = requiredInputs(graph)[0]!;
  const opened: Graph = {
    ...graph,
    outputs: before.map((name) => ({ name, type: { type: "undefined" } })),
  };
  const type = (input.type as { readonly type: "float32" | "float64" }).type;
  const rows = cast(batchRows(x, 0, Math.min(x.dims[0]!, mostKinkExamples)), type);
  const found = await run(opened, { [input.name]: rows }, { threads: 1 });
  let least = Number.POSITIVE_INFINITY;
  for (const name of before) for (const z of numbers(found[name]!)) least = Math.min(least, Math.abs(z));
  return least;
}
