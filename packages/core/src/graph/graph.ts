// The one network representation: an ONNX graph in memory. Graphs are values: a pass makes a new one.
import { GraphError } from "./error.ts";
import type { DataType, SparseTensor, Tensor } from "./tensor.ts";

/** A dimension: known, named (the same name is the same number), or unknown. */
export type Dim = number | string | undefined;
export type Shape = readonly Dim[];

export interface TensorType {
  readonly type: DataType;
  /** Absent: even the rank is unknown. */
  readonly shape?: Shape;
}

/** A sequence, map or optional: carried through unread. */
export interface OpaqueType {
  readonly type: "opaque";
  readonly description: string;
  readonly encoded: Uint8Array;
}
export type ValueType = TensorType | OpaqueType;

export interface ValueInfo {
  readonly name: string;
  readonly type: ValueType;
}

export type Attribute =
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "tensor"; readonly value: Tensor }
  | { readonly type: "graph"; readonly value: Graph }
  | { readonly type: "sparse"; readonly value: SparseTensor }
  | { readonly type: "type"; readonly value: ValueType }
  | { readonly type: "ints"; readonly value: readonly bigint[] }
  | { readonly type: "floats"; readonly value: readonly number[] }
  | { readonly type: "strings"; readonly value: readonly string[] }
  | { readonly type: "tensors"; readonly value: readonly Tensor[] }
  | { readonly type: "graphs"; readonly value: readonly Graph[] };
export type AttributeType = Attribute["type"];

export interface Node {
  readonly op: string;
  /** "" is ONNX itself. */
  readonly domain: string;
  readonly name: string;
  /** Names of values; "" is an optional input left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, Attribute>;
}

export interface Graph {
  readonly name: string;
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
  /** In topological order. */
  readonly nodes: readonly Node[];
  /** Weights by name. A weight that is listed in `inputs` too is a default that a caller may override. */
  readonly initializers: ReadonlyMap<string, Tensor | SparseTensor>;
  /** Types of inner values that the file states. */
  readonly valueTypes: ReadonlyMap<string, ValueType>;
  /** Operator-set version by domain. A subgraph has that of the graph around it. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly irVersion: number;
  readonly metadata: ReadonlyMap<string, string>;
  /** Model-local functions, carried through unread. */
  readonly functions: readonly Uint8Array[];
}

export const isSparse = (t: Tensor | SparseTensor): t is SparseTensor => "indices" in t;
export const isTensorType = (t: ValueType): t is TensorType => t.type !== "opaque";

/** The version of ONNX's own operators that this graph is written in. */
export const opsetOf = (graph: Graph): number => graph.opsets.get("") ?? graph.opsets.get("ai.onnx") ?? 1;

/** Inputs that a caller must give: those without a default. */
export const requiredInputs = (graph: Graph): readonly ValueInfo[] =>
  graph.inputs.filter(({ name }) => !graph.initializers.has(name));

/** The graphs that a node holds (branches of If, bodies of Loop and Scan). */
export function subgraphs(node: Node): readonly Graph[] {
  return [...node.attributes.values()].flatMap((a) =>
    a.type === "graph" ? [a.value] : a.type === "graphs" ? a.value : [],
  );
}

/** How an error message points at a node: `Conv node "layer3/conv"`. */
export const describe = (node: Node): string =>
  `${node.domain ? `${node.domain}.` : ""}${node.op} node "${node.name || node.outputs[0] || "?"}"`.replace(
    /\p{Cc}/gu, // a hostile name must not break the line or move the cursor
    "?",
  );

/** A graph whose outputs the compiler knows by name: what `graph` writes. */
export type GraphWith<O extends string> = Graph & {
  readonly outputs: readonly (ValueInfo & { readonly name: O })[];
};
/** The names of a graph's outputs, as far as they are known before it runs. */
export type OutputsOf<G extends Graph> = G["outputs"][number]["name"];

/** Values that a graph reads from the graph around it. */
export function outerReferences(graph: Graph): ReadonlySet<string> {
  const known = new Set([...graph.inputs.map((i) => i.name), ...graph.initializers.keys()]);
  const outer = new Set<string>();
  for (const node of graph.nodes) {
    for (const name of node.inputs) if (name && !known.has(name)) outer.add(name);
    for (const inner of subgraphs(node))
      for (const name of outerReferences(inner)) if (!known.has(name)) outer.add(name);
    for (const name of node.outputs) known.add(name);
  }
  for (const { name } of graph.outputs) if (!known.has(name)) outer.add(name);
  return outer;
}

/** The same nodes, each after those it reads from; an error names a node on a cycle. */
export function topologicalOrder(nodes: readonly Node[]): Node[] {
  const producer = new Map<string, number>();
  nodes.forEach((node, k) => {
    for (const name of node.outputs) if (name) producer.set(name, k);
  });
  const reads = nodes.map((node) => {
    const names = [...node.inputs, ...subgraphs(node).flatMap((g) => [...outerReferences(g)])];
    return new Set(names.map((name) => producer.get(name)).filter((k) => k !== undefined));
  });
  const waiting = reads.map((r) => r.size);
  const readers: number[][] = nodes.map(() => []);
  reads.forEach((r, k) => {
    for (const p of r) readers[p]!.push(k);
  });
  const ready = waiting.flatMap((n, k) => (n === 0 ? [k] : []));
  const order: Node[] = [];
  for (let head = 0; head < ready.length; head++) {
    const k = ready[head]!;
    order.push(nodes[k]!);
    for (const reader of readers[k]!) if (--waiting[reader]! === 0) ready.push(reader);
  }
  if (order.length < nodes.length) {
    const stuck = nodes[waiting.findIndex((n) => n > 0)]!;
    throw new GraphError(`the graph has a cycle through ${describe(stuck)}`);
  }
  return order;
}
