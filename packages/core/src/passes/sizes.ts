// How large a network is: hidden units and layers, parameters, and weights that are not zero.
import { GraphError } from "../graph/error.ts";
import { type Graph, isSparse, type Node } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { numbers } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";

export interface Sizes {
  /** Weights with a floating-point type, or quantized to integers; zeros included. */
  readonly parameters: number;
  readonly nonzeros: number;
  /** Units with an activation function, per example; undefined where a shape is not known. */
  readonly hiddenUnits: number | undefined;
  /** Hidden layers: the most activations on a path from an input to an output. */
  readonly depth: number;
  /** Hidden units by layer. */
  readonly widths: readonly (number | undefined)[];
}

/** Functions of one number that are not affine: a node with one of these is a layer of units. */
const activations = new Set(
  `Relu LeakyRelu PRelu Elu Selu Celu Gelu Sigmoid Tanh Softplus Softsign HardSigmoid HardSwish Mish
  ThresholdedRelu Clip Erf Sin Cos Exp Log Sqrt Abs Sign Floor Ceil Round Reciprocal LSTM GRU RNN`.split(
    /\s+/,
  ),
);
/** Operators that only pass values on: an activation before nothing but these is an output's, not hidden. */
const movers = new Set(
  "Identity Reshape Flatten Squeeze Unsqueeze Transpose Cast Dropout Softmax LogSoftmax".split(" "),
);

/**
 * The sizes of a network. A batch dimension (one without a number) counts as 1.
 * @example sizes(square(3)).widths // [2, 3, 3]
 */
export function sizes(graph: Graph): Sizes {
  const { nodes, initializers, inputs, outputs } = canonical(graph);
  const types = knownTypes(graph);
  const level = new Map<string, number>(inputs.map((i) => [i.name, 0]));
  const widths: (number | undefined)[] = [];
  const hidden = hiddenNodes(nodes, new Set(outputs.map((o) => o.name)));
  for (const node of nodes) {
    const before = Math.max(...node.inputs.map((name) => level.get(name) ?? -1), -1);
    const isLayer = before >= 0 && hidden.has(node);
    const after = isLayer ? before + 1 : before;
    if (isLayer) {
      const units = unitsOf(types.get(node.outputs[0]!)?.shape);
      widths[before] = before < widths.length ? plus(widths[before], units) : units;
    }
    if (after >= 0) for (const name of node.outputs) level.set(name, after);
  }
  return {
    ...weights(initializers, quantizedNames(nodes)),
    hiddenUnits: widths.reduce<number | undefined>(plus, 0),
    depth: widths.length,
    widths,
  };
}

/** Sizes are known as far as shapes are: a graph that contradicts itself still has weights to count. */
function knownTypes(graph: Graph): ReturnType<typeof inferTypes> {
  try {
    return inferTypes(graph);
  } catch (error) {
    if (error instanceof GraphError) return new Map();
    throw error;
  }
}

const plus = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;

function unitsOf(shape: readonly (number | string | undefined)[] | undefined): number | undefined {
  return shape?.reduce<number>((n, d) => n * (typeof d === "number" ? d : 1), 1);
}

function hiddenNodes(nodes: readonly Node[], outputs: ReadonlySet<string>): ReadonlySet<Node> {
  const visible = new Set(outputs);
  const hidden = new Set<Node>();
  for (const node of nodes.toReversed()) {
    const shown = node.outputs.some((name) => visible.has(name));
    if (shown && movers.has(node.op) && node.inputs[0]) visible.add(node.inputs[0]);
    if (activations.has(node.op) && !shown) hidden.add(node);
  }
  return hidden;
}

/** Where operators read numbers that stand for quantized ones. */
const quantizedInputs: ReadonlyMap<string, readonly number[]> = new Map([
  ["DequantizeLinear", [0]],
  ["MatMulInteger", [0, 1]],
  ["ConvInteger", [0, 1]],
  ["QLinearMatMul", [0, 3]],
  ["QLinearConv", [0, 3, 8]],
]);

function quantizedNames(nodes: readonly Node[]): ReadonlySet<string> {
  const read = nodes.flatMap(({ op, inputs }) => (quantizedInputs.get(op) ?? []).map((k) => inputs[k]));
  return new Set(read.filter((name) => name !== undefined));
}

function weights(
  initializers: Graph["initializers"],
  quantized: ReadonlySet<string>,
): Pick<Sizes, "parameters" | "nonzeros"> {
  let [parameters, nonzeros] = [0, 0];
  for (const [name, weight] of initializers) {
    if (!/^b?float/.test(weight.type) && !quantized.has(name)) continue;
    const stored = isSparse(weight) ? weight.values : weight;
    parameters += weight.dims.reduce((n, d) => n * d, 1);
    if (/^(b?float(16|32|64)|u?int(8|16|32))$/.test(stored.type))
      for (const v of numbers(stored)) nonzeros += v === 0 ? 0 : 1;
    else nonzeros += stored.data.length;
  }
  return { parameters, nonzeros };
}
