// A network at initialization: the graph of a specification, with drawn weights.

import { float32, float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import { elementCount, tensor, view } from "../graph/tensor.ts";
import type { Value, Values } from "../graph/value.ts";
import { createRandom } from "../numbers/random.ts";
import { draw, type Initialization, type LayerLaw, layerLaws } from "./initialization.ts";
import { applyActivation } from "./spec/activation.ts";
import { attend, layerNorm } from "./spec/attention.ts";
import type { ConvSpec, NetworkSpec, PoolSpec } from "./spec/layer-spec.ts";
import { type LayerWeights, type PlannedLayer, planLayers, weightLayers } from "./spec/plan.ts";
import { parseSpec } from "./spec/spec.ts";

export const defaultInitialization: Initialization = "he-normal";

export interface InitialNetworkOptions {
  readonly initialization?: Initialization;
  readonly seed?: number | string;
  readonly type?: "float32" | "float64";
}

/** The layers of a specification that have weights, each with its law. */
export function lawsOf(
  planned: readonly PlannedLayer[],
  initialization: Initialization,
): readonly { readonly weights: LayerWeights; readonly law: LayerLaw }[] {
  const layers = weightLayers(planned).filter(({ isScale }) => !isScale);
  const laws = layerLaws(
    initialization,
    layers.map((weights, k) => ({ ...weights, isOutput: k === layers.length - 1 })),
  );
  return layers.map((weights, k) => ({ weights, law: laws[k]! }));
}

/**
 * The network that a specification describes, from "x" to "y", with weights `layer1.weight`, `layer1.bias`, ...
 * Each layer has its own stream of random numbers, so that more layers do not change the draws of the first ones.
 * @example initialNetwork("784-256-relu-10", { seed: 1 }).initializers.get("layer1.weight").dims // [784, 256]
 */
export function initialNetwork(
  spec: string | NetworkSpec,
  { initialization = defaultInitialization, seed = 0, type = "float32" }: InitialNetworkOptions = {},
): Graph {
  const { input, layers } = typeof spec === "string" ? parseSpec(spec) : spec;
  const planned = planLayers({ input, layers });
  const laws = new Map(lawsOf(planned, initialization).map(({ weights, law }) => [weights.name, law]));
  const random = createRandom(seed);
  const parametersOf = (x: Value, { name, weight, bias }: LayerWeights): Parameters => {
    const law = laws.get(name);
    if (!law)
      return {
        scaled: x,
        W: constant(x, `${name}.weight`, weight, 1),
        b: constant(x, `${name}.bias`, weight, 0),
      };
    const stream = random.split(name);
    const drawn = (part: "weight" | "bias", dims: readonly number[]): Value => {
      const values = draw(law[part], elementCount(dims), stream.split(part), type);
      return x.builder.weight(view(type, dims, values), `${name}.${part}`);
    };
    // Before the product, not behind it: x * factor, so that the bias stays outside of the factor.
    const scaled =
      law.factor === 1 ? x : x.mul(x.builder.weight(tensor(law.factor, { type }), `${name}.factor`));
    return {
      scaled,
      W: drawn("weight", weight),
      b: bias > 0 ? drawn("bias", [bias]) : undefined,
    };
  };
  const constant = (x: Value, name: string, dims: readonly number[], value: number): Value =>
    x.builder.weight(tensor(new Float64Array(elementCount(dims)).fill(value), { type, dims }), name);
  const x = type === "float32" ? float32("N", ...input) : float64("N", ...input);
  return graph({ x }, (inputs) => ({ y: applyLayers(planned, inputs.x, parametersOf) }), { name: "network" });
}

/**
 * The network that a specification describes, from "x" to "y", with its weights as further inputs: a shape without numbers.
 * @example openNetwork("784-256-relu-10").inputs.map((i) => i.name) // ["x", "layer1.weight", "layer1.bias", "layer2.weight", "layer2.bias"]
 */
export function openNetwork(spec: string | NetworkSpec): Graph {
  const { input, layers } = typeof spec === "string" ? parseSpec(spec) : spec;
  const planned = planLayers({ input, layers });
  const weights = weightLayers(planned).flatMap(({ name, weight, bias }) => [
    [`${name}.weight`, float32(...weight)] as const,
    ...(bias > 0 ? [[`${name}.bias`, float32(bias)] as const] : []),
  ]);
  const types = { x: float32("N", ...input), ...Object.fromEntries(weights) };
  const body = (values: Values): Values => {
    const parametersOf: ParametersOf = (scaled, { name }) => ({
      scaled,
      W: values[`${name}.weight`]!,
      b: values[`${name}.bias`],
    });
    return { y: applyLayers(planned, values["x"]!, parametersOf) };
  };
  return graph(types, body, { name: "network" });
}

interface Parameters {
  /** The layer's input times the factor, which is no part of what is trained. */
  readonly scaled: Value;
  readonly W: Value;
  readonly b: Value | undefined;
}
type ParametersOf = (x: Value, weights: LayerWeights) => Parameters;

const applyLayers = (layers: readonly PlannedLayer[], x: Value, parametersOf: ParametersOf): Value =>
  layers.reduce((value, planned) => applyLayer(planned, value, parametersOf), x);

function applyLayer(planned: PlannedLayer, x: Value, parametersOf: ParametersOf): Value {
  const { layer, input, pads = [] } = planned;
  switch (layer.layer) {
    case "dense": {
      // x W + b, with one column of W an output: the product needs no transposition, and each of the gradient's two
      // products (x^T dy and dy W^T) one that the matrix product does while it packs its blocks.
      const { scaled, W, b } = parametersOf(x, planned.weights!);
      return scaled.op("Gemm", [W, b]);
    }
    case "conv": {
      const { scaled, W, b } = parametersOf(x, planned.weights!);
      const dilations = input.slice(1).map(() => layer.dilation);
      const attributes = windowAttributes(layer, input, pads);
      return scaled.op("Conv", [W, b], { ...attributes, dilations, group: layer.groups });
    }
    case "maxpool":
      return x.op("MaxPool", [], windowAttributes(layer, input, pads));
    case "avgpool":
      return x.op("AveragePool", [], windowAttributes(layer, input, pads));
    case "globalavgpool":
      return x.op("GlobalAveragePool");
    case "flatten":
      return input.length === 1 ? x : x.op("Flatten");
    case "activation":
      return applyActivation(layer.activation, x);
    case "residual":
      return x.add(applyLayers(planned.inner!, x, parametersOf));
    case "tokens": {
      const each = applyLayers(planned.inner!, x.reshape([-1, input[1]!]), parametersOf);
      return each.reshape([-1, ...planned.output]);
    }
    case "layernorm": {
      const { W, b } = parametersOf(x, planned.weights!);
      return layerNorm(x, W, b);
    }
    case "positions":
      return x.add(parametersOf(x, planned.weights!).W);
    case "attention": {
      const { query, key, value, output } = planned.heads!;
      const times = (weights: LayerWeights) => (of: Value) => {
        const { scaled, W } = parametersOf(of, weights);
        return scaled.matmul(W);
      };
      return attend(
        x,
        { query: times(query), key: times(key), value: times(value), output: times(output) },
        layer.heads,
      );
    }
  }
}

const windowAttributes = (
  { size, stride }: ConvSpec | PoolSpec,
  input: readonly number[],
  pads: readonly number[],
) => ({
  kernel_shape: input.slice(1).map(() => size),
  strides: input.slice(1).map(() => stride),
  pads,
});
