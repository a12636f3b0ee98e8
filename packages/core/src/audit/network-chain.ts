// A network as the bounds by widths and norms read it: linear layers one after the other, an activation between them.

import type { BoundedSlope } from "../generalization/covering.ts";
import { type Graph, isSparse, type Node } from "../graph/graph.ts";
import { ownEntry } from "../graph/own-entry.ts";
import { isFloat, numbers } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import type { LinearLayer } from "../measures/linear-layers.ts";

export interface NetworkChain {
  /** Features of the input, of each hidden layer and of the output; empty where the layers do not follow each other. */
  readonly widths: readonly number[];
  /** The bias of each layer, one number a row (channel); empty where it has none. */
  readonly biases: readonly Float64Array[];
  /** The one kind of activation; LeakyRelu counts as ReLU, whose slope and homogeneity it has. */
  readonly activation?: BoundedSlope;
  /** Layer after layer, no other paths. */
  readonly layered: boolean;
  readonly fullyConnected: boolean;
  /** What stands in the way, with the node's name. */
  readonly obstacles: readonly string[];
}

const shapers = new Set(["Flatten", "Reshape", "Identity", "Squeeze", "Unsqueeze", "Transpose", "Dropout"]);
const activations: Readonly<Record<string, BoundedSlope>> = {
  Relu: "relu",
  Tanh: "tanh",
  Sigmoid: "sigmoid",
};
const neutral: Readonly<Record<string, number>> = { Add: 0, Sub: 0, Mul: 1, Div: 1 };

/** Reads the chain of a graph whose linear layers are known. */
export function networkChain(
  original: Graph,
  layers: readonly LinearLayer[],
  features: number,
): NetworkChain {
  const graph = canonical(original);
  const byOutput = new Map(layers.map((layer, k) => [layer.output, k]));
  const biases: Float64Array[] = layers.map(() => new Float64Array());
  const kinds = new Set<BoundedSlope>();
  const fixed = new Set(["", ...graph.initializers.keys()]);
  const paths: string[] = [];
  const slopes: string[] = [];
  let [value, place, last] = [graph.inputs.find((i) => !graph.initializers.has(i.name))?.name, -1, ""];
  for (const node of graph.nodes) {
    const moving = node.inputs.filter((name) => !fixed.has(name));
    if (moving.length === 0) {
      for (const name of node.outputs) fixed.add(name); // of constants alone, such as a transposed weight
      continue;
    }
    const called = `${node.op} "${node.name || node.outputs[0]}"`;
    if (moving.length > 1) paths.push(`${called} joins several paths, as a residual one`);
    else if (moving[0] !== value) paths.push(`${called} reads an earlier value: there are parallel paths`);
    value = node.outputs[0];
    const layer = byOutput.get(node.outputs[0] ?? "");
    const slope = activationOf(node);
    if (layer !== undefined && node.op !== "BatchNormalization") {
      if (last === "linear") paths.push(`${called} follows a linear layer with no activation between`);
      [place, last] = [layer, "linear"];
      const bias = constant(graph, node.inputs[2] ?? "")?.map((b) => b * biasFactor(node));
      if (bias?.length === layers[layer]!.rows && bias.some((b) => b !== 0)) biases[place] = bias;
      else if (node.inputs[2] && bias?.every((b) => b === 0) !== true)
        paths.push(`the bias of ${called} is not a row`);
    } else if (slope && last === "linear") {
      kinds.add(slope);
      last = "activation";
    } else if (node.op === "Add" && last === "linear") {
      const added = node.inputs.map((name) => constant(graph, name)).find((b) => b !== undefined);
      if (added?.length === layers[place]!.rows && biases[place]!.length === 0)
        biases[place] = added.some((b) => b !== 0) ? added : biases[place]!;
      else if (moving.length === 1) paths.push(`${called} is not the bias of a layer`);
    } else if (!shapers.has(node.op) && !isNeutral(graph, node)) {
      if (isNamedActivation(node.op)) slopes.push(`${called} is not ReLU, tanh or sigmoid behind a layer`);
      else paths.push(`${called} is neither a layer with weights nor an activation`);
    }
  }
  if (last === "activation") paths.push("there is an activation behind the last layer");
  if (layers.length === 0) paths.push("there are no layers with weights");
  if (kinds.size > 1) slopes.push(`activations are mixed: ${[...kinds].join(", ")}`);
  const widths = paths.length === 0 ? widthsOf(layers, features) : [];
  if (paths.length === 0 && widths.length === 0)
    paths.push("a layer reads other features than the one before it gives");
  const [activation = "relu"] = kinds;
  return {
    widths,
    biases,
    ...(slopes.length === 0 ? { activation } : {}),
    layered: paths.length === 0,
    fullyConnected: layers.every((l) => l.kind === "dense"),
    obstacles: [...paths, ...slopes],
  };
}

/** Features before and after each layer, if each layer reads all that the one before it gives. */
function widthsOf(layers: readonly LinearLayer[], features: number): readonly number[] {
  const sizes = layers.map(({ rows, columns, convolution }) =>
    convolution ? [product(convolution.input), rows * product(convolution.output)] : [columns, rows],
  );
  const follows = sizes.every(([from], k) => from === (k === 0 ? features : sizes[k - 1]![1]));
  return follows ? [features, ...sizes.map(([, to]) => to!)] : [];
}

/** Gemm adds beta times its third input. */
function biasFactor({ op, attributes }: Node): number {
  const beta = op === "Gemm" ? attributes.get("beta") : undefined;
  return beta?.type === "float" ? Number(beta.value) : 1;
}

const product = (dims: readonly number[]): number => dims.reduce((p, d) => p * d, 1);

function activationOf({ op, attributes }: Node): BoundedSlope | undefined {
  if (op !== "LeakyRelu") return ownEntry(activations, op);
  const alpha = attributes.get("alpha");
  const slope = alpha?.type === "float" ? Number(alpha.value) : 0.01;
  return Math.abs(slope) <= 1 ? "relu" : undefined;
}

const otherActivations =
  "Elu Selu Celu Gelu LeakyRelu PRelu Softplus Softsign HardSigmoid HardSwish Mish Erf Sin Clip";
const isNamedActivation = (op: string): boolean =>
  Object.hasOwn(activations, op) || otherActivations.split(" ").includes(op);

function constant(graph: Graph, name: string): Float64Array | undefined {
  const found = graph.initializers.get(name);
  return found && !isSparse(found) && isFloat(found.type) ? Float64Array.from(numbers(found)) : undefined;
}

/** x + 0, x - 0, x * 1 and x / 1. */
function isNeutral(graph: Graph, { op, inputs }: Node): boolean {
  const still = ownEntry(neutral, op);
  const second = constant(graph, inputs[1] ?? "");
  return still !== undefined && second?.every((v) => v === still) === true;
}
