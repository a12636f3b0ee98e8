// Networks that no bounds can be had of: what ONNX Runtime computes on sample points.
import { DataError } from "../../data/error.ts";
import { createRandom } from "../../engine/random.ts";
import { equalGraphs } from "../../graph/equal.ts";
import type { Graph } from "../../graph/graph.ts";
import { samplePoints } from "../difference/match.ts";
import type { CompareOptions, Comparison } from "./comparison.ts";
import { inputSize, type Replay, replayBoth, representableIn } from "./replay.ts";

/** Without a tolerance, differences up to this share of the greatest output count as rounding of the runtime. */
export const roundingTolerance = 1e-5;

const samples = 64;

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
  const xs = [...points, ...random.map((x) => representableIn([a, b], x, box.lower, box.upper))];
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
  const tolerance = options.tolerance ?? roundingTolerance * scale;
  const isSame = equalGraphs(a, b);
  const isDifferent = !isSame && greatest !== undefined && greatest.difference > tolerance;
  return {
    verdict: isSame ? "equivalent" : isDifferent ? "different" : "unknown",
    strength: isSame ? "proved" : isDifferent ? "checked" : "sampled",
    because: isSame
      ? "the graphs are the same"
      : isDifferent
        ? "ONNX Runtime shows it at a point"
        : `no more was seen on ${xs.length} points, and there are no bounds: ${reason}`,
    tolerance,
    maxDifference: {
      lower: greatest?.difference ?? 0,
      upper: isSame ? 0 : Number.POSITIVE_INFINITY,
      at: greatest && greatest.difference > 0 ? [...greatest.at] : undefined,
      output: undefined,
    },
    ...(isDifferent && { witness: greatest }),
    boxes: 0,
    seconds: (performance.now() - start) / 1000,
  } as Comparison;
}
