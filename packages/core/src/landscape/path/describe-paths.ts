// Paths between two networks of the same layout, and how high each of them climbs.
import { alignByWeights } from "../../equivalence/alignment/align.ts";
import { type Graph, isSparse } from "../../graph/graph.ts";
import { elementCount, isFloat, numbers, type Tensor } from "../../graph/tensor.ts";
import { widened } from "../../graph/widen.ts";
import { weightsOf } from "../../measures/weight-risk.ts";
import { createRandom } from "../../numbers/random.ts";
import type { TrainingData } from "../../train/advance.ts";
import type { LossName } from "../../train/loss.ts";
import { batchFree } from "../../train/weights.ts";
import { type CertifiedLoss, convexLoss, type Targets } from "../certificate/convex-loss.ts";
import { objectiveOf } from "../certificate/descent.ts";
import { paddedInputs, readTwoLayer, type TwoLayer } from "../certificate/two-layer.ts";
import { LandscapeError } from "../error.ts";
import { type WeightObjective, weightObjective } from "../point/weight-objective.ts";
import { lowBarrierPath, mixedTwoLayer, type PathCertificate, pathCertificate } from "./keep-half.ts";
import { type PathProfile, pathProfile, profileOf } from "./profile.ts";
import { trainedCurve } from "./trained-curve.ts";
import { type PathKind, weightPath } from "./weight-path.ts";

export interface PathsOptions {
  readonly loss: LossName;
  readonly decay?: number;
  readonly seed?: number;
  /** Places along each path; default 40 steps. */
  readonly steps?: number;
  /** Of the trained curves; 0 steps for none. */
  readonly curve?: { readonly steps?: number; readonly bends?: number; readonly rate?: number };
  readonly signal?: AbortSignal;
  readonly onProgress?: (what: string, share: number) => void;
}

export interface LandscapePaths {
  readonly weights: number;
  readonly examples: number;
  /** The objective at both ends. */
  readonly ends: readonly [number, number];
  /** Euclidean, before and after the units of the second network were put in the order of the first one's. */
  readonly distance: { readonly line: number; readonly aligned: number };
  readonly line: PathProfile;
  readonly aligned: PathProfile;
  readonly curves: Readonly<Partial<Record<PathKind, PathProfile>>>;
  /** Through halves of the neurons, where both are two-layer ReLU networks and the loss is convex. */
  readonly constructive?: PathProfile & { readonly certificate: PathCertificate };
}

/**
 * The straight line, the line to the second network with its units in the order of the first one's, trained curves, and for
 * two-layer ReLU networks the path through halves of their neurons.
 */
export async function describePaths(
  first: Graph,
  second: Graph,
  data: TrainingData,
  options: PathsOptions,
): Promise<LandscapePaths> {
  const { loss, decay = 0, seed = 1, steps = 40, signal, onProgress } = options;
  onProgress?.("alignment", 0);
  const { ends } = await alignByWeights(first, second, {
    random: createRandom(seed).split("alignment"),
    size: data.x.dims[0]!,
  });
  const objective = weightObjective(ends.reference, data, { loss, decay });
  const [given, aligned] = [ends.given, ends.aligned].map((other) => counterparts(objective, other)) as [
    Float64Array,
    Float64Array,
  ];
  const along = (what: string, kind: PathKind, points: readonly Float64Array[]): Promise<PathProfile> => {
    const path = weightPath(kind, points);
    return pathProfile((t) => objective.value(path(t)), steps, {
      ...(signal ? { signal } : {}),
      onProgress: (share) => onProgress?.(what, share),
    });
  };
  const { start } = objective;
  const line = await along("line", "polygon", [start, given]);
  const alignedLine = await along("aligned line", "polygon", [start, aligned]);
  const curves: Partial<Record<PathKind, PathProfile>> = {};
  if (options.curve?.steps !== 0)
    for (const kind of ["bezier", "polygon"] as const) {
      const points = await trainedCurve(objective.graph, given, data, {
        ...{ loss, kind, decay, seed, ...options.curve },
        ...(signal ? { signal } : {}),
        ...(start.length <= 50_000 ? { threads: 1 } : {}),
        onProgress: (share) =>
          onProgress?.(`training a ${kind === "bezier" ? "Bézier curve" : "polygon"}`, share),
      });
      curves[kind] = await along("curve", kind, points);
    }
  const constructive = throughHalves(first, second, data, { loss, decay, steps });
  return {
    weights: start.length,
    examples: objective.examples,
    ends: [line.points[0]![1], line.points.at(-1)![1]],
    distance: { line: distanceOf(start, given), aligned: distanceOf(start, aligned) },
    line,
    aligned: alignedLine,
    curves,
    ...(constructive ? { constructive } : {}),
  };
}

