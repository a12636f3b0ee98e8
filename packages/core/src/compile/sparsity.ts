// The sparsity report of a function graph (Poggio, Definitions 1 and 3): how many constituents, of how many variables
// each, how deep, and how steep.

import { reportOf } from "../formula/function-graph.ts";
import type { FunctionGraph, FunctionNode } from "../formula/nodes.ts";
import { rangesOf } from "../formula/range.ts";
import type { Interval } from "../numbers/interval/index.ts";
import { nodeSensitivities } from "./budget.ts";
import { expandedGraph } from "./expanded-graph.ts";

export interface SparsityReport {
  readonly variables: number;
  /** Nodes that are no variables. */
  readonly constituents: number;
  /** The same when a sum of many terms is made of sums of two: all constituents have at most two variables. */
  readonly constituentsOfTwo: number;
  readonly maxArity: number;
  /** The most variables of a constituent that is not affine. */
  readonly curvedArity: number;
  readonly depth: number;
  /** How many constituents have 0, 1, 2, ... variables. */
  readonly arities: readonly number[];
  /** Bounds |f(x) - f(y)| / max_k |x_k - y_k| on the box; finite for S-sparse functions. */
  readonly lipschitz: number;
}

/**
 * The report of a function graph on a box, one interval for each variable.
 * @example sparsityOf(functionGraph("x * y + x", ["x", "y"]), [{ lower: 0, upper: 1 }, { lower: 0, upper: 1 }]).lipschitz // 3
 */
export function sparsityOf(graph: FunctionGraph, box: readonly Interval[]): SparsityReport {
  const nodes = graph.nodes.filter((node) => node.op !== "variable");
  const { maxArity, depth } = reportOf(graph);
  const arities = Array.from(
    { length: maxArity + 1 },
    (_, k) => nodes.filter((node) => node.args.length === k).length,
  );
  const curved = nodes.filter((node) => node.op !== "affine");
  return {
    variables: graph.nodes.length - nodes.length,
    constituents: nodes.length,
    constituentsOfTwo: nodes.reduce((sum, node) => sum + Math.max(1, node.args.length - 1), 0),
    maxArity,
    curvedArity: curved.reduce((most, node) => Math.max(most, node.args.length), 0),
    depth,
    arities,
    lipschitz: lipschitzOf(graph, box),
  };
}

/** sum_k sup |df / dx_k|, along all paths of the graph. */
function lipschitzOf(graph: FunctionGraph, box: readonly Interval[]): number {
  const ranges = rangesOf(graph, box);
  const program = expandedGraph(graph, ranges, { monomials: new Set(), expansions: new Map() });
  const slopes = nodeSensitivities(program, 0);
  return graph.nodes.reduce((sum, node, id) => (node.op === "variable" ? sum + slopes[id]! : sum), 0);
}

/**
 * The same graph with its nodes in another order: variables first, then `rank` decides among those that may come next.
 * @example reordered(functionGraph("x^2 + sin(x)", ["x"]), (id) => -id).nodes.map((n) => n.op) // ["variable", "sin", "square", "affine"]
 */
export function reordered({ nodes, output }: FunctionGraph, rank: (id: number) => number): FunctionGraph {
  const order = nodes.flatMap((node, id) => (node.op === "variable" ? [id] : []));
  const place = new Map(order.map((id, k) => [id, k]));
  const waiting = new Set(nodes.keys());
  for (const id of order) waiting.delete(id);
  while (waiting.size > 0) {
    const ready = [...waiting].filter((id) =>
      (nodes[id]!.args as readonly number[]).every((a) => place.has(a)),
    );
    const next = ready.reduce((best, id) => (rank(id) < rank(best) ? id : best));
    place.set(next, order.length);
    order.push(next);
    waiting.delete(next);
  }
  const moved = order.map((id) => {
    const node = nodes[id]!;
    return { ...node, args: node.args.map((a) => place.get(a)!) } as FunctionNode;
  });
  return { nodes: moved, output: place.get(output)! };
}
