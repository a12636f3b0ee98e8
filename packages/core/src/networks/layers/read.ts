// Reads the layers off a graph that somebody else wrote: every value is followed as an affine function of the units
// of the last activation; an activation closes a layer and starts the next.

import type { ActivationName } from "../../functions/activation.ts";
import { matchActivation } from "../../functions/read.ts";
import { GraphError } from "../../graph/error.ts";
import {
  describe,
  type Graph,
  isSparse,
  isTensorType,
  type Node,
  requiredInputs,
} from "../../graph/graph.ts";
import { densify, elementCount, numbers, type Tensor } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { applyRule } from "../../passes/pass.ts";
import type { Layer, Layered } from "./layered.ts";
import { unit } from "./matrix.ts";
import { type AffineValue, affineRules } from "./read-rules.ts";

/**
 * The layers of a chain of Gemm, MatMul, Add, Sub, Flatten, ... with one activation between them. Dimensions
 * without a number (the batch) count as 1. Neighbouring affine maps are merged; a graph that ends in an activation
 * gets an identity as its last layer.
 * @example readLayers(readModel(bytes)).layers.length
 */
export function readLayers(source: Graph): Layered {
  const { nodes, initializers } = canonical(source);
  const input = onlyInput(source);
  const output = onlyOutput(source);
  const values = new Map<string, AffineValue>([[input.name, units(input.dims, 0)]]);
  const read = (name: string): AffineValue | undefined => {
    const known = values.get(name);
    const weight = initializers.get(name);
    if (known || !weight) return known;
    const constant = lift(isSparse(weight) ? densify(weight) : weight);
    values.set(name, constant);
    return constant;
  };
  const chain: Chain = { layers: [], exact: true };
  const needed = ancestors(nodes, output);
  const rules = affineRules(() => {
    chain.exact = false;
  });
  for (let k = 0; k < needed.length; k++) {
    const node = needed[k]!;
    const found = matchActivation(needed, k, initializers);
    const before = found && read(found.operand);
    if (found && before?.weights) {
      values.set(found.output, close(chain, node, before, found.name));
      k += found.length - 1;
      continue;
    }
    const results = applyRule(
      "layers",
      rules,
      node,
      node.inputs.map((name) => (name ? read(name) : undefined)),
    );
    node.outputs.forEach((name, place) => {
      if (name && results[place]) values.set(name, results[place]);
    });
  }
  const last = read(output);
  if (!last?.weights) throw new GraphError(`output "${output}" does not depend on input "${input.name}"`);
  return {
    layers: [...chain.layers, { weights: last.weights, bias: last.bias }],
    activation: chain.activation ?? "relu",
    exact: chain.exact,
  };
}

interface Chain {
  readonly layers: Layer[];
  activation?: ActivationName;
  exact: boolean;
}

/** An activation on a value: the value is the next layer, and its units are what comes after is a function of. */
function close(chain: Chain, node: Node, value: AffineValue, activation: ActivationName): AffineValue {
  if (value.layer !== chain.layers.length)
    throw new GraphError(
      `${describe(node)} is a second activation beside layer ${chain.layers.length}: no chain of layers`,
    );
  if (chain.activation !== undefined && chain.activation !== activation)
    throw new GraphError(`${describe(node)}: ${activation} after layers of ${chain.activation}`);
  chain.activation = activation;
  chain.layers.push({ weights: value.weights!, bias: value.bias });
  return units(value.dims, chain.layers.length);
}

const units = (dims: readonly number[], layer: number): AffineValue => ({
  dims,
  layer,
  weights: unit(elementCount(dims)),
  bias: new Float64Array(elementCount(dims)),
});

const lift = (weight: Tensor): AffineValue => ({
  dims: weight.dims,
  layer: -1,
  bias: Float64Array.from(numbers(weight)),
});

function onlyInput(source: Graph): { readonly name: string; readonly dims: readonly number[] } {
  const inputs = requiredInputs(source);
  const [input] = inputs;
  if (!input || inputs.length > 1)
    throw new GraphError(`a chain of layers has one input, graph "${source.name}" has ${inputs.length}`);
  if (!isTensorType(input.type) || !input.type.shape)
    throw new GraphError(`input "${input.name}" has no known shape`);
  return { name: input.name, dims: input.type.shape.map((d) => (typeof d === "number" ? d : 1)) };
}

function onlyOutput({ name, outputs }: Graph): string {
  if (outputs.length !== 1)
    throw new GraphError(`a chain of layers has one output, graph "${name}" has ${outputs.length}`);
  return outputs[0]!.name;
}

/** The nodes that a value depends on, in their order. */
function ancestors(nodes: readonly Node[], value: string): readonly Node[] {
  const wanted = new Set([value]);
  return nodes
    .toReversed()
    .filter((node) => {
      if (!node.outputs.some((name) => wanted.has(name))) return false;
      for (const name of node.inputs) wanted.add(name);
      return true;
    })
    .reverse();
}
