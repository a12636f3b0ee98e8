// Canonization: batch normalization becomes part of the layer before it or behind it, so that rules see one layer.
import { foldNodes } from "../equivalence/simplify/fold-nodes.ts";
import { type Graph, isSparse, type Node } from "../graph/graph.ts";
import { operatorSpec } from "../graph/operators/index.ts";
import { readAttributes } from "../graph/operators/spec.ts";
import { prune } from "../graph/prune.ts";
import { encode, type FloatType, numbers, type Tensor } from "../graph/tensor.ts";

export interface Canonized {
  readonly graph: Graph;
  /** What was folded, in sentences. */
  readonly changes: readonly string[];
}

/**
 * The same function with batch normalization folded into its neighbours.
 * @example canonize(net).changes // [] where nothing is normalized
 */
export function canonize(graph: Graph): Canonized {
  const after = foldNodes(graph, false);
  const changes = after.removed
    .filter(({ layer }) => layer.startsWith("BatchNormalization"))
    .map(({ layer }) => `${layer} is folded into the layer before it`);
  const before = foldForwards(after.graph);
  return { graph: before.graph, changes: [...changes, ...before.changes] };
}

/** y = a x + s, channel by channel. */
function channelMap(
  node: Node,
  weights: ReadonlyMap<string, Tensor>,
): [Float64Array, Float64Array] | undefined {
  const [scale, shift, mean, variance] = node.inputs.slice(1).map((name) => {
    const t = weights.get(name);
    return t && Float64Array.from(numbers(t));
  });
  if (!scale || !shift || !mean || !variance) return undefined;
  const { epsilon, training_mode } = readAttributes(node, operatorSpec("BatchNormalization")!.attributes) as {
    readonly epsilon: number;
    readonly training_mode: number;
  };
  if (training_mode !== 0) return undefined;
  const a = scale.map((v, k) => v / Math.sqrt(variance[k]! + epsilon));
  return [a, shift.map((v, k) => v - a[k]! * mean[k]!)];
}

/** Folds a batch normalization into the one layer that reads it, where that has no padding. */
function foldForwards(graph: Graph): Canonized {
  const weights = new Map(
    [...graph.initializers].flatMap(([n, t]) => (isSparse(t) ? [] : [[n, t] as const])),
  );
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  const changes: string[] = [];
  let nodes = graph.nodes;
  for (const node of graph.nodes) {
    if (node.op !== "BatchNormalization" || node.domain !== "" || outputs.has(node.outputs[0]!)) continue;
    const readers = nodes.filter(({ inputs }) => inputs.includes(node.outputs[0]!));
    const map = channelMap(node, weights);
    const layer = readers.length === 1 ? readers[0]! : undefined;
    const folded = layer && map && layerBehind(layer, map, weights, node);
    if (!folded) continue;
    nodes = nodes.flatMap((n) => (n === node ? [] : n === layer ? [folded] : [n]));
    changes.push(`BatchNormalization node "${node.name}" is folded into the layer behind it`);
  }
  if (changes.length === 0) return { graph, changes };
  const initializers = new Map([...graph.initializers, ...weights]);
  return { graph: prune({ ...graph, nodes, initializers, valueTypes: new Map() }), changes };
}

/** The layer with W' = W a and b' = b + W s, if it is dense or a convolution without padding. */
function layerBehind(
  layer: Node,
  [a, s]: readonly [Float64Array, Float64Array],
  weights: Map<string, Tensor>,
  { inputs: [below], outputs: [normalized] }: Node,
): Node | undefined {
  const spec = operatorSpec(layer.op, layer.domain);
  const weight = weights.get(layer.inputs[1] ?? "");
  const bias = layer.inputs[2] ? weights.get(layer.inputs[2]) : undefined;
  if (!spec || !weight || layer.inputs[0] !== normalized || (layer.inputs[2] && !bias)) return undefined;
  const attributes = readAttributes(layer, spec.attributes) as Readonly<Record<string, unknown>>;
  const W = Float64Array.from(numbers(weight));
  /** How many outputs, and for output k, channel c and place p the position of its weight. */
  let shape: {
    readonly outputs: number;
    readonly places: number;
    at(k: number, c: number, p: number): number;
  };
  if (layer.op === "Conv") {
    const pads = (attributes["pads"] ?? []) as readonly number[];
    const isPlain =
      attributes["group"] === 1 && attributes["auto_pad"] === "NOTSET" && pads.every((p) => p === 0);
    if (!isPlain) return undefined;
    const places = weight.dims.slice(2).reduce((n, d) => n * d, 1);
    shape = { outputs: weight.dims[0]!, places, at: (k, c, p) => (k * a.length + c) * places + p };
  } else if (layer.op === "Gemm") {
    if (attributes["transA"] !== 0 || attributes["alpha"] !== 1 || attributes["beta"] !== 1) return undefined;
    const transposed = attributes["transB"] === 1;
    const count = weight.dims[transposed ? 0 : 1]!;
    shape = { outputs: count, places: 1, at: (k, c) => (transposed ? k * a.length + c : c * count + k) };
  } else return undefined;
  const { outputs, places, at } = shape;
  const b = bias ? Float64Array.from(numbers(bias)) : new Float64Array(outputs);
  if (b.length !== outputs || W.length !== outputs * places * a.length) return undefined;
  for (let k = 0; k < outputs; k++)
    for (let c = 0; c < a.length; c++)
      for (let p = 0; p < places; p++) {
        const i = at(k, c, p);
        b[k] = b[k]! + W[i]! * s[c]!;
        W[i] = W[i]! * a[c]!;
      }
  const added = (stem: string, values: Float64Array, dims: readonly number[]): string => {
    let name = stem;
    for (let n = 2; weights.has(name); n++) name = `${stem}_${n}`;
    const type = weight.type as FloatType;
    weights.set(name, { type, dims, data: encode(values, type) });
    return name;
  };
  return {
    ...layer,
    inputs: [
      below!,
      added(`${layer.inputs[1]}_folded`, W, weight.dims),
      added(`${layer.inputs[2] ?? `${layer.inputs[1]}_bias`}_folded`, b, [outputs]),
    ],
  };
}
