// Interval bounds: between which numbers every value of a network lies while its inputs are in a box.
//
// The bounds are about the real function that the stored weights define: weights and attributes mean exactly themselves,
// and arithmetic on bounds is rounded outward. A run in f32 or f64 computes another function, by its own rounding, and
// may leave a bound by that much: bounds on what a runtime prints need a margin for it.

import { TimeOver } from "../engine/time-over.ts";
import { withQuantizationErrors } from "../graph/dynamic-quantization.ts";
import { GraphError } from "../graph/error.ts";
import { describe, type Graph, isSparse, type Node } from "../graph/graph.ts";
import type { OperatorName } from "../graph/operators/index.ts";
import { ownEntry } from "../graph/own-entry.ts";
import { densify, elementCount, type SparseTensor, type Tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import { withoutTables } from "../graph/zip-map.ts";
import type { Interval, IntervalArray } from "../numbers/interval/index.ts";
import { inputShapes } from "./affine/compile.ts";
import { activations } from "./interval/activation.ts";
import { checked, emptyPlace } from "./interval/checked.ts";
import { comparisons } from "./interval/comparison.ts";
import { control } from "./interval/control.ts";
import { definedRules } from "./interval/defined.ts";
import { arithmetic, functions } from "./interval/elementwise.ts";
import { movers } from "./interval/movers.ts";
import { normalizations } from "./interval/normalization.ts";
import { ordered } from "./interval/order.ts";
import { placing } from "./interval/placing.ts";
import { products } from "./interval/products.ts";
import { reductions } from "./interval/reductions.ts";
import { constantTensor, type Inputs, type IntervalTensor, Unreadable } from "./interval/tensor.ts";
import { applyRule, type ForwardPass, type Rules } from "./pass.ts";

export type { IntervalTensor } from "./interval/tensor.ts";

type Values = ReadonlyMap<string, IntervalTensor>;

const rules: Rules<IntervalTensor> = {
  ...arithmetic,
  ...functions,
  ...activations,
  ...comparisons,
  ...products,
  ...reductions,
  ...ordered,
  ...normalizations,
  ...movers,
  ...placing,
  ...definedRules((graph, inputs) => boundsOfValues(graph, inputs)),
};

/** A weight's numbers; NaN is none. */
function lifted(name: string, stored: Tensor | SparseTensor): IntervalTensor {
  const weight = constantTensor(isSparse(stored) ? densify(stored) : stored);
  if (emptyPlace(weight) >= 0) throw new GraphError(`the weight "${name}" holds NaN, which has no bounds`);
  return weight;
}

/** A node's outputs; an error says which node cannot be read, and why. */
function outputsOf(node: Node, inputs: Inputs, values: Values): readonly (IntervalTensor | undefined)[] {
  const refuse = (reason: string): never => {
    throw new GraphError(`the interval pass cannot read ${describe(node)}: ${reason}`);
  };
  const lost = node.inputs.findIndex((name, k) => name && !inputs[k]);
  if (lost >= 0) refuse(`its input "${node.inputs[lost]}" has no bounds`);
  try {
    const follow = node.domain === "" ? ownEntry(control, node.op) : undefined;
    if (!follow) return applyRule("interval", rules, node, inputs).map((y) => y && checked(y));
    return follow(node, inputs, (body, given) => {
      const names = body.inputs.map(({ name }, k) => [name, given[k]!] as const);
      const inner = evaluateScope(body, new Map(names), values);
      return body.outputs.map(({ name }) => inner.get(name)!);
    });
  } catch (error) {
    if (error instanceof Unreadable || error instanceof RangeError) return refuse(error.message);
    throw error;
  }
}

/** Bounds of all values, as the pass finds them; a `TimeOver` once `isOver` between two nodes. */
export const boundsOfValues = (graph: Graph, inputs: Values, isOver?: () => boolean): Values =>
  evaluateScope(withQuantizationErrors(canonical(withoutTables(graph))), inputs, new Map(), isOver);

/**
 * Bounds of all values of a graph in canonical form, or of a body in one, which also sees those around it: its own
 * inputs, weights and values come first where a name is used again.
 */
function evaluateScope(
  { nodes, initializers }: Graph,
  inputs: Values,
  outer: Values = new Map(),
  isOver = () => false,
): Values {
  const values = new Map<string, IntervalTensor>(outer);
  for (const [name, weight] of initializers) if (!inputs.has(name)) values.set(name, lifted(name, weight));
  for (const [name, value] of inputs) values.set(name, value);
  for (const node of nodes) {
    if (isOver()) throw new TimeOver();
    const results = outputsOf(
      node,
      node.inputs.map((name) => (name ? values.get(name) : undefined)),
      values,
    );
    node.outputs.forEach((name, k) => {
      const result = results[k];
      if (name && result) values.set(name, result);
    });
  }
  return values;
}

/** The bounds of every value of a graph, given those of its inputs. */
export const intervalPass = Object.defineProperties(boundsOfValues.bind(undefined), {
  name: { value: "interval" },
  rules: { value: { ...rules, ...(control as object) } satisfies Partial<Record<OperatorName, unknown>> },
}) as unknown as ForwardPass<IntervalTensor>;

/** One interval for all numbers of an input, or ends for each of them. */
export type InputBounds = Interval | { readonly lower: ArrayLike<number>; readonly upper: ArrayLike<number> };
/** A box: bounds of each input, by name. */
export type NamedBox = Readonly<Record<string, InputBounds>>;

const endsOf = (ends: number | ArrayLike<number>, count: number): Float64Array =>
  typeof ends === "number" ? new Float64Array(count).fill(ends) : Float64Array.from(ends);

/** The inputs of a graph as tensors of intervals; open dimensions (a batch) are 1. */
export function boxTensors(graph: Graph, box: NamedBox): ReadonlyMap<string, IntervalTensor> {
  const shapes = inputShapes(graph);
  const unknown = Object.keys(box).find((name) => !shapes.some((s) => s.name === name));
  if (unknown !== undefined)
    throw new GraphError(
      `the graph has no input "${unknown}"; its inputs are ${shapes.map((s) => `"${s.name}"`).join(", ")}`,
    );
  return new Map(
    shapes.map(({ name, type, dims }) => {
      const bounds = Object.hasOwn(box, name) ? box[name] : undefined;
      if (!bounds) throw new GraphError(`the box says nothing of input "${name}"`);
      const count = elementCount(dims);
      const array = { lower: endsOf(bounds.lower, count), upper: endsOf(bounds.upper, count) };
      checkBounds(name, array, count);
      return [name, { type: type.type, dims, ...array }] as const;
    }),
  );
}

function checkBounds(name: string, { lower, upper }: IntervalArray, count: number): void {
  if (lower.length !== count || upper.length !== count)
    throw new GraphError(`input "${name}" has ${count} numbers, not ${lower.length} to ${upper.length}`);
  const wrong = lower.findIndex((l, k) => !(l <= upper[k]!) || l === Infinity || upper[k] === -Infinity);
  if (wrong >= 0)
    throw new GraphError(`the box is empty: ${name}[${wrong}] from ${lower[wrong]} to ${upper[wrong]}`);
}

/**
 * Bounds of every value of a graph, by name, for inputs in a box.
 * @example intervalBounds(net, { x: { lower: 0, upper: 1 } }).get("y").lower.length // 1
 */
export const intervalBounds = (graph: Graph, box: NamedBox): ReadonlyMap<string, IntervalTensor> =>
  intervalPass(graph, boxTensors(graph, box));

/**
 * Bounds of the graph's outputs, in their order, by name; a `TimeOver` once `isOver` between two nodes.
 * @example [...outputBounds(net, { x: { lower: 0, upper: 1 } }).keys()] // ["y"]
 */
export function outputBounds(
  graph: Graph,
  box: NamedBox,
  isOver?: () => boolean,
): ReadonlyMap<string, IntervalTensor> {
  const values = boundsOfValues(graph, boxTensors(graph, box), isOver);
  return new Map(
    graph.outputs.map(({ name }) => {
      const y = values.get(name);
      if (!y) throw new GraphError(`the interval pass cannot follow output "${name}"`);
      return [name, y] as const;
    }),
  );
}