const distanceOf = (a: Float64Array, b: Float64Array): number =>
  Math.sqrt(a.reduce((sum, v, k) => sum + (v - b[k]!) ** 2, 0));

/** The weights of another network in the order of the objective's; what training leaves alone has to be the same. */
function counterparts({ graph, names, start }: WeightObjective, other: Graph): Float64Array {
  const own = batchFree(other);
  const found = weightsOf(widened(own) ?? own);
  const isSame = found.start.length === start.length && found.names.length === names.length;
  if (!isSame) throw new LandscapeError("a path needs two networks of the same layout");
  const rest = ({ initializers }: Graph, weights: readonly string[]) =>
    [...initializers].filter(
      ([name, t]) => !weights.includes(name) && !isSparse(t) && isFloat(t.type),
    ) as (readonly [string, Tensor])[];
  const others = rest(own, found.names);
  rest(graph, names).forEach(([name, mine], k) => {
    const [a, b] = [numbers(mine), numbers(others[k]![1])];
    if (a.length !== b.length || a.some((v, i) => v !== b[i]))
      throw new LandscapeError(
        `"${name}" is no weight that training changes, and differs in the two networks: fold it into the layers first`,
      );
  });
  return found.start;
}

const convexLosses: readonly string[] = ["square", "logistic", "cross-entropy"] satisfies CertifiedLoss[];

function throughHalves(
  first: Graph,
  second: Graph,
  data: TrainingData,
  { loss, decay, steps }: { readonly loss: LossName; readonly decay: number; readonly steps: number },
): LandscapePaths["constructive"] {
  const [from, to] = [twoLayerOf(first), twoLayerOf(second)];
  if (!from || !to || from.neurons.length < 2 || !convexLosses.includes(loss)) return undefined;
  const outputs = from.neurons[0]!.outgoing.length;
  const task = convexLoss(loss as CertifiedLoss, targetsOf(data, outputs));
  const inputs = rowsOf(data.x);
  const path = lowBarrierPath(from, to);
  const x = paddedInputs(inputs, from);
  const perSegment = Math.max(2, Math.ceil(steps / path.segments.length));
  const count = path.segments.length * perSegment;
  const points = Array.from({ length: count + 1 }, (_, k) => {
    const segment = Math.min(path.segments.length - 1, Math.floor(k / perSegment));
    const net = mixedTwoLayer(path.nodes[segment]!, path.nodes[segment + 1]!, k / perSegment - segment);
    return [k / count, objectiveOf(net, x, task, { outputs, decay })] as const;
  });
  return { ...profileOf(points), certificate: pathCertificate(path, inputs, task, outputs, decay) };
}

function twoLayerOf(graph: Graph): TwoLayer | undefined {
  try {
    return readTwoLayer(graph);
  } catch (error) {
    if (error instanceof LandscapeError) return undefined;
    throw error;
  }
}

/** The examples of a tensor, one vector each. */
export function rowsOf(x: Tensor): readonly Float64Array[] {
  const [rows, width] = [x.dims[0]!, elementCount(x.dims.slice(1))];
  const values = numbers(x);
  return Array.from({ length: rows }, (_, i) =>
    Float64Array.from(values.subarray(i * width, (i + 1) * width)),
  );
}

/** Targets as convex losses read them. */
export function targetsOf({ x, target }: TrainingData, outputs: number): Targets {
  const given = numbers(target);
  return target.type === "int64"
    ? { classes: Int32Array.from(given) }
    : {
        values: Array.from({ length: outputs }, (_, k) =>
          Float64Array.from({ length: x.dims[0]! }, (__, i) => given[i * outputs + k]!),
        ),
      };
}
