// A pass gives a graph a meaning in some domain V, by one rule per operator.
import { TimeOver } from "../engine/time-over.ts";
import { GraphError } from "../graph/error.ts";
import { describe, type Graph, isSparse, type Node } from "../graph/graph.ts";
import { checkArity } from "../graph/infer-node.ts";
import { type AttributesOf, type OperatorName, operatorSpec } from "../graph/operators/index.ts";
import { readAttributes } from "../graph/operators/spec.ts";
import { densify, elementCount, type Tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";

/** A rule: the meaning of a node's outputs from that of its inputs (undefined: an optional one left out). */
export type Rule<V, K extends OperatorName> = (
  inputs: readonly (V | undefined)[],
  attributes: AttributesOf<K>,
  node: Node,
) => V | readonly V[];
export type Rules<V> = { readonly [K in OperatorName]?: Rule<V, K> };

export interface ForwardPass<V> {
  readonly name: string;
  readonly rules: Rules<V>;
  /** The meaning of every value of the graph, by name; a `TimeOver` once `isOver` between two nodes. */
  (graph: Graph, inputs: ReadonlyMap<string, V>, isOver?: () => boolean): ReadonlyMap<string, V>;
}

/**
 * A pass from inputs to outputs. `lift` says what a weight means; a missing rule names operator and node.
 * @example forwardPass("sign", { Relu: ([x]) => Math.max(0, x) }, (weight) => Math.sign(numbers(weight)[0]))
 */
export function forwardPass<V>(name: string, rules: Rules<V>, lift: (weight: Tensor) => V): ForwardPass<V> {
  const pass = (graph: Graph, inputs: ReadonlyMap<string, V>, isOver = () => false) => {
    const { nodes, initializers } = canonical(graph);
    const values = new Map<string, V>();
    for (const [key, weight] of initializers)
      values.set(key, lift(isSparse(weight) ? densify(weight) : weight));
    for (const [key, value] of inputs) values.set(key, value);
    for (const node of nodes) {
      if (isOver()) throw new TimeOver();
      const results = applyRule(
        name,
        rules,
        node,
        node.inputs.map((key) => (key ? values.get(key) : undefined)),
      );
      node.outputs.forEach((key, k) => {
        if (key && results[k] !== undefined) values.set(key, results[k]);
      });
    }
    return values;
  };
  return Object.defineProperties(pass, {
    name: { value: name },
    rules: { value: rules },
  }) as unknown as ForwardPass<V>;
}

/** Applies the rule for a node's operator, or says which operator and node the pass cannot read. */
export function applyRule<V>(
  pass: string,
  rules: Rules<V>,
  node: Node,
  inputs: readonly (V | undefined)[],
): readonly V[] {
  const spec = operatorSpec(node.op, node.domain);
  const rule = spec && (rules[node.op as OperatorName] as Rule<V, OperatorName> | undefined);
  if (!rule) throw new GraphError(`the ${pass} pass cannot read ${describe(node)}`);
  checkArity(node, spec); // in branches and bodies nobody has looked yet
  const attributes = readAttributes(node, spec.attributes) as never;
  try {
    const result = rule(inputs, attributes, node);
    const results: readonly V[] = Array.isArray(result) ? result : [result as V];
    for (const value of results) checkCount(value, pass, node);
    return results;
  } catch (error) {
    // An array of this length cannot be: JavaScript says so, and not for whom. Other such errors are a rule's own.
    const isTooLong = error instanceof RangeError && /array length|allocation failed/i.test(error.message);
    if (!isTooLong) throw error;
    throw new GraphError(`${describe(node)} makes a tensor that is larger than memory (${pass} pass)`);
  }
}

/** A tensor with more or fewer numbers than its shape has places would be read at wrong ones: no rule may give that. */
function checkCount(value: unknown, pass: string, node: Node): void {
  const { dims, lower, elements } = (value ?? {}) as {
    readonly dims?: readonly number[];
    readonly lower?: ArrayLike<number>;
    readonly elements?: ArrayLike<unknown>;
  };
  const length = (lower ?? elements)?.length;
  if (dims && length !== undefined && length !== elementCount(dims))
    throw new GraphError(
      `the ${pass} pass has no rule for this use of ${describe(node)}: ${length} numbers for [${dims}]`,
    );
}
