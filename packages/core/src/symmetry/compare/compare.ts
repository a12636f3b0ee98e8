// Are two networks the same function? By exact normal forms where there are any, by pairing their units, by bounds on
// their difference, and by points where they differ.
import { DataError } from "../../data/error.ts";
import { createRandom } from "../../engine/random.ts";
import { equalGraphs } from "../../graph/equal.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Box } from "../../passes/linear-bounds/box-bounds.ts";
import type { Network } from "../../passes/linear-bounds/network.ts";
import { checkedBox, networkOf } from "../../passes/linear-bounds.ts";
import { weightDeviation } from "../difference/deviation.ts";
import { gatesOf, stretched } from "../difference/gates.ts";
import { matchUnits, samplePoints } from "../difference/match.ts";
import { type DifferenceNetwork, differenceNetwork } from "../difference/network.ts";
import { Probe } from "../difference/probe.ts";
import { type DifferenceBounds, greatestDifference } from "../difference/search.ts";
import { compareBySamples } from "./by-samples.ts";
import type { CompareOptions, Comparison } from "./comparison.ts";
import { lineDistance } from "./one-dimensional.ts";
import { type LayerSymmetry, symmetryOf } from "./pairing-symmetry.ts";
import { type Replay, replayBoth, representableIn, typesOf } from "./replay.ts";
import { compareShallow, shallowForm } from "./shallow-form.ts";

/** Rows that agree to this share of their greatest weight, a few roundings to single precision, are taken to be the same. */
const roundedWeights = 2 ** -20;

/** Both networks, their units paired, and the points where they were seen. */
class Pair {
  readonly first: Network;
  readonly second: Network;
  readonly box: Box;
  readonly isBoxed: boolean;
  readonly probe: Probe;
  readonly difference: DifferenceNetwork;
  readonly symmetry: readonly LayerSymmetry[];
  readonly #pairing: ReturnType<typeof matchUnits>;

  constructor(a: Graph, b: Graph, { box, points = [], seed = 1 }: CompareOptions) {
    this.first = networkOf(a);
    this.second = networkOf(b);
    checkInterfaces(this.first, this.second);
    const sides = { length: this.first.inputs };
    this.isBoxed = box !== undefined;
    this.box = checkedBox(
      this.first,
      box ?? { lower: Array.from(sides, () => -1), upper: Array.from(sides, () => 1) },
    );
    this.probe = new Probe(this.first, this.second);
    for (const x of points) this.probe.at(x);
    const random = createRandom(seed);
    this.#pairing = matchUnits(this.first, this.second, random);
    const { pairing, layers } = this.#pairing;
    this.difference = differenceNetwork(this.first, this.second, pairing, layers);
    this.symmetry = symmetryOf(this.first, this.second, pairing, layers);
    this.probe.at(this.box.lower.map((l, i) => l / 2 + this.box.upper[i]! / 2));
    for (const x of samplePoints(this.box, random, 16)) this.probe.at(x);
  }

  get isExact(): boolean {
    return this.first.isExact && this.second.isExact;
  }

  /** How far weights of partners are apart. */
  deviation(): number {
    const { pairing, layers } = this.#pairing;
    return weightDeviation(this.first, this.second, pairing, layers);
  }

  /** Looks for points that differ by more than `enough`: at random, and where the changed weights are seen at all. */
  search(seed: number, enough: number, isOver: () => boolean): void {
    const { probe, difference } = this;
    const random = createRandom(seed);
    // Without a box any point counts.
    for (const box of this.isBoxed
      ? [this.box]
      : [this.box, stretched(this.box, 8), stretched(this.box, 64)]) {
      const isDone = (): boolean => isOver() || probe.greatest > enough;
      probe.search(box, random, { isOver, enough });
      for (const gates of gatesOf(this.first, difference.changes, random))
        for (const x of samplePoints(box, random, 4)) if (!isDone()) probe.open(box, x, gates, isOver);
      if (isDone()) return;
    }
  }

  get isZero(): boolean {
    return this.difference.zero.every(Boolean);
  }
}

function checkInterfaces(first: Network, second: Network): void {
  const counts = ({ inputs, outputNames }: Network): string =>
    `${inputs} inputs and ${outputNames.length} outputs`;
  if (counts(first) !== counts(second))
    throw new DataError(`the first network has ${counts(first)}, the second ${counts(second)}`);
}

type Finding = Pick<Comparison, "verdict" | "strength" | "because"> & { readonly upper: number };

/** What exact arithmetic on the weights says, if anything. */
function decidedExactly(a: Graph, b: Graph, pair: Pair): Finding | undefined {
  const proved = { verdict: "equivalent", strength: "proved", upper: 0 } as const;
  const { first, second, box, isBoxed, symmetry } = pair;
  if (equalGraphs(a, b)) return { ...proved, because: "the graphs are the same" };
  if (pair.isZero) {
    const because =
      symmetry.length > 0
        ? "every unit of the second network is one of the first, permuted, scaled or flipped"
        : "every unit of the second network has the weights of one of the first";
    return { ...proved, strength: pair.isExact ? "proved" : "checked", because };
  }
  const everywhere = [shallowForm(first), shallowForm(second)] as const;
  if (everywhere[0] && everywhere[1]) {
    if (compareShallow(everywhere[0], everywhere[1]).equal)
      return { ...proved, because: "both have the same normal form as networks with one hidden layer" };
    const onBox = isBoxed ? [shallowForm(first, box), shallowForm(second, box)] : [];
    if (onBox[0] && onBox[1] && compareShallow(onBox[0], onBox[1]).equal)
      return { ...proved, because: "both have the same normal form on the box, though not everywhere" };
  }
  const deviation = pair.deviation();
  if (deviation <= roundedWeights)
    return {
      verdict: "equivalent",
      strength: "checked",
      because: `every unit of the second network is one of the first${symmetry.length > 0 ? ", permuted, scaled or flipped" : ""}; weights agree to ${deviation.toExponential(1)} of their rows' greatest`,
      upper: Number.POSITIVE_INFINITY,
    };
  return undefined;
}

