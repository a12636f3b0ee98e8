// What the layers of a specification become: shapes, names and sizes of weights. Here a specification is checked.
import { TrainError } from "../error.ts";
import type { AttentionSpec, ConvSpec, LayerSpec, NetworkSpec, Places, PoolSpec } from "./layer-spec.ts";

export interface LayerWeights {
  /** `layer1`, `layer2`, ... in the order in which the layers are written. */
  readonly name: string;
  readonly weight: readonly number[];
  /** The length of the bias; 0 for none. */
  readonly bias: number;
  /** How many inputs one output reads. */
  readonly fanIn: number;
  /** How many outputs one input reaches. */
  readonly fanOut: number;
  /** A scale: it starts at 1 and the bias at 0, whatever the initialization. */
  readonly isScale?: boolean;
}

export interface AttentionWeights {
  readonly query: LayerWeights;
  readonly key: LayerWeights;
  readonly value: LayerWeights;
  readonly output: LayerWeights;
}

export interface PlannedLayer {
  readonly layer: LayerSpec;
  /** Shapes without the batch. */
  readonly input: readonly number[];
  readonly output: readonly number[];
  readonly weights?: LayerWeights;
  /** Zeros before and behind, in each direction (conv, pooling). */
  readonly pads?: readonly number[];
  /** The layers of a block. */
  readonly inner?: readonly PlannedLayer[];
  /** The matrices of an attention layer. */
  readonly heads?: AttentionWeights;
}

/** An ONNX file holds at most 2 GiB, so at most this many float32 weights. */
const mostWeights = 2 ** 29;

/** The layers with their shapes and weights, or a line that says which layer does not fit. */
export function planLayers(
  { input, layers }: NetworkSpec,
  places: Places = new Map(),
): readonly PlannedLayer[] {
  let count = 0;
  let total = 0;
  const named: Naming = (weights, where, part) => {
    if (part === "query") count++;
    total += weights.weight.reduce((n, d) => n * d, 1) + weights.bias;
    if (!(total <= mostWeights))
      throw new TrainError(
        `${where}: the network would have over ${mostWeights} weights, more than an ONNX file holds`,
      );
    return { ...weights, name: part === undefined ? `layer${++count}` : `layer${count}.${part}` };
  };
  const walk = (specs: readonly LayerSpec[], start: readonly number[], path: string): PlannedLayer[] => {
    let shape = start;
    return specs.map((layer, k) => {
      const where = places.get(layer) ?? `${path}[${k}]`;
      const planned =
        layer.layer === "residual"
          ? residual(layer, shape, walk(layer.layers, shape, `${where}.layers`), where)
          : layer.layer === "tokens"
            ? tokens(
                layer,
                shape,
                walk(layer.layers, tokenShape(layer, shape, where), `${where}.layers`),
                where,
              )
            : planLayer(layer, shape, where, named);
      shape = planned.output;
      return planned;
    });
  };
  const planned = walk(layers, input, "layers");
  if (count === 0)
    throw new TrainError("no layer of the network has weights; write for example 784-256-relu-10");
  return planned;
}

/** The layers that have weights, in the order of their names. */
export const weightLayers = (layers: readonly PlannedLayer[]): readonly LayerWeights[] =>
  layers.flatMap(({ weights, inner, heads }) =>
    weights
      ? [weights]
      : heads
        ? [heads.query, heads.key, heads.value, heads.output]
        : inner
          ? weightLayers(inner)
          : [],
  );

const written = (shape: readonly number[]): string => `[${shape.join(", ")}]`;

function residual(
  layer: LayerSpec,
  input: readonly number[],
  inner: readonly PlannedLayer[],
  where: string,
): PlannedLayer {
  const output = inner.at(-1)?.output ?? input;
  if (inner.length === 0) throw new TrainError(`${where}: a residual block needs layers`);
  if (written(output) !== written(input))
    throw new TrainError(
      `${where}: a residual block must keep the shape ${written(input)}, but its layers give ${written(output)}`,
    );
  return { layer, input, output, inner };
}

/** What a token is, where the shape is one of tokens. */
function tokenShape({ layer }: LayerSpec, input: readonly number[], where: string): readonly [number] {
  if (input.length === 2) return [input[1]!];
  throw new TrainError(
    `${where}: ${layer} reads tokens x features, but here the shape is ${written(input)}; write the input as 16x8`,
  );
}

function tokens(
  layer: LayerSpec,
  input: readonly number[],
  inner: readonly PlannedLayer[],
  where: string,
): PlannedLayer {
  const output = inner.at(-1)?.output ?? [];
  if (output.length !== 1)
    throw new TrainError(`${where}: each token must become a vector, but here it becomes ${written(output)}`);
  return { layer, input, output: [input[0]!, output[0]!], inner };
}

