// Walks a graph and its subgraphs, and collects what is known of each value.
import {
  type Dim,
  type Graph,
  isSparse,
  isTensorType,
  type Node,
  type Shape,
  type TensorType,
  type ValueType,
} from "./graph.ts";
import { type InferSubgraph, inferNodeWith, type Known } from "./infer-node.ts";
import { constantLimit } from "./operators/constant.ts";
import { inferredTensor } from "./operators/generation.ts";
import type { Inferred } from "./operators/spec.ts";
import { densify, elementCount, type SparseTensor, type Tensor } from "./tensor.ts";

/** What holds during one walk, subgraphs included. */
export interface Walk {
  /** Names of dimensions that have a number now, or that turned out to mean several (undefined). */
  readonly bindings: ReadonlyMap<string, Dim>;
  /** May the types that the file states fill gaps? (Not when an input is not as the file states it.) */
  readonly trustStated: boolean;
  /** Nodes still to be looked at inside subgraphs: nested loops would take exponentially many turns. */
  readonly budget: { left: number };
}

export const newWalk = (bindings: ReadonlyMap<string, Dim> = new Map(), trustStated = true): Walk => ({
  bindings,
  trustStated,
  budget: { left: 500_000 },
});

const depthLimit = 64;

/** What is known of a weight; its numbers too when there are few. */
export function inferWeight(weight: Tensor | SparseTensor): Inferred {
  if (!isSparse(weight)) return inferredTensor(weight);
  return elementCount(weight.dims) <= constantLimit
    ? inferredTensor(densify(weight))
    : { type: weight.type, shape: weight.dims };
}

/** Before IR version 4 every weight had to be listed as an input; it is a constant all the same. */
export const isConstantWeight = (graph: Graph, name: string): boolean =>
  graph.irVersion < 4 || !graph.inputs.some((input) => input.name === name);

const bindDim = (dim: Dim, { bindings }: Walk): Dim =>
  typeof dim === "string" && bindings.has(dim) ? bindings.get(dim) : dim;

/** A type with the names of its dimensions replaced by the numbers that they have. */
export function bind(type: TensorType, walk: Walk): TensorType;
export function bind(type: ValueType | undefined, walk: Walk): TensorType | undefined;
export function bind(type: ValueType | undefined, walk: Walk): TensorType | undefined {
  if (!type || !isTensorType(type)) return undefined;
  return { type: type.type, shape: type.shape?.map((d) => bindDim(d, walk)) };
}

/** What was inferred, with gaps filled by what the file states; where they differ, the file is wrong. */
export function merge(found: Inferred | undefined, stated: TensorType | undefined): Inferred | undefined {
  if (!found || !stated) return found ?? stated;
  const type = found.type === "undefined" ? stated.type : found.type;
  if (!found.shape) return { type, shape: stated.shape };
  const fits = stated.shape?.length === found.shape.length;
  const shape: Shape = fits ? found.shape.map((d, k) => d ?? stated.shape?.[k]) : found.shape;
  return { ...found, type, shape };
}

/** Every value of a graph by name, its weights and inputs included. */
export function inferScope(
  graph: Graph,
  inputs: ReadonlyMap<string, Inferred>,
  walk: Walk,
  outer: (name: string) => Inferred | undefined = () => undefined,
  depth = 0,
): ReadonlyMap<string, Inferred> {
  const values = new Map<string, Inferred>();
  for (const [name, weight] of graph.initializers) values.set(name, inferWeight(weight));
  for (const { name, type } of graph.inputs) {
    if (graph.initializers.has(name) && isConstantWeight(graph, name) && !inputs.has(name)) continue;
    const known = inputs.get(name) ?? bind(type, walk);
    if (known) values.set(name, known);
    else values.delete(name);
  }
  const stated = new Map(graph.valueTypes);
  for (const { name, type } of graph.outputs) stated.set(name, type);
  const lookUp = (name: string) => (name ? (values.get(name) ?? outer(name)) : undefined);
  const inferSubgraph: InferSubgraph = (inner, innerInputs) =>
    inferOutputs(inner, innerInputs, walk, lookUp, depth + 1);
  for (const node of graph.nodes) {
    if (depth > 0) walk.budget.left--;
    const found = inferNodeWith(node, node.inputs.map(lookUp), inferSubgraph);
    node.outputs.forEach((name, k) => {
      const known = merge(found[k], walk.trustStated ? bind(stated.get(name), walk) : undefined);
      if (name && known) values.set(name, known);
    });
  }
  return values;
}

/** The outputs of a subgraph, from what is known of its inputs and of the values around it. */
export function inferOutputs(
  graph: Graph,
  inputs: Known,
  walk: Walk,
  outer?: (name: string) => Inferred | undefined,
  depth = 0,
): Known {
  const stated = (type: ValueType) => (walk.trustStated ? bind(type, walk) : undefined);
  if (depth > depthLimit || walk.budget.left < 0) return graph.outputs.map(({ type }) => stated(type));
  const given = new Map<string, Inferred>();
  graph.inputs.forEach(({ name }, k) => {
    const known = inputs[k];
    if (known) given.set(name, known);
  });
  const values = inferScope(graph, given, walk, outer, depth);
  return graph.outputs.map(({ name, type }) => values.get(name) ?? outer?.(name) ?? stated(type));
}

/** A subgraph on its own: nothing is known of the values around it. */
export const isolated: InferSubgraph = (graph, inputs) => inferOutputs(graph, inputs, newWalk());

/**
 * The types of a node's outputs; unknown for an operator that the table lacks.
 * A sure contradiction, or too few or too many inputs, is a GraphError that names the node.
 * @example inferNode(net.nodes[0], [{ type: "float64", shape: ["N", 1] }, { type: "float64", shape: [2, 1] }])
 */
export const inferNode = (node: Node, inputs: Known, inferSubgraph: InferSubgraph = isolated): Known =>
  inferNodeWith(node, inputs, inferSubgraph);
