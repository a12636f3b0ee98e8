// What counts as rounding of the runtime.

import { samplePoints } from "../../bounds/difference/match.ts";
import type { Graph } from "../../graph/graph.ts";
import { createRandom } from "../../numbers/random.ts";
import type { Pair } from "./pair.ts";
import { replayBoth, representableIn, typesOf } from "./replay.ts";

const noiseSamples = 6;
/** Networks of other layouts or other units have roundings in their weights too. */
const [pairedFactor, otherFactor] = [1.5, 4];

/** A few roundings, in the type of both networks, of numbers about 1 and of outputs up to `scale`. */
export const typeRounding = (a: Graph, b: Graph, scale: number): number =>
  (typesOf(a, b).every((type) => type === "float64") ? 2 ** -45 : 2 ** -20) * (1 + scale / 2);

/** Rounding of a network in these types stays below this share of 1 and of its greatest output, however deep it is. */
const mostRounding: Readonly<Record<string, number>> = {
  bfloat16: 2 ** -3,
  float16: 2 ** -5,
  float32: 2 ** -9,
  float64: 2 ** -30,
};

export interface RuntimeNoise {
  /** The greatest difference between a run and double precision. */
  readonly seen: number;
  /** A little more than that: what counts as rounding. */
  readonly tolerance: number;
  /** Is it so much that the runtime must compute something else? */
  readonly isBeyondRounding: boolean;
}

/** 0 for the same infinity, or for no number twice. */
function distance(x: number, y: number): number {
  if (Object.is(x, y)) return 0;
  const off = Math.abs(x - y);
  return Number.isNaN(off) ? Number.POSITIVE_INFINITY : off;
}

/**
 * What the runtime itself is off by, beside double precision, on a few points; the tolerance is at least `typeRounding`:
 * where these points have a constant output, others need not.
 */
export async function runtimeNoise(a: Graph, b: Graph, pair: Pair, seed: number): Promise<RuntimeNoise> {
  const { probe, box } = pair;
  let seen = 0;
  for (const x of samplePoints(box, createRandom(`noise ${seed}`), noiseSamples)) {
    const at = representableIn([a, b], x, box.lower, box.upper);
    const values = probe.valuesAt(at);
    const { first, second } = await replayBoth(a, b, at);
    for (const [found, wanted] of [
      [first, values.first],
      [second, values.second],
    ] as const)
      found.forEach((y, k) => {
        seen = Math.max(seen, distance(y, wanted[k]!));
      });
    // At a pole both must be infinite alike: there a zero has a sign, which no real number has.
    first.forEach((y, k) => {
      if (!Number.isFinite(y) || !Number.isFinite(second[k])) seen = Math.max(seen, distance(y, second[k]!));
    });
  }
  const factor = Number.isFinite(pair.deviation) ? pairedFactor : otherFactor;
  const share = typesOf(a, b).reduce((most, type) => Math.max(most, mostRounding[type] ?? 0), 0);
  return {
    seen,
    tolerance: Math.max(factor * seen, typeRounding(a, b, probe.scale)),
    isBeyondRounding: seen > share * (1 + probe.scale),
  };
}
