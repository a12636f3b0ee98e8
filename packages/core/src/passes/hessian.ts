// Second derivatives: the gradient of the gradient along a direction, again a graph.
import { Builder } from "../graph/builder.ts";
import { finish } from "../graph/finish.ts";
import type { Graph, TensorType } from "../graph/graph.ts";
import { prune } from "../graph/prune.ts";
import type { Values } from "../graph/value.ts";
import { alongDirections } from "./along-directions.ts";
import { zerosLike } from "./gradient/shapes.ts";
import { derivatives, type GradientOptions, untaken } from "./gradient.ts";

/**
 * Hessian-vector products of the sum of a graph's outputs: for each name asked for an input `vector_<name>` (the
 * direction, of its shape) and an output `hessian_<name>`, the derivative of the gradient along all directions at once.
 * @example hessianVectorProduct(net).outputs.map((o) => o.name) // ["y", "grad_x", "hessian_x"]
 */
export function hessianVectorProduct(
  graph: Graph,
  { wrt, of }: Pick<GradientOptions, "wrt" | "of"> = {},
): Graph {
  const first = derivatives(graph, { ...definite({ wrt, of }), unitSeeds: true });
  const slope = alongDirections(first, "vector_");
  const reached = slope.names.filter((name) => isThere(slope.graph, name));
  const second = derivatives(slope.graph, { wrt: reached, of: [slope.output], unitSeeds: true });
  const known = first.graph.outputs.map((o) => o.name);
  const results = untaken("hessian_", slope.names, [...known, ...second.graph.inputs.map((i) => i.name)]);
  const builder = new Builder();
  const inputs = Object.fromEntries(second.graph.inputs.map((i) => [i.name, i.type as TensorType]));
  const body = (given: Values): Values => {
    const all = builder.inline(second.graph, given);
    const products = slope.names.map((name) => {
      const found = all[second.names.get(name) ?? ""];
      return [results.get(name)!, found ?? zerosLike(all[first.names.get(name)!]!)] as const;
    });
    return Object.fromEntries([...known.map((name) => [name, all[name]!] as const), ...products]);
  };
  const result = finish(builder, inputs, body, { name: `${graph.name}_hessian`, nested: false });
  return prune({ ...result, opsets: second.graph.opsets, functions: second.graph.functions });
}

const definite = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).filter(([, v]) => v !== undefined)) as T;

/** A weight that nothing reads is left out of a gradient graph. */
const isThere = ({ inputs, initializers }: Graph, name: string): boolean =>
  initializers.has(name) || inputs.some((i) => i.name === name);
