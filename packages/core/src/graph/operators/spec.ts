// How an operator is described: attributes with types and defaults, arities, and its shape rule.
import { GraphError } from "../error.ts";
import {
  type Attribute,
  type AttributeType,
  type Dim,
  describe,
  type Graph,
  type Node,
  type TensorType,
} from "../graph.ts";
import type { Tensor } from "../tensor.ts";

export interface AttributeSpec<T> {
  readonly type: AttributeType;
  readonly fallback: T;
  readonly required?: true;
  /** An integer that says yes (1) or no (0); runtimes differ in what any other one says. */
  readonly isFlag?: true;
}

const spec =
  <Value>(type: AttributeType) =>
  <D extends Value | undefined = undefined>(
    fallback?: D,
  ): AttributeSpec<D extends undefined ? Value | undefined : Value> => ({
    type,
    fallback: fallback as never,
  });

export const int = spec<number>("int");
export const flag = (fallback: 0 | 1): AttributeSpec<number> => ({ type: "int", fallback, isFlag: true });
/** ONNX stores float attributes in 32 bits, and its defaults are such numbers too: 0.01 is fround(0.01). */
export const float = <D extends number | undefined = undefined>(fallback?: D) =>
  spec<number>("float")<D>(fallback === undefined ? undefined : (Math.fround(fallback) as D));
export const string = spec<string>("string");
export const ints = spec<readonly number[]>("ints");
export const floats = spec<readonly number[]>("floats");
export const strings = spec<readonly string[]>("strings");
export const tensorAttribute = spec<Tensor>("tensor");
export const graphAttribute = spec<Graph>("graph");

/** An attribute that must be there. */
export const required = <T>(s: AttributeSpec<T>): AttributeSpec<Exclude<T, undefined>> =>
  ({ ...s, required: true }) as unknown as AttributeSpec<Exclude<T, undefined>>;

export type AttributeSpecs = Readonly<Record<string, AttributeSpec<unknown>>>;
export type AttributeValues<A extends AttributeSpecs> = {
  readonly [K in keyof A]: A[K] extends AttributeSpec<infer T> ? T : never;
};

/** What is known of a value before the network runs: its type, and its numbers if they follow from shapes. */
export interface Inferred extends TensorType {
  /** Set when the value is a constant small enough to reason with (shape arithmetic). */
  readonly value?: Tensor;
  /** Instead of `value`, row by row, when only some entries are known: the Shape of [N,3] is ["N", 3]. */
  readonly entries?: readonly Dim[];
}

export interface ShapeContext {
  readonly node: Node;
  /** Stops with an error that names the node. */
  fail(reason: string): never;
  /** Infers the outputs of a subgraph, given what is known of its inputs. */
  inferSubgraph(graph: Graph, inputs: readonly (Inferred | undefined)[]): readonly (Inferred | undefined)[];
}

/** From what is known of the inputs (undefined: left out or unknown) to what is known of the outputs. */
export type ShapeRule<A extends AttributeSpecs> = (
  inputs: readonly (Inferred | undefined)[],
  attributes: AttributeValues<A>,
  context: ShapeContext,
) => Inferred | undefined | readonly (Inferred | undefined)[];

export interface OperatorSpec<A extends AttributeSpecs = AttributeSpecs> {
  /** Least and greatest number of inputs (Infinity: as many as one likes). */
  readonly inputs: readonly [number, number];
  readonly outputs: readonly [number, number];
  readonly attributes: A;
  readonly shape: ShapeRule<A>;
  /** The domain of an operator that is not ONNX's own: names of operators are unique over all that the table has. */
  readonly domain?: string;
  /** The group in the documentation. */
  readonly family: string;
}

const saturate = (value: bigint): number =>
  value > BigInt(Number.MAX_SAFE_INTEGER)
    ? Number.MAX_SAFE_INTEGER
    : value < BigInt(-Number.MAX_SAFE_INTEGER)
      ? -Number.MAX_SAFE_INTEGER
      : Number(value);

const plain = (a: Attribute): unknown =>
  a.type === "int" ? saturate(a.value) : a.type === "ints" ? a.value.map(saturate) : a.value;

/** The attributes of a node as typed values, defaults filled in. */
export function readAttributes<A extends AttributeSpecs>(node: Node, specs: A): AttributeValues<A> {
  const values: Record<string, unknown> = {};
  for (const [name, { type, fallback, required, isFlag }] of Object.entries(specs)) {
    const attribute = node.attributes.get(name);
    if (attribute === undefined) {
      if (required) throw new GraphError(`${describe(node)} lacks its attribute "${name}"`);
      values[name] = fallback;
    } else if (attribute.type !== type) {
      throw new GraphError(
        `${describe(node)}: attribute "${name}" is of type ${attribute.type}, not ${type}`,
      );
    } else if (isFlag && attribute.value !== 0n && attribute.value !== 1n) {
      throw new GraphError(`${describe(node)}: attribute "${name}" is ${attribute.value}, neither 0 nor 1`);
    } else values[name] = plain(attribute);
  }
  return values as AttributeValues<A>;
}

/** Integers are 64-bit and floats 32-bit in the file, so they are here. */
function stored(type: AttributeType, value: unknown): unknown {
  if (type === "int") return BigInt(value as number);
  if (type === "ints") return (value as readonly number[]).map(BigInt);
  if (type === "float") return Math.fround(value as number);
  return type === "floats" ? (value as readonly number[]).map(Math.fround) : value;
}

/** Plain values as attributes, typed by the operator's specification. */
export function writeAttributes(
  specs: AttributeSpecs,
  values: Readonly<Record<string, unknown>>,
): Map<string, Attribute> {
  const attributes = new Map<string, Attribute>();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const type = specs[name]?.type;
    if (!type)
      throw new GraphError(`unknown attribute "${name}"; known: ${Object.keys(specs).join(", ") || "none"}`);
    attributes.set(name, { type, value: stored(type, value) } as Attribute);
  }
  return attributes;
}
