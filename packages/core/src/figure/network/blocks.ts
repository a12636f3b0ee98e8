// A graph as the blocks that a picture shows: constants belong to the node that reads them, elementwise operators to the
// block whose values they change, and what is too much for a picture is folded into one block that says how much it is.

import { GraphError } from "../../graph/error.ts";
import {
  type Graph,
  isSparse,
  isTensorType,
  type Node,
  outerReferences,
  requiredInputs,
  type Shape,
  subgraphs,
  type TensorType,
} from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { elementCount, isFloat, type SparseTensor, type Tensor } from "../../graph/tensor.ts";
import type { BlockDiagram, NetworkBlock } from "./block-diagram.ts";
import { foldBlocks, foldEnds } from "./fold.ts";

export interface BlockOptions {
  /** More blocks than this are folded. Default: 60. */
  readonly most?: number;
}

/** Operators that change values, or the way they are laid out, one by one. */
const pointwise: ReadonlySet<string> = new Set(
  `Relu LeakyRelu PRelu Elu Selu Celu Gelu Mish Softplus Softsign Sigmoid HardSigmoid HardSwish Tanh Erf Exp Log Sqrt Abs
  Neg Sign Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Reciprocal Floor Ceil Round Clip ThresholdedRelu Swish
  Add Sub Mul Div Pow Max Min Mean Sum Mod Greater GreaterOrEqual Less LessOrEqual Equal Not And Or Xor Where
  Cast CastLike Identity Dropout BatchNormalization IsNaN IsInf Softmax LogSoftmax
  Flatten Reshape Squeeze Unsqueeze Transpose`.split(/\s+/),
);

const size = (t: Tensor | SparseTensor): number =>
  !isFloat(t.type) ? 0 : isSparse(t) ? t.indices.length : elementCount(t.dims);

type ShapeOf = (value: string) => string | undefined;

/** Shapes as people write them; a dimension without a name is "?". A graph with a contradiction has none. */
function shapesOf(graph: Graph): ShapeOf {
  const known = inferred(graph);
  return (value) => {
    const shape = known.get(value)?.shape;
    if (!shape) return undefined;
    return shape.length === 0 ? "one number" : shape.map((d) => d ?? "?").join(" × ");
  };
}

function inferred(graph: Graph): ReadonlyMap<string, { readonly shape?: Shape | undefined }> {
  try {
    return inferTypes(graph);
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    const stated = [...graph.inputs, ...graph.outputs].map((v) => [v.name, v.type] as const);
    return new Map(
      [...graph.valueTypes, ...stated].filter((v): v is [string, TensorType] => isTensorType(v[1])),
    );
  }
}

/** Names that a node reads, those that its subgraphs take from outside included. */
export const readsOf = (node: Node): readonly string[] =>
  [...node.inputs, ...subgraphs(node).flatMap((g) => [...outerReferences(g)])].filter((name) => name !== "");

/** Nodes that depend on no input: they belong to whoever reads them. */
function constantNodes(graph: Graph): ReadonlySet<Node> {
  const varying = new Set(graph.inputs.map((i) => i.name).filter((name) => !graph.initializers.has(name)));
  const asked = new Set(graph.outputs.map((o) => o.name));
  const constants = new Set<Node>();
  for (const node of graph.nodes) {
    const isVarying = readsOf(node).some((name) => varying.has(name)) || node.op.startsWith("Random");
    if (!isVarying) constants.add(node);
    if (isVarying || node.outputs.some((name) => asked.has(name)))
      for (const name of node.outputs) varying.add(name);
  }
  // One that is itself an output is a block of its own.
  for (const node of constants) if (node.outputs.some((name) => asked.has(name))) constants.delete(node);
  return constants;
}

const innerParameters = (graph: Graph): number =>
  [...graph.initializers.values()].reduce((sum, t) => sum + size(t), 0) +
  graph.nodes.reduce((sum, node) => sum + ownParameters(node), 0);

/** Those that a node holds in its attributes. */
const ownParameters = (node: Node): number =>
  (node.op === "Constant"
    ? [...node.attributes.values()].reduce((sum, a) => sum + (a.type === "tensor" ? size(a.value) : 0), 0)
    : 0) + subgraphs(node).reduce((sum, g) => sum + innerParameters(g), 0);

interface Draft {
  readonly kind: "input" | "nodes";
  readonly ops: string[];
  readonly nodes: Node[];
  parameters: number;
  last: string;
}

