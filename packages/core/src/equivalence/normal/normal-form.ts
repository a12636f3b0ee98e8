// One way to write a network that exporters write in several: constants are folded, layers are a MatMul and an Add, what
// only arranges numbers is a Reshape or a Transpose, and every use of a weight has a weight of its own. The function is the
// same, for one example: open sizes become 1 (or another number that is asked for).

import { type Graph, isTensorType, type Node, subgraphs, type ValueInfo } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { ownEntry } from "../../graph/own-entry.ts";
import { prune } from "../../graph/prune.ts";
import { recognized } from "../../graph/recognize.ts";
import type { Tensor } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { foldNodes } from "../simplify/fold-nodes.ts";
import { widenBfloat16 } from "../widen-bfloat16.ts";
import { normalAttributes } from "./attributes.ts";
import { foldedConstants } from "./fold-constant.ts";
import { type Arranged, NormalWriter } from "./writer.ts";

/** The graph with every open size of its inputs taken as this one. */
function forExamples(graph: Graph, size: number): Graph {
  const one = (info: ValueInfo): ValueInfo =>
    isTensorType(info.type) && info.type.shape
      ? {
          ...info,
          type: { ...info.type, shape: info.type.shape.map((d) => (typeof d === "number" ? d : size)) },
        }
      : info;
  const outputs = graph.outputs.map(({ name, type }) => ({
    name,
    type: isTensorType(type) ? { type: type.type } : type,
  }));
  return { ...graph, inputs: graph.inputs.map(one), outputs, valueTypes: new Map() };
}

type Rule = (node: Node, writer: NormalWriter) => Arranged | undefined;

const number = (node: Node, name: string, otherwise: number): number =>
  Number(node.attributes.get(name)?.value ?? otherwise);

/** Numbers in the same order, in another shape. */
const reshape: Rule = ({ inputs, outputs }, writer) => {
  const shape = writer.shapeOf(outputs[0]!);
  return shape && writer.reshaped(inputs[0]!, shape);
};

const pass: Rule = ({ inputs }) => inputs[0]!;

const transpose: Rule = (node, writer) => {
  const rank = writer.shapeOf(node.inputs[0]!)?.length;
  const perm = node.attributes.get("perm");
  if (rank === undefined) return undefined;
  const order =
    perm?.type === "ints" ? perm.value.map(Number) : Array.from({ length: rank }, (_, k) => rank - 1 - k);
  return writer.transposed(node.inputs[0]!, order);
};

/** alpha A B + beta C is a product and a sum, where neither factor says anything. */
const gemm: Rule = (node, writer) => {
  const [a, b, c] = node.inputs;
  if (number(node, "alpha", 1) !== 1 || (c && number(node, "beta", 1) !== 1)) return undefined;
  const [left, right] = [
    number(node, "transA", 0) ? writer.transposed(a!, [1, 0]) : a!,
    number(node, "transB", 0) ? writer.transposed(b!, [1, 0]) : b!,
  ];
  const product = writer.matmul(left, right);
  return c ? writer.sum(product, c) : product;
};

const rules: Readonly<Record<string, Rule>> = {
  Identity: pass,
  Dropout: (node, writer) => {
    const training = node.inputs[2] ? writer.constant(node.inputs[2]) : undefined;
    const isOff = !node.inputs[2] || (training !== undefined && Number(training.data[0]) === 0);
    return isOff && !writer.isRead(node.outputs[1] ?? "") ? node.inputs[0]! : undefined;
  },
  Cast: (node, writer) =>
    writer.typeOf(node.inputs[0]!) === writer.typeOf(node.outputs[0]!) ? node.inputs[0]! : undefined,
  Reshape: reshape,
  Flatten: reshape,
  Squeeze: reshape,
  Unsqueeze: reshape,
  Expand: (node, writer) => {
    const [from, to] = [writer.shapeOf(node.inputs[0]!), writer.shapeOf(node.outputs[0]!)];
    return from && to && `${from}` === `${to}` ? node.inputs[0]! : undefined;
  },
  Transpose: transpose,
  Gemm: gemm,
  Conv: (node, writer) => {
    const [x, w, b] = node.inputs;
    const kernel = writer.constant(w!);
    return b || !kernel ? undefined : writer.again(node, [x!, w!, writer.zeros(kernel.dims[0]!, w!)]);
  },
  MatMul: ({ inputs: [a, b] }, writer) => writer.matmul(a!, b!),
  Add: ({ inputs: [a, b] }, writer) => writer.sum(a!, b!),
  Mul: ({ inputs: [a, b] }, writer) => writer.product(a!, b!),
};

/**
 * The normal form of a graph; graphs with branches or loops are left as they are written.
 * @example normalForm(net).nodes.some((n) => n.op === "Gemm") // false
 */
export function normalForm(source: Graph, size = 1): Graph {
  const whole = canonical(widenBfloat16(source));
  const isPlain = whole.functions.length === 0 && whole.nodes.every((node) => subgraphs(node).length === 0);
  if (!isPlain) return whole;
  const graph = recognized(forExamples(foldNodes(whole, false).graph, size));
  const writer = new NormalWriter(graph, inferTypes(graph));
  for (const node of graph.nodes) {
    const renamed: Node = { ...node, inputs: node.inputs.map((name) => writer.nameOf(name)) };
    const folded = foldedNode(renamed, writer);
    if (folded) {
      node.outputs.forEach((name, k) => {
        if (name) writer.define(name, folded[k]!);
      });
      continue;
    }
    const replaced = renamed.domain === "" ? ownEntry(rules, renamed.op)?.(renamed, writer) : undefined;
    if (replaced !== undefined) writer.rename(node.outputs[0]!, replaced);
    else writer.keep({ ...renamed, attributes: normalAttributes(renamed, writer.rankOf(renamed.inputs[0])) });
  }
  return prune(writer.finish());
}

/** The numbers of a node's outputs, where they are known before the run. */
function foldedNode(node: Node, writer: NormalWriter): readonly Tensor[] | undefined {
  const known = node.outputs.map((name) => (name ? writer.inferredValue(name) : undefined));
  if (node.outputs.every((name, k) => !name || known[k])) return known as readonly Tensor[];
  if (node.inputs.length === 0) return undefined;
  const inputs = node.inputs.map((name) => (name ? writer.constant(name) : undefined));
  if (node.inputs.some((name, k) => name && !inputs[k])) return undefined;
  return foldedConstants(node, inputs);
}
