// A chain of layers on a box, reduced: bounds, steps, the error allowed, and the proof of what changed.

import type { Box } from "../../bounds/linear/row-bounds.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Layered } from "../../networks/layers/layered.ts";
import { readLayers } from "../../networks/layers/read.ts";
import { spendBudget } from "./budget.ts";
import { certifiedChange, certifying } from "./certified-change.ts";
import { boundUnits, refineUnits } from "./chain-bounds.ts";
import { type ChainInterface, chainGraph, chainInterface } from "./chain-graph.ts";
import { fixInputs, mergeUnits, type ReducedChain, reduceChain } from "./reduce-chain.ts";
import type { Reduced, TimedOptions } from "./reduced.ts";
import { reductionsOf } from "./removal.ts";
import { unitChain } from "./unit-chain.ts";

/** The layers of a graph, if it is such a chain. */
export function readChain(
  graph: Graph,
): { readonly layered: Layered; readonly io: ChainInterface } | undefined {
  try {
    const io = chainInterface(graph);
    return io && { layered: readLayers(graph), io };
  } catch (error) {
    if (error instanceof GraphError) return undefined;
    throw error;
  }
}

/** Reduces the chain; `source` is what the change is measured against, and the same as the chain if it is unfolded. */
export async function simplifyChain(
  source: Graph,
  { layered, io }: NonNullable<ReturnType<typeof readChain>>,
  box: Box | undefined,
  options: TimedOptions,
  isUnfolded: boolean,
): Promise<Reduced> {
  const { within = 0, exactOnly = false, left, signal, onProgress } = options;
  const search = { ...(signal && { signal }) };
  const limits = {
    ...search,
    ...(onProgress && { onProgress: (share: number) => onProgress(0.5 * share) }),
  };
  const merged = mergeUnits(
    unitChain({ ...layered, exact: layered.exact && isUnfolded }, io.precision, box),
    { exactOnly },
  );
  let chain = await boundUnits(merged.chain, { ...limits, ...(left && { seconds: left() / 2 }) });
  const isRelu = chain.activation === "relu";
  if (box && isRelu && left) chain = await refineUnits(chain, left() / 2, limits);
  const reduced = reduceChain(fixInputs(chain, { exactOnly }), { exactOnly });
  const first = { chain: reduced.chain, removed: [...merged.removed, ...reduced.removed] };
  const graphOfChain = ({ chain: { layers, activation, exact } }: ReducedChain): Graph =>
    chainGraph(source, { layers, activation, exact }, io);
  const certify = async (reduced: ReducedChain, below?: number) => {
    if (reduced.chain.exact) return { upper: 0, seen: 0 };
    if (!box) return undefined;
    const hidden = reduced.chain.layers.slice(0, -1);
    const origins = hidden.map(({ number, places }) => ({ layer: number - 1, places }));
    return certifiedChange(source, graphOfChain(reduced), box, {
      ...search,
      ...certifying(left, below),
      origins,
    });
  };
  onProgress?.(0.6);
  const spent =
    within > 0 && box && !exactOnly ? await spendBudget(first, within, certify, onProgress) : undefined;
  const result = spent?.reduced ?? first;
  const change = spent?.change ?? (await certify(first, 0));
  const { layers, exact } = result.chain;
  const hidden = layered.layers.slice(0, -1).map(({ weights }, l) => ({
    layer: `layer ${l + 1}`,
    before: weights.rows,
    after: layers.slice(0, -1).find(({ number }) => number === l + 1)?.weights.rows ?? 0,
  }));
  return {
    graph: graphOfChain(result),
    removed: result.removed,
    layers: reductionsOf(hidden, result.removed),
    exact,
    change,
  };
}
