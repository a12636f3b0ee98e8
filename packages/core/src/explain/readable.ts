// Which node a network cannot be explained for: the first one whose result nobody knows anything of.
import { describe, type Graph, type Node } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { ExplainError } from "./error.ts";

/** The nodes that a value is made by, in their order. */
function makersOf(graph: Graph, of: string): readonly Node[] {
  const needed = new Set([of]);
  const found = graph.nodes.toReversed().filter(({ inputs, outputs }) => {
    if (!outputs.some((name) => needed.has(name))) return false;
    for (const name of inputs) needed.add(name);
    return true;
  });
  return found.reverse();
}

/** Refuses a value whose shape is not known, or that is made of one whose type is not, by the node that is to blame. */
export function checkReadable(graph: Graph, of: string): void {
  const types = inferTypes(graph);
  const hasType = (name: string): boolean => (types.get(name)?.type ?? "undefined") !== "undefined";
  const hasShape = (name: string): boolean => types.get(name)?.shape !== undefined;
  const makers = makersOf(graph, of);
  const lacking = (isKnown: (name: string) => boolean): Node | undefined =>
    makers.find(({ outputs }) => outputs[0] !== "" && !isKnown(outputs[0]!));
  const node = lacking(hasType) ?? (hasShape(of) ? undefined : lacking(hasShape));
  if (node) throw new ExplainError(`what ${describe(node)} gives cannot be read`);
}
