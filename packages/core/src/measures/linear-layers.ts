// The linear operators of a network with constant weights, as matrices and kernels, read from its graph.
import { run } from "../engine/run.ts";
import {
  type Graph,
  isSparse,
  isTensorType,
  type Node,
  requiredInputs,
  type TensorType,
} from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { type AttributesOf, type OperatorName, operators } from "../graph/operators/index.ts";
import { readAttributes } from "../graph/operators/spec.ts";
import { prune } from "../graph/prune.ts";
import { densify, elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import { type ConvolutionShape, convolutionShape } from "./convolution-shape.ts";

/** One linear operator: outputs = matrix * inputs, or the same at each window of a convolution. */
export interface LinearLayer {
  /** The name of the weight. */
  readonly name: string;
  readonly op: string;
  readonly kind: "dense" | "convolution" | "scale";
  /** Rows are outputs. A convolution: [channels out, channels in of a group * taps]. A scale: its diagonal as a column. */
  readonly rows: number;
  readonly columns: number;
  readonly entries: Float64Array;
  /** Only of a convolution. */
  readonly convolution?: ConvolutionShape;
  /** The value that the operator writes. */
  readonly output: string;
  /** The BatchNormalization whose factors are multiplied into the entries: its scale, and the value that it writes. */
  readonly folded?: { readonly scale: string; readonly output: string };
}

export interface LinearLayers {
  /** In the order of the graph. */
  readonly layers: readonly LinearLayer[];
  /** Operators with weights that are none of these, each with its reason. */
  readonly unread: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * The layers of a network: MatMul, Gemm and Conv with constant weights. A BatchNormalization right behind one of them
 * multiplies its rows; elsewhere it is a layer of its own, a diagonal.
 * @example (await linearLayers(net)).layers.map((l) => l.rows)
 */
export async function linearLayers(original: Graph): Promise<LinearLayers> {
  const graph = canonical(original);
  const constants = await constantsOf(graph);
  const types = typesForOne(graph);
  const readers = readerCounts(graph);
  const layers: LinearLayer[] = [];
  const unread: { name: string; reason: string }[] = [];
  /** Values that are the output of a layer and of nobody else's interest: name -> place in `layers`. */
  const fresh = new Map<string, number>();
  const shapeOf = (name: string): readonly number[] | undefined => {
    const shape = types.get(name)?.shape;
    return shape?.every((d) => typeof d === "number") ? (shape as readonly number[]) : undefined;
  };
  for (const node of graph.nodes) {
    const output = node.outputs[0]!;
    const isOwn = (name: string): boolean => readers.get(name) === 1;
    if (node.op === "BatchNormalization") {
      const factors = normalizationFactors(node, constants);
      if (!factors) unread.push({ name: node.name || output, reason: "its statistics are not constants" });
      else {
        const [x, scale] = node.inputs as readonly [string, string];
        const at = isOwn(x) ? fresh.get(x) : undefined;
        const layer = at === undefined ? undefined : layers[at];
        // A matrix on rows of a longer sequence has its outputs on the last axis, a normalization its channels on axis 1.
        const isAligned = layer?.kind === "convolution" || shapeOf(x)?.length === 2;
        if (at !== undefined && layer && isAligned && layer.rows === factors.length)
          layers[at] = timesRows(layer, factors, { scale, output });
        else layers.push(scaleLayer(scale, factors, output));
      }
      continue;
    }
    // A bias behind a MatMul does not change its weights: a BatchNormalization behind both is folded too.
    const through = node.inputs.find((name) => fresh.has(name) && isOwn(name));
    const isBias = node.op === "Add" && node.inputs.some((name) => constants.has(name));
    if (isBias && through !== undefined) fresh.set(output, fresh.get(through)!);
    const read = readLayer(node, constants, shapeOf);
    if (!read) continue;
    if ("reason" in read) unread.push(read);
    else {
      fresh.set(output, layers.length);
      layers.push(read);
    }
  }
  return { layers, unread };
}

type Constants = ReadonlyMap<string, Tensor>;
type Unread = { readonly name: string; readonly reason: string };

function readLayer(
  node: Node,
  constants: Constants,
  shapeOf: (name: string) => readonly number[] | undefined,
): LinearLayer | Unread | undefined {
  const [first, second] = node.inputs as readonly [string, string];
  const [left, right] = [constants.get(first), constants.get(second)];
  if (left && right) return undefined;
  if (node.op === "MatMul") {
    const weight = right ?? left;
    if (!weight) return undefined; // a product of two values that vary, as in attention
    const name = right ? second : first;
    return weight.dims.length === 2
      ? denseLayer(name, node, weight, { isTransposed: right !== undefined, factor: 1 })
      : { name, reason: `its weight has shape [${weight.dims}]: not one matrix` };
  }
  if (node.op === "Gemm") {
    const { alpha, transA, transB } = attributesOf(node, "Gemm");
    if (!right || transA) return { name: second, reason: "its second factor is not the constant one" };
    return denseLayer(second, node, right, { isTransposed: !transB, factor: alpha });
  }
  if (node.op === "Conv") {
    if (!right) return { name: second, reason: "its kernel is not a constant" };
    const dims = shapeOf(first);
    const [rows, perGroup, ...kernel] = right.dims as [number, number, ...number[]];
    if (!dims) return { name: second, reason: "the size of its input is not known" };
    return {
      name: second,
      op: node.op,
      output: node.outputs[0]!,
      kind: "convolution",
      rows,
      columns: perGroup * elementCount(kernel),
      entries: Float64Array.from(numbers(right)),
      convolution: convolutionShape(dims, right.dims, attributesOf(node, "Conv")),
    };
  }
  const isOther = ["ConvTranspose", "LSTM", "GRU", "RNN"].includes(node.op) && (left ?? right);
  return isOther ? { name: second, reason: `${node.op} is not read as a matrix` } : undefined;
}

const attributesOf = <K extends OperatorName>(node: Node, op: K): AttributesOf<K> =>
  readAttributes(node, operators[op].attributes) as AttributesOf<K>;

function denseLayer(
  name: string,
  node: Node,
  weight: Tensor,
  { isTransposed, factor }: { readonly isTransposed: boolean; readonly factor: number },
): LinearLayer {
  const [height, width] = weight.dims as readonly [number, number];
  const stored = numbers(weight);
  const [rows, columns] = isTransposed ? [width, height] : [height, width];
  const entries = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++)
      entries[i * columns + j] = factor * stored[isTransposed ? j * width + i : i * width + j]!;
  return { name, op: node.op, output: node.outputs[0]!, kind: "dense", rows, columns, entries };
}

const scaleLayer = (name: string, factors: Float64Array, output: string): LinearLayer => ({
  name,
  output,
  op: "BatchNormalization",
  kind: "scale",
  rows: factors.length,
  columns: 1,
  entries: factors,
});

const timesRows = (
  layer: LinearLayer,
  factors: Float64Array,
  folded: NonNullable<LinearLayer["folded"]>,
): LinearLayer => ({
  ...layer,
  folded,
  entries: layer.entries.map((w, k) => w * factors[Math.floor(k / layer.columns)]!),
});

/** scale / sqrt(variance + epsilon). */
function normalizationFactors(node: Node, constants: Constants): Float64Array | undefined {
  const [scale, variance] = [constants.get(node.inputs[1]!), constants.get(node.inputs[4]!)];
  if (!scale || !variance) return undefined;
  const { epsilon } = attributesOf(node, "BatchNormalization");
  const spread = numbers(variance);
  return Float64Array.from(numbers(scale), (s, k) => s / Math.sqrt(spread[k]! + epsilon));
}

/** Weights, and what the graph computes from weights alone (a transposed one, one that is reshaped or cast). */
async function constantsOf(graph: Graph): Promise<Constants> {
  const constants = new Map<string, Tensor>();
  const open = new Set(requiredInputs(graph).map((i) => i.name));
  for (const [name, weight] of graph.initializers)
    if (!graph.inputs.some((i) => i.name === name))
      constants.set(name, isSparse(weight) ? densify(weight) : weight);
  const derived = new Set<string>();
  for (const node of graph.nodes) {
    const isFixed =
      node.inputs.length > 0 &&
      node.inputs.every((name) => !open.has(name) && (!name || constants.has(name) || derived.has(name)));
    if (isFixed) for (const name of node.outputs) derived.add(name);
  }
  const read = graph.nodes.flatMap((n) =>
    ["MatMul", "Gemm", "Conv", "BatchNormalization", "Add"].includes(n.op) && !derived.has(n.outputs[0]!)
      ? n.inputs.filter((name) => derived.has(name))
      : [],
  );
  if (read.length === 0) return constants;
  const types = inferTypes(graph);
  const outputs = [...new Set(read)].flatMap((name) => {
    const type = types.get(name) ?? dequantizedType(graph, name);
    return type ? [{ name, type: { type: type.type, shape: type.shape ?? [] } }] : [];
  });
  if (outputs.length === 0) return constants;
  const fixed = prune({ ...graph, inputs: [], outputs, valueTypes: new Map() });
  for (const [name, value] of Object.entries(await run(fixed, {}))) constants.set(name, value);
  return constants;
}

/** DequantizeLinear, which no pass reads, gives numbers of the type of its scale, in the shape of its weight. */
function dequantizedType({ nodes, initializers }: Graph, name: string): TensorType | undefined {
  const node = nodes.find(({ op, outputs }) => op === "DequantizeLinear" && outputs[0] === name);
  const [weight, scale] = (node?.inputs ?? []).map((input) => initializers.get(input));
  return weight && scale ? { type: scale.type, shape: weight.dims } : undefined;
}

/** Types with every open dimension taken as 1: one example. */
function typesForOne(graph: Graph): ReturnType<typeof inferTypes> {
  const inputs = requiredInputs(graph).flatMap(({ name, type }) =>
    isTensorType(type) && type.shape
      ? [[name, { type: type.type, shape: type.shape.map((d) => (typeof d === "number" ? d : 1)) }] as const]
      : [],
  );
  return inferTypes(graph, { inputs: new Map(inputs) });
}

function readerCounts(graph: Graph): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string): Map<string, number> => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const node of graph.nodes) for (const name of node.inputs) count(name);
  for (const { name } of graph.outputs) count(name);
  return counts;
}
