// Networks that no bounds can be had of: what ONNX Runtime computes on sample points.

import { samplePoints } from "../../bounds/difference/match.ts";
import { DataError } from "../../data/error.ts";
import { equalGraphs } from "../../graph/equal.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { createRandom } from "../../numbers/random.ts";
import { inputShapes } from "../../passes/affine/compile.ts";
import { cost } from "../../passes/cost.ts";
import { decidedByForm } from "./by-canonical-form.ts";
import type { CompareOptions, Comparison } from "./comparison.ts";
import { typeRounding } from "./noise.ts";
import { isWithin } from "./pair.ts";
import { inputSize, type Replay, replayBoth, representableIn, typesOf } from "./replay.ts";

/** Without a tolerance, differences up to this share of the greatest output count as rounding of the runtime. */
export const roundingTolerance = 1e-5;

const samples = 64;
const leastMilliseconds = 2000;

/** Does one of the networks differ from itself at a point, as with a dropout that is switched on? */
async function isRandomAt(graphs: readonly Graph[], x: Float64Array, tolerance: number): Promise<boolean> {
  for (const graph of graphs) if ((await replayBoth(graph, graph, x)).difference > tolerance) return true;
  return false;
}

/** Given points of the box, and random ones. */
function pointsToSee(a: Graph, b: Graph, options: CompareOptions, count: number): readonly Float64Array[] {
  const { points = [], seed = 1 } = options;
  const size = inputSize(a);
  if (size !== inputSize(b))
    throw new DataError(`the first network has ${size} inputs, the second ${inputSize(b)}`);
  const side = (value: number) => Float64Array.from({ length: size }, () => value);
  const box = options.box
    ? { lower: Float64Array.from(options.box.lower), upper: Float64Array.from(options.box.upper) }
    : { lower: side(-1), upper: side(1) };
  const random = samplePoints(box, createRandom(seed), count);
  const inside = points.filter((x) => isWithin(box, x));
  return [...inside, ...random.map((x) => representableIn([a, b], x, box.lower, box.upper))];
}

/** The greatest difference on given and random points; `reason` says why there is no more than that. */
export async function compareBySamples(
  a: Graph,
  b: Graph,
  options: CompareOptions,
  reason: string,
  isOver: () => boolean,
): Promise<Comparison> {
  const start = performance.now();
  const xs = pointsToSee(a, b, options, samples);
  let [greatest, scale, seen]: [Replay | undefined, number, number] = [undefined, 0, 0];
  for (const x of xs) {
    // However little time is left: a difference that is easily seen is seen.
    if (seen > 0 && isOver() && performance.now() - start > leastMilliseconds) break;
    options.signal?.throwIfAborted();
    seen++;
    const found = await replayBoth(a, b, x);
    if (found.first.length !== found.second.length)
      throw new DataError(
        `the first network has ${found.first.length} outputs, the second ${found.second.length}`,
      );
    // An output that is infinite has no size that rounding could be a share of.
    scale = found.first.reduce((m, v) => (Math.abs(v) > m && Number.isFinite(v) ? Math.abs(v) : m), scale);
    if (!greatest || found.difference > greatest.difference) greatest = found;
  }
  const tolerance = options.tolerance ?? Math.max(roundingTolerance * scale, typeRounding(a, b, scale));
  const areEqual = equalGraphs(a, b);
  const isBeyond = greatest !== undefined && greatest.difference > tolerance;
  const isRandom = isBeyond && (areEqual || (await isRandomAt([a, b], greatest!.at, tolerance)));
  const isSame = areEqual && !isRandom;
  const isDifferent = isBeyond && !isRandom;
  const byForm = isSame || isBeyond ? undefined : decidedByForm(a, b);
  return {
    verdict: isSame ? "equivalent" : isDifferent ? "different" : (byForm?.verdict ?? "unknown"),
    strength: isSame ? "proved" : isDifferent ? "checked" : (byForm?.strength ?? "sampled"),
    because: isSame
      ? "the graphs are the same"
      : isDifferent
        ? "ONNX Runtime shows it at a point"
        : isRandom
          ? "a network gives other outputs each time it runs"
          : (byForm?.because ?? `no more was seen on ${seen} points, and there are no bounds: ${reason}`),
    tolerance,
    maxDifference: {
      lower: isSame ? 0 : (greatest?.difference ?? 0),
      upper: isSame ? 0 : Number.POSITIVE_INFINITY,
      at: !isSame && greatest && greatest.difference > 0 ? [...greatest.at] : undefined,
      output: undefined,
    },
    ...(isDifferent && { witness: greatest }),
    boxes: 0,
    seconds: (performance.now() - start) / 1000,
  } as Comparison;
}

/** Networks of more operations than this are run before they are read. */
const manyOperations = 1e7;
/** What no rounding of a run explains, as a share of the outputs' size, by the coarsest type. */
const clearShare: Readonly<Record<string, number>> = { bfloat16: 0.2, float16: 0.05, float32: 1e-2 };
const firstLooks = 4;

export function isLarge(graph: Graph): boolean {
  const dims = Object.fromEntries(inputShapes(graph).map(({ name, dims: shape }) => [name, shape]));
  try {
    return cost(graph, { dims }).flops > manyOperations;
  } catch (error) {
    if (error instanceof GraphError) return true;
    throw error;
  }
}

/**
 * Large networks that differ plainly on the first few points, by far more than rounding: nothing else need be done.
 * Undefined otherwise.
 */
export async function differentAtOnce(
  a: Graph,
  b: Graph,
  options: CompareOptions,
  isOver: () => boolean,
): Promise<Comparison | undefined> {
  const start = performance.now();
  if (options.tighten || !(isLarge(a) || isLarge(b))) return undefined;
  const types = typesOf(a, b);
  const coarsest = Object.keys(clearShare).find((type) => types.includes(type));
  for (const x of pointsToSee(a, b, options, firstLooks).slice(0, firstLooks)) {
    if (isOver()) return undefined;
    const found = await replayBoth(a, b, x);
    if (found.first.length !== found.second.length) return undefined;
    const scale = found.first.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
    const clear = options.tolerance ?? (clearShare[coarsest ?? ""] ?? 1e-6) * scale;
    if (!(found.difference > clear) || (await isRandomAt([a, b], x, clear))) continue;
    const tolerance = options.tolerance ?? Math.min(clear, roundingTolerance * scale);
    return {
      verdict: "different",
      strength: "checked",
      because: "ONNX Runtime shows it at a point",
      tolerance,
      maxDifference: {
        lower: found.difference,
        upper: Number.POSITIVE_INFINITY,
        at: [...x],
        output: undefined,
      },
      witness: found,
      boxes: 0,
      seconds: (performance.now() - start) / 1000,
    };
  }
  return undefined;
}
