// The same function on a box from a smaller network: what bounds prove to be superfluous is taken away.

import type { Box } from "../../bounds/linear/row-bounds.ts";
import { checkedBox, type InputRange, networkOf } from "../../bounds/linear.ts";
import { Clock } from "../../engine/clock.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { keptRunnable } from "../../graph/lower-float64.ts";
import { type Sizes, sizes } from "../../passes/sizes.ts";
import { simplifyChannels } from "./channels.ts";
import { foldAndJoin } from "./fold-nodes.ts";
import type { Reduced, SimplifyOptions, TimedOptions } from "./reduced.ts";
import type { LayerReduction, RemovedUnit } from "./removal.ts";
import { readChain, simplifyChain } from "./simplify-chain.ts";
import { simplifySkips } from "./simplify-skips.ts";

export interface Simplification {
  readonly graph: Graph;
  readonly removed: readonly RemovedUnit[];
  readonly layers: readonly LayerReduction[];
  readonly before: Sizes;
  readonly after: Sizes;
  /**
   * |f - g| on the box is at most this, for the real functions of the stored weights. 0: the same function there (without
   * a box: everywhere). Undefined: only rounding, but without a box it has no bound.
   */
  readonly change: number | undefined;
  /** The greatest change that was seen at a point. */
  readonly seen: number | undefined;
  readonly strength: "proved" | "none";
}

function countdown(seconds: number | undefined): (() => number) | undefined {
  if (seconds === undefined) return undefined;
  const clock = new Clock({});
  return () => Math.max(0, seconds - clock.seconds);
}

function boxOf(graph: Graph, range: InputRange | undefined) {
  if (!range) return undefined;
  return checkedBox(networkOf(graph), range);
}

/** The one with fewer units; of the same number, with fewer weights. */
function smaller(a: Reduced | undefined, b: Reduced): Reduced {
  if (!a) return b;
  const [p, q] = [sizes(a.graph), sizes(b.graph)];
  const units = (p.hiddenUnits ?? 0) - (q.hiddenUnits ?? 0);
  return units < 0 || (units === 0 && p.nonzeros < q.nonzeros) ? a : b;
}

const noChange = { upper: 0, seen: 0 };

/** Reduces the graph in the form that suits it. */
async function reduce(source: Graph, box: Box | undefined, options: TimedOptions): Promise<Reduced> {
  const folded = foldAndJoin(source, options.exactOnly ?? false);
  const read = readChain(folded.graph);
  // To read layers can merge maps already, and round.
  const chain = read?.layered.exact || !options.exactOnly ? read : undefined;
  const reduced = chain
    ? await simplifyChain(source, chain, box, options, folded.exact)
    : smaller(
        await simplifySkips(source, folded, box, options),
        await simplifyChannels(source, folded, box, options),
      );
  // A graph that was written anew, with nothing taken away, is no simpler than before.
  const isNew = reduced.removed.length > 0 || sizes(reduced.graph).nonzeros < sizes(folded.graph).nonzeros;
  if (!isNew && folded.exact)
    return { ...reduced, graph: folded.graph, removed: folded.removed, exact: true, change: noChange };
  return { ...reduced, removed: [...folded.removed, ...reduced.removed] };
}

/**
 * A smaller network that is the same function on the box: dead, constant, unused, proportional and always-active units
 * go, BatchNormalization is folded; the change (rounding of merged weights, or what `within` allows) is proved.
 * @example (await simplify(square(3), { box: { lower: [0.25], upper: [0.5] } })).change // at most 1e-12
 */
export async function simplify(source: Graph, options: SimplifyOptions = {}): Promise<Simplification> {
  const { within, exactOnly = false } = options;
  if (within !== undefined && !(within >= 0)) throw new GraphError(`the error allowed is ${within}, below 0`);
  const types = inferTypes(source);
  const empty = source.outputs.find(({ name }) => types.get(name)?.shape?.includes(0));
  if (empty) throw new GraphError(`output "${empty.name}" is an empty tensor: there is nothing to simplify`);
  const box = boxOf(source, options.box);
  const timed = { ...options, left: countdown(options.seconds) };
  const first = await reduce(source, box, timed);
  // Rounding whose bound is not within the error allowed, or that has none, is not allowed.
  const isProved = first.change !== undefined && !(within && first.change.upper > within);
  const reduced =
    isProved || exactOnly || !box ? first : await reduce(source, box, { ...timed, exactOnly: true });
  const [before, after] = [sizes(source), sizes(reduced.graph)];
  const { removed } = reduced;
  const isSmaller = removed.length > 0 || after.nonzeros < before.nonzeros;
  const result = isSmaller ? reduced : { ...reduced, graph: source, change: { upper: 0, seen: 0 } };
  return {
    graph: keptRunnable(result.graph, source),
    removed,
    layers: reduced.layers,
    before,
    after: isSmaller ? after : before,
    change: result.change?.upper,
    seen: result.change?.seen,
    strength: result.change ? "proved" : "none",
  };
}
