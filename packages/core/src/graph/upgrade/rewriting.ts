// What a rewrite of one node may use: fresh names, new constants, and what is known of a value so far.
import type { Attribute, Node } from "../graph.ts";
import type { Inferred } from "../operators/spec.ts";
import { type NumericType, type Tensor, tensor } from "../tensor.ts";

export interface Rewriting {
  /** The version that the graph is written in. */
  readonly opset: number;
  /** A name that nothing in the model has, made from the node's own: `softmax1/flat`. */
  fresh(node: Node, part: string): string;
  /** Adds a weight; gives its name. */
  weight(node: Node, part: string, value: Tensor): string;
  /** What is known of a value that is computed before this node. */
  typeOf(name: string): Inferred | undefined;
  /** Is the value read by any node, or an output of the graph? */
  isUsed(name: string): boolean;
}

/** The nodes that do the same in today's form. One of them keeps the node's name. */
export type Rewrite = (node: Node, at: Rewriting) => readonly Node[];

export const int = (value: number): Attribute => ({ type: "int", value: BigInt(value) });
export const text = (value: string): Attribute => ({ type: "string", value });

/** Integers as a weight, the form that shapes and axes have. */
export const int64 = (values: readonly number[] | readonly bigint[], dims = [values.length]): Tensor => ({
  type: "int64",
  dims,
  data: BigInt64Array.from(values, BigInt),
});
export const scalar = (value: number, type: NumericType): Tensor => tensor([value], { type, dims: [] });

/** The integers of an attribute, if it is there. */
export function intsOf(node: Node, name: string): readonly bigint[] | undefined {
  const attribute = node.attributes.get(name);
  return attribute?.type === "ints" ? attribute.value : undefined;
}
export function intOf(node: Node, name: string): number | undefined {
  const attribute = node.attributes.get(name);
  return attribute?.type === "int" ? Number(attribute.value) : undefined;
}
export function floatOf(node: Node, name: string): number | undefined {
  const attribute = node.attributes.get(name);
  return attribute?.type === "float" ? attribute.value : undefined;
}

/** The node's attributes without some. */
export const without = (node: Node, ...names: readonly string[]): ReadonlyMap<string, Attribute> =>
  new Map([...node.attributes].filter(([name]) => !names.includes(name)));

/** The node's attributes and some more (or other ones). */
export const withAttributes = (
  node: Node,
  more: Readonly<Record<string, Attribute>>,
): ReadonlyMap<string, Attribute> => new Map([...node.attributes, ...Object.entries(more)]);

/** A node of its own beside the one that is rewritten; it is named after its output. */
export const beside = (
  op: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, Attribute>> = {},
): Node => ({
  op,
  domain: "",
  name: output,
  inputs,
  outputs: [output],
  attributes: new Map(Object.entries(attributes)),
});
