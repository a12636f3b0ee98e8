// Second derivatives: the gradient of the gradient along a direction, again a graph.
import { Builder, type Values } from "../graph/builder.ts";
import { GraphError } from "../graph/error.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, isTensorType, type TensorType } from "../graph/graph.ts";
import { prune } from "../graph/prune.ts";
import { type GradientOptions, gradient } from "./gradient.ts";

/**
 * Hessian-vector products of the sum of a graph's outputs: for each name asked for an input `vector_<name>` (the
 * direction, of its shape) and an output `hessian_<name>`, the derivative of the gradient along all directions at once.
 * @example hessianVectorProduct(net).outputs.map((o) => o.name) // ["y", "grad_x", "hessian_x"]
 */
export function hessianVectorProduct(
  graph: Graph,
  { wrt, of }: Pick<GradientOptions, "wrt" | "of"> = {},
): Graph {
  const first = gradient(graph, { ...definite({ wrt, of }), unitSeeds: true });
  const names = first.outputs.flatMap(({ name }) => (name.startsWith("grad_") ? [name.slice(5)] : []));
  const slope = alongDirections(first, names);
  const second = gradient(slope, { wrt: names, of: ["slope"], unitSeeds: true });
  const known = new Set(first.outputs.map((o) => o.name));
  // The gradient of the slope is called grad_<name> by the pass, as that of the graph itself is inside of it.
  const rename = (name: string) =>
    name.startsWith("grad_") ? `hessian_${name.slice(5)}` : name.replace(/^first_/, "");
  const builder = new Builder();
  const inputs = Object.fromEntries(second.inputs.map((i) => [i.name, i.type as TensorType]));
  const body = (given: Values): Values => {
    const all = builder.inline(second, given);
    const kept = Object.entries(all).filter(([name]) => name !== "slope");
    return Object.fromEntries(kept.map(([name, value]) => [rename(name), value]));
  };
  const result = finish(builder, inputs, body, { name: `${graph.name}_hessian`, nested: false });
  const order = [...known, ...names.map((name) => `hessian_${name}`)];
  const outputs = result.outputs.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  return prune({ ...result, outputs, opsets: second.opsets, functions: second.functions });
}

const definite = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).filter(([, v]) => v !== undefined)) as T;

/** slope = sum over names of <grad_name, vector_name>; the outputs of the gradient graph stay, as first_<name>. */
function alongDirections(first: Graph, names: readonly string[]): Graph {
  const builder = new Builder();
  const typeOf = (name: string): TensorType => {
    const found = first.outputs.find((o) => o.name === `grad_${name}`)!.type;
    if (!isTensorType(found)) throw new GraphError(`"${name}" is not a tensor`);
    return found;
  };
  const inputs = {
    ...Object.fromEntries(first.inputs.map((i) => [i.name, i.type as TensorType])),
    ...Object.fromEntries(names.map((name) => [`vector_${name}`, typeOf(name)])),
  };
  const body = (given: Values): Values => {
    const found = builder.inline(first, given);
    const parts = names.map((name) =>
      found[`grad_${name}`]!.mul(given[`vector_${name}`]!).op("ReduceSum", [], { keepdims: 0 }),
    );
    const kept = Object.entries(found).map(([name, value]) => [`first_${name}`, value] as const);
    return { ...Object.fromEntries(kept), slope: parts.reduce((sum, part) => sum.add(part)) };
  };
  const result = finish(builder, inputs, body, { name: first.name, nested: false });
  return { ...result, opsets: first.opsets, functions: first.functions };
}
