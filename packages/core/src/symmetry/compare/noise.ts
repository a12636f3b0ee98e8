// What counts as rounding of the runtime.
import { createRandom } from "../../engine/random.ts";
import type { Graph } from "../../graph/graph.ts";
import { samplePoints } from "../difference/match.ts";
import type { Pair } from "./pair.ts";
import { replayBoth, representableIn, typesOf } from "./replay.ts";

const noiseSamples = 6;
/** Networks of other layouts or other units have roundings in their weights too. */
const [pairedFactor, otherFactor] = [1.5, 4];

/** A few roundings, in the type of both networks, of numbers about 1 and of outputs up to `scale`. */
export const typeRounding = (a: Graph, b: Graph, scale: number): number =>
  (typesOf(a, b).every((type) => type === "float64") ? 2 ** -45 : 2 ** -20) * (1 + scale / 2);

/**
 * A little more than what the runtime itself is off by, beside double precision, on a few points; at least
 * `typeRounding`: where these points have a constant output, others need not.
 */
export async function runtimeNoise(a: Graph, b: Graph, pair: Pair, seed: number): Promise<number> {
  const { probe, box } = pair;
  let noise = 0;
  for (const x of samplePoints(box, createRandom(`noise ${seed}`), noiseSamples)) {
    const at = representableIn([a, b], x, box.lower, box.upper);
    const values = probe.valuesAt(at);
    const { first, second } = await replayBoth(a, b, at);
    for (const [found, wanted] of [
      [first, values.first],
      [second, values.second],
    ] as const)
      found.forEach((y, k) => {
        const off = Math.abs(y - wanted[k]!);
        if (off > noise) noise = off;
      });
  }
  const factor = Number.isFinite(pair.deviation) ? pairedFactor : otherFactor;
  return Math.max(factor * noise, typeRounding(a, b, probe.scale));
}
