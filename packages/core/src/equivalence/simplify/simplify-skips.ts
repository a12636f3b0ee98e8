// A network with skip connections on a box, reduced.

import { BoxBounder } from "../../bounds/linear/box-bounds.ts";
import type { Network } from "../../bounds/linear/network.ts";
import type { Box } from "../../bounds/linear/row-bounds.ts";
import { networkOf } from "../../bounds/linear.ts";
import { Clock } from "../../engine/clock.ts";
import { finished } from "../../engine/steps.ts";
import { GraphError } from "../../graph/error.ts";
import { type Graph, isSparse } from "../../graph/graph.ts";
import { elementCount } from "../../graph/tensor.ts";
import { nonzeros } from "../../networks/layers/matrix.ts";
import { sizes } from "../../passes/sizes.ts";
import { mostWithin } from "./budget.ts";
import { certifiedChange, certifying } from "./certified-change.ts";
import { chainInterface } from "./chain-graph.ts";
import type { FoldedGraph } from "./fold-nodes.ts";
import { type ReducedSkip, reduceSkip } from "./reduce-skip.ts";
import type { Reduced, TimedOptions } from "./reduced.ts";
import { reductionsOf } from "./removal.ts";
import { skipGraph, skipLayers } from "./skip-graph.ts";
import { isMadeOfRelus, type SkipNetwork, type SkipUnit, skipNetwork } from "./skip-network.ts";

/** Weights that are read at many places (a convolution's) would be written out: then it is no such network. */
const greatestGrowth = 8;

function read(graph: Graph): Network | undefined {
  try {
    const network = networkOf(graph);
    const entries = network.layers.reduce((n, { weights }) => n + weights.length, 0);
    const stored = [...graph.initializers.values()].reduce(
      (n, w) => n + (isSparse(w) ? w.values.data.length : elementCount(w.dims)),
      0,
    );
    return entries <= greatestGrowth * (stored + 64) ? network : undefined;
  } catch (error) {
    if (error instanceof GraphError) return undefined;
    throw error;
  }
}

async function bounded(network: Network, box: Box | undefined, { left, signal, onProgress }: TimedOptions) {
  if (!box || !isMadeOfRelus(network)) return undefined;
  const bounder = new BoxBounder(network);
  const bounding = bounder.bounding(box);
  const clock = new Clock({ ...(signal && { signal }), ...(left && { seconds: left() / 2 }) });
  const found = await clock.finish(bounding, () => onProgress?.(0.5 * bounder.share));
  bounder.hurried = found === undefined;
  return found ?? finished(bounding);
}

/** What may become a constant, the least effect on its readers first: half its range times their weights. */
function candidates({ units, outputs }: SkipNetwork): readonly SkipUnit[] {
  const weight = new Map<number, number>();
  for (const row of [...units, ...outputs])
    for (const [slot, w] of row.weights) weight.set(slot, (weight.get(slot) ?? 0) + Math.abs(w));
  const effect = ({ slot, lower, upper }: SkipUnit): number =>
    (Math.max(0, upper) - Math.max(0, lower)) * (weight.get(slot) ?? 0);
  return units
    .filter((unit) => !unit.isLinear && Number.isFinite(effect(unit)))
    .toSorted((a, b) => effect(a) - effect(b));
}

/** Undefined if the graph is not made of ReLUs and linear maps, or would be larger when written by layers. */
export async function simplifySkips(
  source: Graph,
  folded: FoldedGraph,
  box: Box | undefined,
  options: TimedOptions,
): Promise<Reduced | undefined> {
  const { within = 0, exactOnly = false, left, signal, onProgress } = options;
  const io = chainInterface(folded.graph);
  const network = io && folded.graph.outputs.length === 1 ? read(folded.graph) : undefined;
  if (!io || !network) return undefined;
  const start = skipNetwork(network, await bounded(network, box, options), box, io.precision);
  if (!start) return undefined;
  start.exact &&= folded.exact;
  if (exactOnly && !start.exact) return undefined;
  const hinges = network.layers.flatMap(({ kind }, l) => (kind === "hinge" ? [l] : []));
  const name = ({ layer }: SkipUnit): string => `layer ${hinges.indexOf(layer) + 1}`;
  const first = reduceSkip(start, exactOnly, name);
  const graphOfSkip = (reduced: ReducedSkip): Graph => skipGraph(source, reduced.network, io);
  const certify = async (reduced: ReducedSkip, below?: number) => {
    if (reduced.network.exact) return { upper: 0, seen: 0 };
    if (!box) return undefined;
    const origins = skipLayers(reduced.network)
      .filter(({ isLinear }) => !isLinear)
      .map(({ units }) => ({
        layer: hinges.indexOf(units[0]!.layer),
        places: units.map(({ place }) => place),
      }));
    return certifiedChange(source, graphOfSkip(reduced), box, {
      ...(signal && { signal }),
      ...certifying(left, below),
      origins,
    });
  };
  const order = within > 0 && box && !exactOnly ? candidates(first.network) : [];
  const spent = await mostWithin(
    order,
    within,
    (chosen) => {
      const middle = ({ lower, upper }: SkipUnit): number => (Math.max(0, lower) + Math.max(0, upper)) / 2;
      const constants = new Map(chosen.map((unit) => [unit.slot, middle(unit)]));
      const again = reduceSkip(first.network, false, name, constants);
      return { ...again, removed: [...first.removed, ...again.removed] };
    },
    certify,
    onProgress,
  );
  const result = spent?.reduced ?? first;
  const graph = graphOfSkip(result);
  // Operators that share weights say some networks in fewer numbers than rows do: what counts then is what rows had.
  const rows = network.layers.reduce(
    (n, layer) => n + nonzeros(layer.weights) + nonzeros(layer.constants),
    0,
  );
  if (sizes(graph).nonzeros > Math.max(sizes(source).nonzeros, rows)) return undefined;
  const kept = skipLayers(result.network);
  const layers = hinges.map((l, k) => ({
    layer: `layer ${k + 1}`,
    before: network.layers[l]!.units,
    after: kept.find(({ units }) => units[0]!.layer === l)?.units.length ?? 0,
  }));
  const change = spent?.change ?? (await certify(first, 0));
  const { exact } = result.network;
  return { graph, removed: result.removed, layers: reductionsOf(layers, result.removed), exact, change };
}
