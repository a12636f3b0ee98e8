// Both networks of a comparison, their units paired, and the points where they were seen.

import { weightDeviation } from "../../bounds/difference/deviation.ts";
import { drawGates } from "../../bounds/difference/gates.ts";
import { loweringError } from "../../bounds/difference/lowering-error.ts";
import { matchUnits, samplePoints } from "../../bounds/difference/match.ts";
import { type DifferenceNetwork, differenceNetwork } from "../../bounds/difference/network.ts";
import { Probe } from "../../bounds/difference/probe.ts";
import type { Network } from "../../bounds/linear/network.ts";
import type { Box } from "../../bounds/linear/row-bounds.ts";
import { checkedBox, networkOf } from "../../bounds/linear.ts";
import { middle } from "../../bounds/split/bisect.ts";
import { DataError } from "../../data/error.ts";
import { TimeOver } from "../../engine/time-over.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { createRandom } from "../../numbers/random.ts";
import { addUp } from "../../numbers/rounding.ts";
import type { CompareOptions } from "./comparison.ts";
import { type LayerSymmetry, symmetryOf } from "./pairing-symmetry.ts";
import { rowsOn } from "./rows-on.ts";

/** Each round of the search looks at twice as many points as the one before. */
const [rounds, firstPoints, climbs, steps, opened] = [7, 16, 2, 30, 4];

function checkInterfaces(first: Network, second: Network): void {
  const counts = ({ inputs, outputNames }: Network): string =>
    `${inputs} inputs and ${outputNames.length} outputs`;
  if (counts(first) !== counts(second))
    throw new DataError(`the first network has ${counts(first)}, the second ${counts(second)}`);
  if (first.outputNames.length === 0)
    throw new DataError("the outputs of both networks are empty: there is nothing to compare");
}

/** Is a point in the box? */
export const isWithin = ({ lower, upper }: Box, x: Float64Array): boolean =>
  x.every((v, i) => v >= lower[i]! && v <= upper[i]!);

/** Bounds of all outputs; undefined where there are none. */
function rangesOf(network: Network, box: Box, isHurried: boolean) {
  try {
    const { rowLower, rowUpper } = rowsOn(network, box, isHurried);
    const { firstRow, rows } = network.layers.at(-1)!;
    return {
      lower: rowLower.subarray(firstRow, firstRow + rows),
      upper: rowUpper.subarray(firstRow, firstRow + rows),
    };
  } catch (error) {
    if (error instanceof GraphError || error instanceof RangeError) return undefined;
    throw error;
  }
}

export class Pair {
  readonly first: Network;
  readonly second: Network;
  readonly box: Box;
  readonly isBoxed: boolean;
  readonly probe: Probe;
  readonly difference: DifferenceNetwork;
  readonly symmetry: readonly LayerSymmetry[];
  readonly #pairing: ReturnType<typeof matchUnits>;
  readonly #points: readonly Float64Array[];
  #deviation: number | undefined;
  #loweringError: number | undefined;

  /** A `TimeOver` once `isOver` between two of the steps. */
  constructor(a: Graph, b: Graph, { box, points = [], seed = 1 }: CompareOptions, isOver = () => false) {
    const check = (): void => {
      if (isOver()) throw new TimeOver();
    };
    this.first = networkOf(a, isOver);
    this.second = networkOf(b, isOver);
    checkInterfaces(this.first, this.second);
    const sides = { length: this.first.inputs };
    this.isBoxed = box !== undefined;
    this.box = checkedBox(
      this.first,
      box ?? { lower: Array.from(sides, () => -1), upper: Array.from(sides, () => 1) },
    );
    this.#points = points.filter((x) => isWithin(this.box, x));
    this.probe = new Probe(this.first, this.second);
    for (const x of this.#points) {
      check();
      this.probe.at(x);
    }
    const random = createRandom(seed);
    this.#pairing = matchUnits(this.first, this.second, random, isOver);
    const { pairing, layers } = this.#pairing;
    check();
    this.difference = differenceNetwork(this.first, this.second, pairing, layers);
    this.symmetry = symmetryOf(this.first, this.second, pairing, layers);
    this.probe.at(middle(this.box));
    for (const x of samplePoints(this.box, random, 16)) {
      check();
      this.probe.at(x);
    }
  }

  get isExact(): boolean {
    return this.first.isExact && this.second.isExact;
  }

  /** Is the difference 0 for all inputs, as exact arithmetic on the weights says? */
  get isZero(): boolean {
    return this.difference.zero.every(Boolean);
  }

  /** How far weights of partners are apart. */
  get deviation(): number {
    const { pairing, layers } = this.#pairing;
    this.#deviation ??= weightDeviation(this.first, this.second, pairing, layers);
    return this.#deviation;
  }

  /** How far outputs can be apart as bounds on each network alone say, rounding of weights included. */
  apart(isHurried: boolean): number {
    const [a, b] = [this.first, this.second].map((network) => rangesOf(network, this.box, isHurried));
    if (!a || !b) return Number.POSITIVE_INFINITY;
    return a.lower.reduce(
      (most, l, k) => Math.max(most, addUp(b.upper[k]!, -l), addUp(a.upper[k]!, -b.lower[k]!)),
      0,
    );
  }

  /** How much more the graphs can differ on the box than the networks, whose weights may be rounded. */
  get loweringError(): number {
    if (this.#loweringError === undefined) {
      const [a, b] = [this.first, this.second].map((network) => loweringError(network, this.box));
      this.#loweringError = a!.reduce((most, e, k) => Math.max(most, e + b![k]!), 0);
    }
    return this.#loweringError;
  }

  /** Looks for points that differ by more than `enough`: at random, and where the changed weights are seen at all. */
  search(seed: number, enough: number, isOver: () => boolean): void {
    const { probe, first, box } = this;
    const { changes } = this.difference;
    const random = createRandom(seed);
    const isDone = (): boolean => isOver() || probe.greatest > enough;
    for (let round = 0; round < rounds && !isDone(); round++) {
      const starts = round === 0 ? [...this.#points, middle(box)] : [];
      const more = { points: firstPoints << round, climbs, steps, starts };
      probe.search(box, random, { ...more, isOver, enough });
      for (const x of samplePoints(box, random, changes.length > 0 ? opened : 0))
        if (!isDone()) probe.open(box, x, drawGates(first, changes, random), isDone);
    }
  }
}
