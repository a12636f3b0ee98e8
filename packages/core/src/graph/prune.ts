// A graph without what none of its outputs needs.
import { type Graph, outerReferences, subgraphs } from "./graph.ts";

/**
 * The same outputs from the nodes and weights that they need; inputs stay, so that the interface does.
 * @example prune(net).nodes.length // no node that nobody reads
 */
export function prune(graph: Graph): Graph {
  const needed = new Set(graph.outputs.map((o) => o.name));
  const nodes = graph.nodes.toReversed().filter((node) => {
    if (!node.outputs.some((name) => needed.has(name))) return false;
    for (const name of node.inputs) needed.add(name);
    for (const inner of subgraphs(node)) for (const name of outerReferences(inner)) needed.add(name);
    return true;
  });
  const initializers = new Map([...graph.initializers].filter(([name]) => needed.has(name)));
  return { ...graph, nodes: nodes.reverse(), initializers };
}
