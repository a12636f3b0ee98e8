// Before a graph is differentiated: operators without a gradient rule are written out by those that define them.
import { definitionOf, rewrite } from "../../graph/definitions/index.ts";
import { type Graph, type Node, subgraphs } from "../../graph/graph.ts";
import { type OperatorName, operatorSpec } from "../../graph/operators/index.ts";
import { dependents, reads } from "../backward.ts";
import { rules } from "./rules.ts";

const hasRule = (node: Node): boolean =>
  operatorSpec(node.op, node.domain) !== undefined && rules[node.op as OperatorName] !== undefined;

/** The nodes without a rule on a way from the wanted values to the outputs, in branches too. */
function lackingNodes(graph: Graph, of: readonly string[], wanted: ReadonlySet<string>): readonly Node[] {
  const active = dependents(graph, wanted);
  const needed = new Set(of);
  return graph.nodes.toReversed().flatMap((node) => {
    if (!node.outputs.some((name) => needed.has(name) && active.has(name))) return [];
    for (const name of reads(node)) needed.add(name);
    if (!hasRule(node)) return [node];
    return subgraphs(node).flatMap((inner) =>
      lackingNodes(
        inner,
        inner.outputs.map((o) => o.name),
        active,
      ),
    );
  });
}

/** The nodes of a graph and of the graphs inside of it. */
const allNodes = (graph: Graph): readonly Node[] =>
  graph.nodes.flatMap((node) => [node, ...subgraphs(node).flatMap(allNodes)]);

/**
 * The canonical graph, in which each node that a derivative of `of` by `wanted` goes through has a rule or, as its
 * operator is neither differentiable by a rule nor defined by others, is left for the error that names it.
 */
export function expand(graph: Graph, of: readonly string[], wanted: ReadonlySet<string>): Graph {
  const lacking = lackingNodes(graph, of, wanted);
  if (!lacking.some(definitionOf)) return graph;
  const [known, replaced] = [new Set(allNodes(graph)), new Set(lacking)];
  // Nodes of a definition are new: those without a rule are written out as well.
  return rewrite(graph, (node) =>
    replaced.has(node) || (!known.has(node) && !hasRule(node)) ? definitionOf(node) : undefined,
  );
}
