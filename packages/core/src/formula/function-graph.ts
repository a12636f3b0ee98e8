// The function graph: a formula as nodes of few variables each, every distinct subexpression once.

import { earliestStages } from "../numbers/dataflow.ts";
import { Elaboration } from "./elaborate.ts";
import { CompileError } from "./error.ts";
import { FormAlgebra } from "./form-algebra.ts";
import { parseFormula } from "./formula.ts";
import { type FunctionGraph, type FunctionNode, NodeBuilder } from "./nodes.ts";

/**
 * The function graph of a formula in these variables. Nodes depend on the formula and the names alone.
 * @example functionGraph("(x + 1)^2 * (x + 1)^2", ["x"]).nodes.length // 4
 */
export const functionGraph = (formula: string, variables: readonly string[]): FunctionGraph =>
  pruned(elaborated(formula, variables));

/** With the nodes that come to nothing when the formula is put in order: log x in 0 log x. */
export function elaborated(formula: string, variables: readonly string[]): FunctionGraph {
  const builder = new NodeBuilder();
  const ids = new Map(variables.map((name) => [name, builder.add({ op: "variable", args: [], name })]));
  const algebra = new FormAlgebra(builder, ids);
  const form = new Elaboration(algebra, variables).scalar(parseFormula(formula));
  const output = builder.node(form);
  const unused = variables.filter((name) => !algebra.used.has(name));
  if (unused.length > 0) {
    const more = unused.length > 4 ? ` and ${unused.length - 4} more` : "";
    throw new CompileError(`the box has ${unused.slice(0, 4).join(", ")}${more}, but the formula does not`);
  }
  return { nodes: builder.nodes, output };
}

/** Without the nodes that nothing needs; variables stay. */
export function pruned({ nodes, output }: FunctionGraph): FunctionGraph {
  const needed = new Set([output]);
  for (let id = nodes.length - 1; id >= 0; id--) {
    if (nodes[id]!.op === "variable") needed.add(id);
    if (needed.has(id)) for (const arg of nodes[id]!.args) needed.add(arg);
  }
  const place = new Map([...needed].sort((a, b) => a - b).map((id, k) => [id, k]));
  const kept = nodes.filter((_, id) => needed.has(id));
  const moved = kept.map((node) => ({ ...node, args: node.args.map((a) => place.get(a)!) }) as FunctionNode);
  return { nodes: moved, output: place.get(output)! };
}

export interface GraphReport {
  readonly nodes: number;
  readonly maxArity: number;
  readonly depth: number;
}

/**
 * The sparsity of a function graph (Poggio): constituents, the most variables that one of them has, and the depth.
 * Variables do not count as nodes.
 * @example reportOf(functionGraph("x * y + x", ["x", "y"])) // { nodes: 2, maxArity: 2, depth: 2 }
 */
export function reportOf({ nodes }: FunctionGraph): GraphReport {
  const depths = earliestStages(
    nodes.keys(),
    (id) => nodes[id]!.args,
    (id) => (nodes[id]!.op === "variable" ? 0 : 1),
  );
  return {
    nodes: nodes.filter((node) => node.op !== "variable").length,
    maxArity: nodes.reduce((most, { args }) => Math.max(most, args.length), 0),
    depth: depths.reduce((most, d) => Math.max(most, d), 0),
  };
}
