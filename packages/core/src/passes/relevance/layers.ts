// The linear layers of a graph as relevance sees them: a node with constant weights, and its bias, which exporters may
// write as an Add behind it.
import { type Graph, isSparse, type Node } from "../../graph/graph.ts";
import { numbers } from "../../graph/tensor.ts";

export type LayerKind = "convolution" | "dense";

export interface LinearLayer {
  readonly node: Node;
  readonly kind: LayerKind;
  /** Which input carries what comes from below, and which the weights. */
  readonly activation: number;
  readonly weight: number;
  /** The Add behind it, and the input of that Add which is the bias. */
  readonly added?: { readonly node: Node; readonly bias: string };
}

const kinds: Readonly<Record<string, LayerKind>> = {
  Conv: "convolution",
  ConvTranspose: "convolution",
  Gemm: "dense",
  MatMul: "dense",
};

/** By node; a product of two values that both depend on the inputs is no layer. */
export function relevanceLayers(
  graph: Graph,
  active: (name: string) => boolean,
): ReadonlyMap<Node, LinearLayer> {
  const readers = new Map<string, Node[]>();
  for (const node of graph.nodes)
    for (const name of node.inputs) readers.set(name, [...(readers.get(name) ?? []), node]);
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  const found = new Map<Node, LinearLayer>();
  for (const node of graph.nodes) {
    const kind = node.domain === "" && Object.hasOwn(kinds, node.op) ? kinds[node.op] : undefined;
    if (!kind) continue;
    const [first, second] = [0, 1].map((k) => active(node.inputs[k]!)) as [boolean, boolean];
    // The kernel of a convolution is its second input.
    if (first === second || (kind === "convolution" && second)) continue;
    const activation = first ? 0 : 1;
    const added = node.op === "MatMul" ? biasBehind(node, graph, { readers, outputs, active }) : undefined;
    found.set(node, { node, kind, activation, weight: 1 - activation, ...(added && { added }) });
  }
  return found;
}

interface Surroundings {
  readonly readers: ReadonlyMap<string, readonly Node[]>;
  readonly outputs: ReadonlySet<string>;
  readonly active: (name: string) => boolean;
}

/** The constant vector that the only reader of a product adds to it. */
function biasBehind(
  { outputs: [product] }: Node,
  graph: Graph,
  { readers, outputs, active }: Surroundings,
): LinearLayer["added"] {
  const behind = readers.get(product!) ?? [];
  const [add] = behind;
  if (behind.length !== 1 || add?.op !== "Add" || add.domain !== "" || outputs.has(product!))
    return undefined;
  const bias = add.inputs.find((name) => name !== product);
  const weight = bias === undefined || active(bias) ? undefined : graph.initializers.get(bias);
  if (!weight || isSparse(weight) || weight.dims.slice(0, -1).some((d) => d !== 1)) return undefined;
  return numbers(weight).every(Number.isFinite) ? { node: add, bias: bias! } : undefined;
}

/** What moves the numbers of a layer's output about before they are added to those of another. */
const moving = new Set(
  "Identity Cast Reshape Flatten Squeeze Unsqueeze Transpose Slice Split Gather".split(" "),
);

/**
 * Sums that are one layer in several parts, as recurrent layers write x W + y U + b: by node of a dense layer or of a sum
 * inside, the Add at the top.
 */
export function sumsOfLayers(
  graph: Graph,
  layers: ReadonlyMap<Node, LinearLayer>,
  active: (name: string) => boolean,
): ReadonlyMap<Node, Node> {
  const makers = new Map<string, Node>(graph.nodes.flatMap((n) => n.outputs.map((o) => [o, n] as const)));
  /** The layers and sums that a value is a sum of; undefined if something else is in it. */
  const parts = (name: string): readonly Node[] | undefined => {
    const node = makers.get(name);
    if (node?.domain !== "") return undefined;
    if (layers.get(node)?.kind === "dense") return [node];
    if (moving.has(node.op)) return parts(node.inputs[0]!);
    if (node.op !== "Add") return undefined;
    const found = node.inputs.filter(active).map(parts);
    return found.every((part) => part !== undefined) ? [node, ...found.flat()] : undefined;
  };
  const biases = new Set([...layers.values()].map(({ added }) => added?.node));
  const tops = new Map<Node, Node>();
  for (const node of graph.nodes.toReversed()) {
    if (node.op !== "Add" || tops.has(node) || biases.has(node) || !node.inputs.some(active)) continue;
    for (const part of parts(node.outputs[0]!) ?? []) if (part !== node) tops.set(part, node);
  }
  return tops;
}