/** The part is of an attention layer: its matrices share a number. */
type Naming = (
  weights: Omit<LayerWeights, "name">,
  where: string,
  part?: keyof AttentionWeights,
) => LayerWeights;

function planAttention(
  layer: AttentionSpec,
  input: readonly number[],
  where: string,
  named: Naming,
): PlannedLayer {
  const [features] = tokenShape(layer, input, where);
  if (features % layer.heads !== 0)
    throw new TrainError(`${where}: ${layer.heads} heads must divide the ${features} features of a token`);
  const square = { weight: [features, features], bias: 0, fanIn: features, fanOut: features };
  const part = (name: keyof AttentionWeights): LayerWeights => named(square, where, name);
  const heads = { query: part("query"), key: part("key"), value: part("value"), output: part("output") };
  return { layer, input, output: input, heads };
}

function planLayer(
  layer: Exclude<LayerSpec, { layer: "residual" | "tokens" }>,
  input: readonly number[],
  where: string,
  named: Naming,
): PlannedLayer {
  if (layer.layer === "activation") return { layer, input, output: input };
  if (layer.layer === "flatten") return { layer, input, output: [input.reduce((n, d) => n * d, 1)] };
  if (layer.layer === "dense") {
    if (input.length !== 1)
      throw new TrainError(
        `${where}: a dense layer reads vectors, but here the shape is ${written(input)}; put flatten before it, or tokens(...) around it`,
      );
    const [fanIn, fanOut] = [input[0]!, layer.units];
    const bias = layer.bias ? fanOut : 0;
    return {
      layer,
      input,
      output: [fanOut],
      weights: named({ weight: [fanIn, fanOut], bias, fanIn, fanOut }, where),
    };
  }
  if (layer.layer === "layernorm") {
    const features = input.at(-1)!;
    const scale = { weight: [features], bias: features, fanIn: 1, fanOut: 1, isScale: true };
    return { layer, input, output: input, weights: named(scale, where) };
  }
  if (layer.layer === "attention") return planAttention(layer, input, where, named);
  if (layer.layer === "positions") {
    const [features] = tokenShape(layer, input, where);
    const added = { weight: input, bias: 0, fanIn: features, fanOut: features };
    return { layer, input, output: input, weights: named(added, where) };
  }
  if (input.length < 2)
    throw new TrainError(
      `${where}: ${layer.layer} reads channels x height x width, but here the shape is ${written(input)}; write the input as 1x28x28`,
    );
  if (layer.layer === "globalavgpool")
    return { layer, input, output: input.map((d, k) => (k === 0 ? d : 1)) };
  return layer.layer === "conv" ? planConv(layer, input, where, named) : planPool(layer, input, where);
}

function planConv(layer: ConvSpec, input: readonly number[], where: string, named: Naming): PlannedLayer {
  const { channels, groups, size } = layer;
  const [depth, ...sides] = input as readonly [number, ...number[]];
  if (depth % groups !== 0 || channels % groups !== 0)
    throw new TrainError(
      `${where}: ${groups} groups must divide the channels, ${depth} before and ${channels} behind the layer`,
    );
  const { output, pads } = windows(layer, layer.dilation, sides, where);
  const window = size ** sides.length;
  const weights = named(
    {
      weight: [channels, depth / groups, ...sides.map(() => size)],
      bias: layer.bias ? channels : 0,
      fanIn: (depth / groups) * window,
      fanOut: (channels / groups) * window,
    },
    where,
  );
  return { layer, input, output: [channels, ...output], pads, weights };
}

function planPool(layer: PoolSpec, input: readonly number[], where: string): PlannedLayer {
  if (layer.padding >= layer.size)
    throw new TrainError(
      `${where}: the padding ${layer.padding} must be below the window's size ${layer.size}`,
    );
  const { output, pads } = windows(layer, 1, input.slice(1), where);
  return { layer, input, output: [input[0]!, ...output], pads };
}

/** How many windows fit in each direction, and the zeros around: floor((side + zeros - reach) / stride) + 1. */
function windows(
  { size, stride, padding }: Pick<ConvSpec, "size" | "stride" | "padding">,
  dilation: number,
  sides: readonly number[],
  where: string,
): { readonly output: readonly number[]; readonly pads: readonly number[] } {
  const reach = dilation * (size - 1) + 1;
  const each = sides.map((side) => {
    const zeros =
      padding === "same" ? Math.max(0, (Math.ceil(side / stride) - 1) * stride + reach - side) : 2 * padding;
    if (side + zeros < reach)
      throw new TrainError(
        `${where}: a window of ${reach} does not fit in ${written(sides)}; make it smaller, or pad`,
      );
    return { count: Math.floor((side + zeros - reach) / stride) + 1, before: Math.floor(zeros / 2), zeros };
  });
  return {
    output: each.map(({ count }) => count),
    pads: [...each.map(({ before }) => before), ...each.map(({ before, zeros }) => zeros - before)],
  };
}
