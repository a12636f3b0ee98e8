// What is known of values without running: which are never negative, and which are only read by a Relu.
import type { Graph, Node } from "../../graph/graph.ts";
import { isSparse } from "../../graph/graph.ts";
import { numbers } from "../../graph/tensor.ts";

const positive = new Set("Relu Sigmoid HardSigmoid Exp Softplus Softmax Abs Sqrt".split(" "));
/** Of numbers that are not negative these make numbers that are not negative. */
const keeping = new Set(
  "MaxPool GlobalMaxPool AveragePool GlobalAveragePool ReduceMean ReduceSum ReduceMax Identity Cast Reshape Flatten Squeeze Unsqueeze Transpose Slice Split Concat Gather Expand Tile Dropout Add Sum Mul Max".split(
    " ",
  ),
);

/** Is no entry of this value ever negative? */
export function nonnegative(graph: Graph): (name: string) => boolean {
  const makers = new Map<string, Node>(graph.nodes.flatMap((n) => n.outputs.map((o) => [o, n] as const)));
  const known = new Map<string, boolean>();
  const find = (name: string): boolean => {
    const weight = graph.initializers.get(name);
    if (weight) return !isSparse(weight) && weight.type !== "int64" && numbers(weight).every((v) => v >= 0);
    const node = makers.get(name);
    if (!node) return false;
    if (positive.has(node.op)) return true;
    if (node.op === "Clip") return isLowest(graph, node.inputs[1]);
    if (!keeping.has(node.op)) return false;
    const isJoint = /^(Add|Sum|Mul|Max|Concat)$/.test(node.op);
    return (isJoint ? node.inputs : node.inputs.slice(0, 1)).every(is);
  };
  const is = (name: string): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, false);
    const found = find(name);
    known.set(name, found);
    return found;
  };
  return is;
}

/** Functions of one number that are 0 at 0: no relevance arrives at a 0 through them where none is at one. */
const fixingZero = new Set(
  "Dropout Relu LeakyRelu PRelu Elu Selu Celu Gelu Tanh HardSwish Mish Softsign ThresholdedRelu Shrink Abs Neg Erf Sqrt Sin Tan Asin Atan Sinh Asinh Atanh Floor Ceil Round".split(
    " ",
  ),
);
export const keepsZeros = ({ op }: Node): boolean => fixingZero.has(op);

function isLowest(graph: Graph, name: string | undefined): boolean {
  const weight = name ? graph.initializers.get(name) : undefined;
  return weight !== undefined && !isSparse(weight) && numbers(weight).every((v) => v >= 0);
}

/** Is this value read by Relu alone? */
export function rectified(graph: Graph): (name: string) => boolean {
  const readers = new Map<string, string[]>();
  for (const { op, inputs } of graph.nodes)
    for (const name of inputs) readers.set(name, [...(readers.get(name) ?? []), op]);
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  return (name) => !outputs.has(name) && (readers.get(name) ?? ["none"]).every((op) => op === "Relu");
}
