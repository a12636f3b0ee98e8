// Are two networks the same function? By exact normal forms where there are any, by pairing their units, by bounds on
// their difference, and by points where they differ.

import {
  type DifferenceBounds,
  type DifferenceSearch,
  greatestDifference,
} from "../../bounds/difference/search.ts";
import { networkOf } from "../../bounds/linear.ts";
import { TimeOver } from "../../engine/time-over.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { canonical } from "../../graph/upgrade.ts";
import { withoutTables } from "../../graph/zip-map.ts";
import { createRandom } from "../../numbers/random.ts";
import { widenBfloat16 } from "../widen-bfloat16.ts";
import { decidedByForm } from "./by-canonical-form.ts";
import { compareBySamples, differentAtOnce, isLarge } from "./by-samples.ts";
import type { CompareOptions, Comparison, Finding } from "./comparison.ts";
import { decidedByWeights } from "./decided-by-weights.ts";
import { runtimeNoise } from "./noise.ts";
import { lineDistance } from "./one-dimensional.ts";
import { Pair } from "./pair.ts";
import { type Replay, replayBoth, representableIn } from "./replay.ts";
import { quickSlots } from "./rows-on.ts";

/** Points that the double-precision search found, as ONNX Runtime sees them. */
async function replayed(
  a: Graph,
  b: Graph,
  { probe, box }: Pair,
  points: readonly Float64Array[],
): Promise<Replay | undefined> {
  const { point } = probe;
  if (!point) return undefined;
  const isGiven = points.some((x) => x.every((v, i) => v === point[i]));
  const at = isGiven ? point : representableIn([a, b], point, box.lower, box.upper);
  // What is reported is what was replayed.
  probe.forget();
  probe.at(at);
  return replayBoth(a, b, at);
}

const mixing = new Set(
  "Softmax LogSoftmax LayerNormalization InstanceNormalization GroupNormalization LpNormalization LRN".split(
    " ",
  ),
);
/** Does an operator make of several units what none of them is? No pairing of units decides such networks, but forms may. */
const isMixing = (graph: Graph): boolean => canonical(graph).nodes.some(({ op }) => mixing.has(op));

/**
 * Compares two networks with the same numbers of inputs and outputs, which need not have the same layout.
 * @example (await compareNetworks(net, net)).verdict // "equivalent"
 */
export async function compareNetworks(
  first: Graph,
  second: Graph,
  options: CompareOptions = {},
): Promise<Comparison> {
  const start = performance.now();
  const { seconds = Number.POSITIVE_INFINITY } = options;
  const isOver = (): boolean => performance.now() - start > 1000 * seconds;
  const [a, b] = [widenBfloat16(withoutTables(first)), widenBfloat16(withoutTables(second))];
  const different = await differentAtOnce(a, b, options, isOver);
  if (different) return different;
  const isPlainQuestion = options.tolerance === undefined && !options.tighten;
  if (isPlainQuestion && (isMixing(a) || isLarge(a)) && decidedByForm(a, b))
    return compareBySamples(
      a,
      b,
      options,
      "units are mixed, or too many, to find partners one by one",
      isOver,
    );
  const bySamples = (error: unknown): Promise<Comparison> => {
    if (error instanceof TimeOver || hasNoBounds(error))
      return compareBySamples(a, b, options, error.message, isOver);
    throw error;
  };
  try {
    networkOf(a, isOver);
    networkOf(b, isOver);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return bySamples(error);
  }
  return compareByBounds(a, b, options).catch(bySamples);
}

/** Errors of passes on a box where a function has no value or no bound: 1/x about 0, say. */
const hasNoBounds = (error: unknown): error is Error =>
  error instanceof GraphError || error instanceof RangeError;

