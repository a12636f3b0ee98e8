// Before a graph is differentiated: operators without a gradient rule are written out by those that define them.
import { definitionOf, rewrite } from "../../graph/definitions/index.ts";
import type { Graph, Node } from "../../graph/graph.ts";
import { type OperatorName, operatorSpec } from "../../graph/operators/index.ts";
import { dependents, reads } from "../backward.ts";
import { rules } from "./rules.ts";

const hasRule = (node: Node): boolean =>
  operatorSpec(node.op, node.domain) !== undefined && rules[node.op as OperatorName] !== undefined;

/** The nodes on a way from the wanted values to the outputs. */
function onTheWay(graph: Graph, of: readonly string[], wanted: ReadonlySet<string>): ReadonlySet<Node> {
  const active = dependents(graph, wanted);
  const needed = new Set(of);
  const nodes = graph.nodes.toReversed().filter((node) => {
    if (!node.outputs.some((name) => needed.has(name) && active.has(name))) return false;
    for (const name of reads(node)) needed.add(name);
    return true;
  });
  return new Set(nodes);
}

/**
 * The canonical graph, in which each node that a derivative of `of` by `wanted` goes through has a rule or, as its
 * operator is neither differentiable by a rule nor defined by others, is left for the error that names it.
 */
export function expand(graph: Graph, of: readonly string[], wanted: ReadonlySet<string>): Graph {
  const lacking = [...onTheWay(graph, of, wanted)].filter((node) => !hasRule(node));
  if (!lacking.some(definitionOf)) return graph;
  const [known, replaced] = [new Set(graph.nodes), new Set(lacking)];
  // Nodes of a definition are new: those without a rule are written out as well.
  return rewrite(graph, (node) =>
    replaced.has(node) || (!known.has(node) && !hasRule(node)) ? definitionOf(node) : undefined,
  );
}