const noiseSamples = 6;

/** Four times what the runtime itself is off by, beside double precision, on a few points; at least rounding to its type. */
async function runtimeNoise(a: Graph, b: Graph, { probe, box }: Pair, seed: number): Promise<number> {
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
        noise = Math.max(noise, Math.abs(y - wanted[k]!));
      });
  }
  const unit = typesOf(a, b).every((type) => type === "float64") ? 2 ** -48 : 2 ** -21;
  return Math.max(noiseFactor * noise, unit * probe.scale);
}
const noiseFactor = 4;

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
  const isInside = point.every((v, i) => v >= box.lower[i]! && v <= box.upper[i]!);
  const sides = isInside
    ? box
    : {
        lower: box.lower.map(() => Number.NEGATIVE_INFINITY),
        upper: box.upper.map(() => Number.POSITIVE_INFINITY),
      };
  const at = isGiven ? point : representableIn([a, b], point, sides.lower, sides.upper);
  // What is reported is what was replayed.
  probe.forget();
  probe.at(at);
  return replayBoth(a, b, at);
}

/**
 * Compares two networks with the same numbers of inputs and outputs, which need not have the same layout.
 * @example (await compareNetworks(net, net)).verdict // "equivalent"
 */
export async function compareNetworks(a: Graph, b: Graph, options: CompareOptions = {}): Promise<Comparison> {
  try {
    networkOf(a);
    networkOf(b);
  } catch (error) {
    if (error instanceof GraphError) return compareBySamples(a, b, options, error.message);
    throw error;
  }
  return compareByBounds(a, b, options);
}

async function compareByBounds(a: Graph, b: Graph, options: CompareOptions): Promise<Comparison> {
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  const { points = [], seconds: limit = Number.POSITIVE_INFINITY, seed = 1, tighten = false } = options;
  const pair = new Pair(a, b, options);
  const { probe, box, difference } = pair;
  const tolerance = options.tolerance ?? (await runtimeNoise(a, b, pair, seed));
  const exact = decidedExactly(a, b, pair);
  let bounds: DifferenceBounds | undefined;
  const answer = (finding: Finding, witness?: Replay): Comparison => ({
    verdict: finding.verdict,
    strength: finding.strength,
    because: finding.because,
    tolerance,
    maxDifference: {
      lower: Math.max(0, probe.greatest),
      upper: Math.max(0, Math.min(finding.upper, bounds?.upper ?? Number.POSITIVE_INFINITY)),
      at: probe.greatest > 0 && probe.point ? [...probe.point] : undefined,
      output: probe.greatest > 0 ? pair.first.outputNames[probe.output] : undefined,
    },
    ...(pair.symmetry.length > 0 && finding.verdict === "equivalent" && { symmetry: pair.symmetry }),
    ...(witness && { witness }),
    units: difference.units,
    boxes: bounds?.boxes ?? 0,
    seconds: seconds(),
  });
  if (exact && exact.upper === 0) return answer(exact);
  const isOver = (): boolean => seconds() > limit;
  // With a tolerance of one's own, weights that agree up to rounding are no answer yet.
  const isSettled = exact !== undefined && options.tolerance === undefined;
  if (!isSettled) pair.search(seed, tolerance, isOver);
  const bounding = async (share: number, more: object): Promise<DifferenceBounds | undefined> => {
    try {
      const left = Math.max(0, limit - seconds()) * share;
      return await greatestDifference(difference, box, probe, { ...options, seconds: left, ...more });
    } catch (error) {
      if (error instanceof GraphError) return undefined;
      throw error;
    }
  };
  if (isSettled) {
    // The bound is only for information: asked for, or quickly had.
    probe.search(box, createRandom(seed), { points: 50, climbs: 2, isOver });
    if (tighten || difference.network.slots <= quickSlots)
      bounds = await bounding(1, tighten ? {} : { below: Number.POSITIVE_INFINITY });
    return answer(exact);
  }
  const line = pair.first.inputs === 1 ? lineDistance(a, b, box.lower[0]!, box.upper[0]!) : undefined;
  const unrefuted: Finding = {
    verdict: "unknown",
    strength: "sampled",
    because: "",
    upper: line ?? Number.POSITIVE_INFINITY,
  };
  let refusals = 0;
  for (;;) {
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
      pair.search(seed + refusals, tolerance, isOver);
    }
    if (line !== undefined && line <= tolerance)
      return answer({
        ...unrefuted,
        verdict: "within",
        strength: "proved",
        because: "exact pieces of both networks of one number",
      });
    bounds = await bounding(1, {
      below: tighten ? 0 : tolerance,
      above: refusals < mostRefusals ? tolerance : undefined,
    });
    if (bounds && bounds.upper <= tolerance)
      return answer({
        ...unrefuted,
        verdict: "within",
        strength: "proved",
        because: "bounds on the difference of both networks, on all of the box",
      });
    if (bounds?.stopped !== "above" || refusals >= mostRefusals || isOver())
      return answer(
        exact ?? {
          ...unrefuted,
          because: bounds
            ? "the time was over before the bound came down to the tolerance"
            : "no bounds are known for these operators on this box",
        },
      );
  }
}

/** A box of networks of this size is bounded in a moment. */
const quickSlots = 1500;
/** Points on the edge of the tolerance that the runtime does not confirm. */
const mostRefusals = 5;
