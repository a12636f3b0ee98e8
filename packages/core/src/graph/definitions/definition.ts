// What a definition is: an operator written in simpler ones.
import type { Builder } from "../builder.ts";
import { GraphError } from "../error.ts";
import { type Dim, describe, type Node, type Shape } from "../graph.ts";
import { inferNode } from "../infer-scope.ts";
import type { AttributesOf, OperatorName } from "../operators/index.ts";
import type { NumericType } from "../tensor.ts";
import type { Value } from "../value.ts";

type Results = Value | readonly (Value | undefined)[];

/** Writes what a node computes, in the builder, and gives its outputs (undefined: an input or output left out). */
export type Definition<K extends OperatorName> = (
  inputs: readonly (Value | undefined)[],
  attributes: AttributesOf<K>,
  node: Node,
  builder: Builder,
) => Results;
export type Definitions = { readonly [K in OperatorName]?: Definition<K> };

/** A definition of whichever operator; its attributes must be those of that operator. */
export type AnyDefinition = (
  inputs: readonly (Value | undefined)[],
  attributes: never,
  node: Node,
  builder: Builder,
) => Results;

/** The element type of a value, which must be known. */
export function elementType({ type: { type }, name }: Value, node: Node): NumericType {
  if (type === "undefined" || type === "string")
    throw new GraphError(`${describe(node)}: the element type of its input "${name}" must be known`);
  return type;
}

/** The shape of a value, whose rank must be known. */
export function shapeOf({ type: { shape }, name }: Value, node: Node): Shape {
  if (!shape) throw new GraphError(`${describe(node)}: the rank of its input "${name}" must be known`);
  return shape;
}

/** A size that the definition counts with: it must be a number. */
export function fixed(size: Dim, what: string, node: Node): number {
  if (typeof size !== "number")
    throw new GraphError(`${describe(node)}: ${what} must be a number, not "${size ?? "?"}"`);
  return size;
}

/** The sizes of all axes from `first` on. */
export const fixedSizes = (value: Value, first: number, node: Node): readonly number[] =>
  shapeOf(value, node)
    .slice(first)
    .map((size, k) => fixed(size, `axis ${first + k} of its input "${value.name}"`, node));

/** The sizes that the node's first output has from axis `first` on. */
export function outputSizes(
  inputs: readonly (Value | undefined)[],
  first: number,
  node: Node,
): readonly number[] {
  const [output] = inferNode(
    node,
    inputs.map((value) => value?.type),
  );
  return (output?.shape ?? [])
    .slice(first)
    .map((size, k) => fixed(size, `axis ${first + k} of its output "${node.outputs[0]}"`, node));
}
