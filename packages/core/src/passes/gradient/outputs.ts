// Outputs that a node may have but that nobody asked for in the forward graph, until its gradient does.
import type { Inferred } from "../../graph/operators/spec.ts";
import { Value } from "../../graph/value.ts";
import type { Step } from "../backward.ts";

/** The second output of the node, which gets it if it has none; undefined for a node of a graph around this one. */
export function secondOutput({ builder, y }: Step, type: Inferred): Value | undefined {
  const [first, existing] = y as readonly (Value | undefined)[];
  if (existing || !first) return existing;
  const at = builder.nodes.findLastIndex((node) => node.outputs[0] === first.name);
  const node = builder.nodes[at];
  if (!node) return undefined;
  const name = node.outputs[1] || builder.fresh(`${first.name}_second`);
  builder.nodes[at] = { ...node, outputs: [first.name, name] };
  return new Value(builder, name, type);
}