async function compareByBounds(a: Graph, b: Graph, options: CompareOptions): Promise<Comparison> {
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  const { points = [], seconds: limit = Number.POSITIVE_INFINITY, seed = 1, tighten = false } = options;
  const isOver = (share = 1): boolean => seconds() > share * limit;
  if (networkOf(a).outputNames.length === 0)
    throw new GraphError("their outputs are empty tensors, which have no bounds");
  const pair = new Pair(a, b, options, isOver);
  const { probe, box, difference } = pair;
  const noise = await runtimeNoise(a, b, pair, seed);
  // What the runtime computes is then not the function that all proofs would be about, and such a tolerance would be none.
  if (noise.isBeyondRounding)
    return compareBySamples(
      a,
      b,
      options,
      `ONNX Runtime is off by ${noise.seen.toPrecision(2)} beside what was read of the networks, too much to compare by bounds: it rounds badly here, or computes something else`,
      isOver,
    );
  const tolerance = options.tolerance ?? noise.tolerance;
  const exact = decidedByWeights(a, b, pair, isOver) ?? decidedByForm(a, b);
  let standing = exact;
  let bounds: DifferenceBounds | undefined;
  let apartBound: number | undefined;
  const apart = (): number => {
    apartBound ??= pair.apart(seconds() > limit);
    return apartBound;
  };
  const answer = (finding: Finding, witness?: Replay): Comparison => {
    const { verdict, strength, because } = finding;
    const known = Math.min(finding.upper, bounds?.upper ?? Number.POSITIVE_INFINITY);
    const more = known <= probe.scale || strength === "proved" || witness ? known : apart();
    const upper = Math.max(0, Math.min(known, more));
    const seen = Math.max(0, probe.greatest);
    // What is seen beyond a bound on the real functions is rounding of double precision.
    const isBounded = verdict === "equivalent" || verdict === "within";
    const lower = isBounded || seen - upper <= seenRounding * probe.scale ? Math.min(seen, upper) : seen;
    return {
      verdict,
      strength,
      because,
      tolerance,
      maxDifference: {
        lower,
        upper,
        at: lower > 0 && probe.point ? [...probe.point] : undefined,
        output: lower > 0 ? pair.first.outputNames[probe.output] : undefined,
      },
      ...(pair.symmetry.length > 0 && Number.isFinite(pair.deviation) && { symmetry: pair.symmetry }),
      ...(witness && { witness }),
      units: difference.units,
      boxes: bounds?.boxes ?? 0,
      seconds: seconds(),
    };
  };
  if (exact && (pair.isZero || Number.isFinite(exact.upper))) return answer(exact);
  // Where the rounding of weights has no bound, `within` says so.
  const withRounding = (upper: number): number => {
    const error = Number.isFinite(pair.loweringError) ? pair.loweringError : 0;
    return error === 0 ? upper : upper + error * (1 + 2 ** -50);
  };
  const bounding = async (more: DifferenceSearch): Promise<DifferenceBounds | undefined> => {
    try {
      const left = Math.max(0, limit - seconds());
      const found = await greatestDifference(difference, box, probe, {
        ...options,
        onBounds: (lower, upper) => options.onBounds?.(lower, withRounding(upper)),
        seconds: left,
        ...more,
      });
      return { ...found, upper: withRounding(found.upper) };
    } catch (error) {
      if (hasNoBounds(error)) return undefined;
      throw error;
    }
  };
  // With a tolerance of one's own, weights that agree up to rounding are no answer yet; nor where more is seen than rounding.
  if (exact && options.tolerance === undefined) {
    probe.search(box, createRandom(seed), { points: 50, climbs: 2, isOver: () => isOver(searchShare) });
    if (probe.greatest <= weightRounding * tolerance) {
      // The bound is only for information: asked for, or quickly had.
      if (tighten || difference.network.slots <= quickSlots)
        bounds = await bounding(tighten ? {} : { below: Number.POSITIVE_INFINITY });
      return answer(exact);
    }
    standing = undefined;
  }
  pair.search(seed, tolerance, () => isOver(searchShare));
  const line = pair.first.inputs === 1 ? lineDistance(a, b, box.lower[0]!, box.upper[0]!) : undefined;
  const unrefuted: Finding = {
    verdict: "unknown",
    strength: "sampled",
    because: "",
    upper: line === undefined ? Number.POSITIVE_INFINITY : line + pair.loweringError,
  };
  const within = (how: string): Comparison => {
    const isProved = Number.isFinite(pair.loweringError);
    return answer({
      ...unrefuted,
      verdict: "within",
      strength: isProved ? "proved" : "checked",
      because: isProved ? how : `${how}, for weights as rounded to double precision`,
    });
  };
  const undecided = (last: DifferenceBounds | undefined): Finding => ({
    ...unrefuted,
    because: !last
      ? Number.isFinite(apart())
        ? "no bound on the difference is known but that of both networks apart, which did not come down to the tolerance"
        : "no bounds are known for these operators on this box"
      : last.stopped === "time"
        ? "the time was over before the bound came down to the tolerance"
        : "the bound did not come down to the tolerance",
  });
  for (let refusals = 0; ; ) {
    if (probe.greatest > tolerance && refusals < mostRefusals) {
      const witness = await replayed(a, b, pair, points);
      if (witness && witness.difference > tolerance && probe.greatest > tolerance)
        return answer(
          {
            ...unrefuted,
            verdict: "different",
            strength: "checked",
            because: "ONNX Runtime shows it at a point",
          },
          witness,
        );
      refusals++;
      probe.forget();
      pair.search(seed + refusals, tolerance, () => isOver(searchShare));
      continue;
    }
    if (unrefuted.upper <= tolerance) return within("exact pieces of both networks of one number");
    if (bounds && isOver()) return answer(standing ?? undecided(bounds));
    const found = await bounding({
      below: tighten ? 0 : Math.max(0, tolerance - pair.loweringError),
      ...(refusals < mostRefusals && { above: tolerance }),
    });
    if (!bounds || (found && found.upper < bounds.upper)) bounds = found;
    if (bounds && bounds.upper <= tolerance)
      return within("bounds on the difference of both networks, on all of the box");
    // A point on the way may show more.
    if (probe.greatest > tolerance && refusals < mostRefusals) continue;
    return answer(standing ?? undecided(bounds));
  }
}

/** The share of the time in which points are looked for before there are bounds. */
const searchShare = 0.5;
/** Weights that agree up to rounding may show so many times what rounding of the runtime does. */
const weightRounding = 8;
/** Sums in double precision are off by no more than this share of the outputs. */
const seenRounding = 2 ** -40;
/** Points on the edge of the tolerance that the runtime does not confirm. */
const mostRefusals = 5;
