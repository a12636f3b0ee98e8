// How far two networks can be apart on a box: bounds on the network of their differences.

import { differenceNetwork, greatestDifference, matchUnits, Probe } from "../../bounds/difference/index.ts";
import { pairUnits, unpaired } from "../../bounds/difference/pairing.ts";
import type { Network } from "../../bounds/linear/network.ts";
import { checkedBox, type InputRange, networkOf } from "../../bounds/linear.ts";
import type { SearchOptions } from "../../engine/clock.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { createRandom } from "../../numbers/random.ts";
import { type CopiedNetwork, withCopies } from "./copied-units.ts";

export interface CertifiedChange {
  /** |f - g| is no greater on the box: proved, for the real functions of the weights. */
  readonly upper: number;
  /** The greatest that was seen at a point, in double precision. */
  readonly seen: number;
}

export interface ChangeOptions extends SearchOptions {
  /** Halve boxes until the bound is at most this; default: no halving. */
  readonly below?: number;
  /** Of each layer of the second network that bends, in order: which units of which such layer of the first these are. */
  readonly origins?: readonly Origin[];
}

export interface Origin {
  /** Among the layers of the first network that bend. */
  readonly layer: number;
  /** Places there; -1 for a unit that the first network does not have. */
  readonly places: ArrayLike<number>;
}

/** What certificates may cost: without a time bounds alone; one attempt at a budget is not given all that is left. */
export function certifying(left: (() => number) | undefined, below?: number): ChangeOptions {
  if (!left) return {};
  return { seconds: left() / (below ? 4 : 1), ...(below !== undefined && { below }) };
}

/** A network as it was read, and with its copies written as such. */
interface Both extends CopiedNetwork {
  readonly plain: Network;
}
const readCopies = (graph: Graph): Both => ({ plain: networkOf(graph), ...withCopies(networkOf(graph)) });

/** Units paired by where they come from; undefined if the networks' layers are not as the origins say. */
function pairByOrigin(first: Both, second: Both, origins: readonly Origin[]) {
  const bends = ({ plain: { layers } }: Both) =>
    layers.slice(0, -1).flatMap(({ kind }, l) => (kind === "linear" ? [] : [l]));
  const [a, b] = [bends(first), bends(second)];
  const isThere =
    b.length === origins.length &&
    origins.every(({ layer, places }, j) => {
      const [from, to] = [first.plain.layers[a[layer] ?? -1], second.plain.layers[b[j]!]!];
      const greatest = Array.from(places).reduce((m, p) => Math.max(m, p), -1);
      return from?.kind === to.kind && to.units === places.length && greatest < from.units;
    });
  if (!isThere) return undefined;
  const pairing = unpaired(second.network);
  const layers = second.network.layers.slice(0, -1).map(() => -1);
  origins.forEach(({ layer, places }, j) => {
    Array.from(places).forEach((place, unit) => {
      const to = second.place(b[j]!, unit);
      if (place < 0 || to.isCopy) return;
      const from = first.place(a[layer]!, place);
      layers[second.network.layers.indexOf(to.layer)] = first.network.layers.indexOf(from.layer);
      pairUnits(pairing, [from.layer, from.unit], [to.layer, to.unit]);
    });
  });
  return { pairing, layers };
}

/** A layer without partners may read units whose partners come before: those must be there by then. */
function upToHere(layers: readonly number[]): readonly number[] {
  let last = -1;
  return layers.map((layer) => {
    last = Math.max(last, layer);
    return layer < 0 ? last : layer;
  });
}

/** A proved bound on |f - g| on a box; undefined where no bounds are known for the operators. */
export async function certifiedChange(
  source: Graph,
  reduced: Graph,
  range: InputRange,
  { below, origins, ...options }: ChangeOptions = {},
): Promise<CertifiedChange | undefined> {
  try {
    const both = [readCopies(source), readCopies(reduced)] as const;
    const [first, second] = [both[0].network, both[1].network];
    const box = checkedBox(first, range);
    const random = createRandom("simplify");
    const { pairing, layers } =
      (origins && pairByOrigin(...both, origins)) ?? matchUnits(first, second, random);
    const probe = new Probe(first, second);
    probe.search(box, random, { points: 40, climbs: 2, steps: 10 });
    const difference = differenceNetwork(first, second, pairing, upToHere(layers));
    if (difference.zero.every(Boolean) && first.isExact && second.isExact) return { upper: 0, seen: 0 };
    const { upper } = await greatestDifference(difference, box, probe, {
      ...options,
      below: below ?? Number.POSITIVE_INFINITY,
    });
    return { upper, seen: Math.max(0, probe.greatest) };
  } catch (error) {
    if (error instanceof GraphError) return undefined;
    throw error;
  }
}
