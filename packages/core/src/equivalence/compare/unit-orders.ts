// Which elements of a node's values stand for which of the first graph's, once units are known to be in another order.
import { describe, type Graph, type Node } from "../../graph/graph.ts";
import type { LayerSymmetry } from "./pairing-symmetry.ts";

/** Element k is factor[k] * (element from[k] of the first graph's value) + offset[k]; from -1: of none. */
export type UnitOrder = Pick<LayerSymmetry, "from" | "factor" | "offset">;

/** The same numbers in the same order. */
const relabels = new Set(["Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Dropout"]);
/** What a unit's function is applied to, backward: sums keep the units' order, products with weights begin it. */
const sums = new Set(["Add", "Sub", ...relabels]);
const products = new Set(["MatMul", "Gemm", "Conv"]);
/** What is done to each channel alike keeps their order. */
const channelwise = new Set(["Pad", "AveragePool", "MaxPool", "GlobalAveragePool", "GlobalMaxPool"]);

type Dims = readonly (number | string | undefined)[];
const positionsOf = (dims: Dims): number => dims.slice(2).reduce<number>((n, d) => n * Number(d), 1);

/** The order of units as one of channels, spread over other positions; undefined if it is none. */
function spread({ from, factor, offset }: UnitOrder, before: Dims, after: Dims): UnitOrder | undefined {
  const [size, wide] = [positionsOf(before), positionsOf(after)];
  const isWhole = from.every((s, k) => {
    const first = k - (k % size);
    return s >= 0 && s === from[first]! + (k % size) && factor?.[k] === factor?.[first];
  });
  // With an offset a padding's zeros would be off.
  if (!isWhole || offset || before[0] !== 1 || before[1] !== after[1] || !(wide > 0)) return undefined;
  const channel = (k: number): number => Math.floor(k / wide);
  const places = Array.from({ length: Number(after[1]) * wide }, (_, k) => k);
  return {
    from: places.map((k) => (from[channel(k) * size]! / size) * wide + (k % wide)),
    ...(factor && { factor: places.map((k) => factor[channel(k) * size]!) }),
  };
}

/** By the names of the second graph's values. */
export function unitOrders(
  graph: Graph,
  symmetry: readonly LayerSymmetry[],
  dimsOf: (name: string) => Dims | undefined,
): ReadonlyMap<string, UnitOrder> {
  const orders = new Map<string, UnitOrder>();
  const producer = new Map(graph.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  /** A flip has no offset before the function. */
  const enterBefore = (node: Node, { from, factor }: UnitOrder): void => {
    for (const name of node.inputs) {
      const before = producer.get(name);
      if (!before || orders.has(name) || !(sums.has(before.op) || products.has(before.op))) continue;
      orders.set(name, { from, ...(factor && { factor }) });
      if (sums.has(before.op)) enterBefore(before, { from, ...(factor && { factor }) });
    }
  };
  const inherited = ({ op, inputs, outputs }: Node): UnitOrder | undefined => {
    const before = orders.get(inputs[0] ?? "");
    if (!before || relabels.has(op)) return before;
    const dims = [dimsOf(inputs[0]!), dimsOf(outputs[0]!)] as const;
    return channelwise.has(op) && dims[0] && dims[1] ? spread(before, dims[0], dims[1]) : undefined;
  };
  const layers = new Map(symmetry.map((layer) => [layer.node, layer]));
  for (const node of graph.nodes) {
    const [layer, name] = [layers.get(describe(node)), node.outputs[0]!];
    const own = layer ?? inherited(node);
    if (!own || orders.has(name)) continue;
    orders.set(name, own);
    if (layer) enterBefore(node, layer);
  }
  return orders;
}
