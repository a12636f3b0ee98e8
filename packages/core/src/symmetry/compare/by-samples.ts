// Networks that no bounds can be had of: what ONNX Runtime computes on sample points.
import { DataError } from "../../data/error.ts";
import { createRandom } from "../../engine/random.ts";
import { equalGraphs } from "../../graph/equal.ts";
import type { Graph } from "../../graph/graph.ts";
import { samplePoints } from "../difference/match.ts";
import type { CompareOptions, Comparison } from "./comparison.ts";
import { typeRounding } from "./noise.ts";
import { isWithin } from "./pair.ts";
import { inputSize, type Replay, replayBoth, representableIn } from "./replay.ts";

/** Without a tolerance, differences up to this share of the greatest output count as rounding of the runtime. */
export const roundingTolerance = 1e-5;

const samples = 64;

/** Does one of the networks differ from itself at a point, as with a dropout that is switched on? */
async function isRandomAt(graphs: readonly Graph[], x: Float64Array, tolerance: number): Promise<boolean> {
  for (const graph of graphs) if ((await replayBoth(graph, graph, x)).difference > tolerance) return true;
  return false;
}

/** The greatest difference on given and random points; `reason` says why there is no more than that. */
export async function compareBySamples(
  a: Graph,
  b: Graph,
  options: CompareOptions,
  reason: string,
): Promise<Comparison> {
  const start = performance.now();
  const { points = [], seed = 1, signal } = options;
  const size = inputSize(a);
  if (size !== inputSize(b))
    throw new DataError(`the first network has ${size} inputs, the second ${inputSize(b)}`);
  const side = (value: number) => Float64Array.from({ length: size }, () => value);
  const box = options.box
    ? { lower: Float64Array.from(options.box.lower), upper: Float64Array.from(options.box.upper) }
    : { lower: side(-1), upper: side(1) };
  const random = samplePoints(box, createRandom(seed), samples);
  const inside = points.filter((x) => isWithin(box, x));
  const xs = [...inside, ...random.map((x) => representableIn([a, b], x, box.lower, box.upper))];
  let [greatest, scale]: [Replay | undefined, number] = [undefined, 0];
  for (const x of xs) {
    signal?.throwIfAborted();
    const found = await replayBoth(a, b, x);
    if (found.first.length !== found.second.length)
      throw new DataError(
        `the first network has ${found.first.length} outputs, the second ${found.second.length}`,
      );
    scale = found.first.reduce((m, v) => (Math.abs(v) > m ? Math.abs(v) : m), scale);
    if (!greatest || found.difference > greatest.difference) greatest = found;
  }
  const tolerance = options.tolerance ?? Math.max(roundingTolerance * scale, typeRounding(a, b, scale));
  const isSame = equalGraphs(a, b);
  const isBeyond = !isSame && greatest !== undefined && greatest.difference > tolerance;
  const isRandom = isBeyond && (await isRandomAt([a, b], greatest!.at, tolerance));
  const isDifferent = isBeyond && !isRandom;
  return {
    verdict: isSame ? "equivalent" : isDifferent ? "different" : "unknown",
    strength: isSame ? "proved" : isDifferent ? "checked" : "sampled",
    because: isSame
      ? "the graphs are the same"
      : isDifferent
        ? "ONNX Runtime shows it at a point"
        : isRandom
          ? "a network gives other outputs each time it runs"
          : `no more was seen on ${xs.length} points, and there are no bounds: ${reason}`,
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