/** The first operators of a run, and how many more. */
function runLabel(ops: readonly string[]): string {
  const shown = ops.length <= 4 ? ops : ops.slice(0, 3);
  const rest = ops.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… ${rest} more`] : [])].join(" + ");
}

const kernelText = (node: Node): string => {
  const kernel = node.attributes.get("kernel_shape");
  const text = kernel?.type === "ints" ? ` ${kernel.value.join("×")}` : "";
  return `${node.domain ? `${node.domain}.` : ""}${node.op}${text}`;
};

/**
 * The blocks of a graph, in topological order.
 * @example networkBlocks(square(2)).blocks.length > 1 // true
 */
export function networkBlocks(graph: Graph, { most = 60 }: BlockOptions = {}): BlockDiagram {
  const shapeOf = shapesOf(graph);
  const constants = constantNodes(graph);
  const drafts: Draft[] = [];
  const made = new Map<string, number>();
  const edges = new Set<string>();
  const counted = new Set<string>();
  const makers = new Map([...constants].flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const taken = new Set<Node>();
  const waiting: Node[] = [];

  /** Weights and constants behind a name become part of the block that reads it first. */
  const absorb = (draft: Draft, name: string): void => {
    if (made.has(name) || counted.has(name)) return;
    counted.add(name);
    const weight = graph.initializers.get(name);
    if (weight) draft.parameters += size(weight);
    const maker = makers.get(name);
    if (!maker || taken.has(maker)) return;
    taken.add(maker);
    draft.nodes.push(maker);
    draft.parameters += ownParameters(maker);
    for (const inner of readsOf(maker)) absorb(draft, inner);
  };

  for (const { name } of requiredInputs(graph)) {
    made.set(name, drafts.length);
    drafts.push({ kind: "input", ops: [name], nodes: [], parameters: 0, last: name });
  }
  for (const node of graph.nodes) {
    if (constants.has(node)) {
      waiting.push(node);
      continue;
    }
    const from = [...new Set(readsOf(node).flatMap((name) => made.get(name) ?? []))];
    const single = from.length === 1 ? drafts[from[0]!]! : undefined;
    const joins = single?.kind === "nodes" && pointwise.has(node.op) && node.domain === "";
    const at = joins ? from[0]! : drafts.length;
    if (!joins) drafts.push({ kind: "nodes", ops: [], nodes: [], parameters: 0, last: "" });
    const draft = drafts[at]!;
    draft.ops.push(kernelText(node));
    draft.nodes.push(node);
    draft.parameters += ownParameters(node);
    for (const name of readsOf(node)) absorb(draft, name);
    for (const name of node.outputs) if (name) made.set(name, at);
    draft.last = node.outputs.find((name) => name) ?? draft.last;
    for (const f of from) if (f !== at) edges.add(`${f} ${at}`);
  }
  const unread = waiting.filter((node) => !taken.has(node));
  if (unread.length > 0)
    drafts.push({
      kind: "nodes",
      ops: unread.map((n) => n.op),
      nodes: unread,
      parameters: unread.reduce((sum, node) => sum + ownParameters(node), 0),
      last: "",
    });
  const blocks = drafts.map(({ kind, ops, nodes, parameters, last }): NetworkBlock => {
    const shape = last ? shapeOf(last) : undefined;
    return { kind, label: runLabel(ops), nodes, parameters, ...(shape ? { shape } : {}) };
  });
  const links = [...edges].map((e): readonly [number, number] => {
    const [from, to] = e.split(" ");
    return [Number(from), Number(to)];
  });
  const folded = foldBlocks({ blocks, edges: links }, most);
  return withOutputs(graph, folded, made, shapeOf);
}

function withOutputs(
  graph: Graph,
  { blocks, edges, places }: BlockDiagram & { readonly places: readonly number[] },
  made: ReadonlyMap<string, number>,
  shapeOf: ShapeOf,
): BlockDiagram {
  const outputs = graph.outputs.map(({ name }): NetworkBlock => {
    const shape = shapeOf(name);
    return { kind: "output", label: name, parameters: 0, nodes: [], ...(shape ? { shape } : {}) };
  });
  const links = graph.outputs.flatMap(({ name }, k) => {
    const maker = made.get(name);
    return maker === undefined ? [] : [[places[maker]!, blocks.length + k] as const];
  });
  const whole = { blocks: [...blocks, ...outputs], edges: [...edges, ...links] };
  return foldEnds(whole, outputs.length);
}
