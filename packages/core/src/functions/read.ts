// Finds an activation among the nodes of a graph: a single operator, or the operators that `apply` writes for one.

import { float32, float64, graph } from "../graph/builder.ts";
import { type Graph, isSparse, type Node } from "../graph/graph.ts";
import { operatorSpec } from "../graph/operators/index.ts";
import { readAttributes } from "../graph/operators/spec.ts";
import { ownEntry } from "../graph/own-entry.ts";
import { numbers } from "../graph/tensor.ts";
import { type ActivationName, activation, activationFamilies } from "./activation.ts";
import { families } from "./table.ts";

export interface FoundActivation {
  readonly name: ActivationName;
  /** Names of the values that the activation reads and makes. */
  readonly operand: string;
  readonly output: string;
  /** How many nodes it takes. */
  readonly length: number;
}

type Weights = Graph["initializers"];

/** The activation that starts at nodes[start], if one does. */
export function matchActivation(
  nodes: readonly Node[],
  start: number,
  weights: Weights,
): FoundActivation | undefined {
  for (const pattern of patterns()) {
    const found = matchPattern(pattern, nodes, start, weights);
    if (found) return found;
  }
  return singleOperator(nodes[start]!, weights);
}

const operatorNames: Readonly<Record<string, ActivationName>> = {
  Relu: "relu",
  Sigmoid: "logistic",
  Tanh: "tanh",
  Softplus: "softplus",
  Softsign: "softsign",
  Atan: "arctan",
  Exp: "exp",
  Sin: "sin",
  Cos: "cos",
};

function singleOperator(node: Node, weights: Weights): FoundActivation | undefined {
  const name = ownEntry(operatorNames, node.op) ?? withParameter(node, weights);
  if (node.domain !== "" || !name) return undefined;
  return { name, operand: node.inputs[0]!, output: node.outputs[0]!, length: 1 };
}

/** LeakyRelu and PRelu are max(a x, x) for a slope a < 1; the elu of the table has alpha = 1. */
function withParameter(node: Node, weights: Weights): ActivationName | undefined {
  if (node.op === "Elu") return alphaOf(node) === 1 ? "elu" : undefined;
  if (node.op !== "LeakyRelu" && node.op !== "PRelu") return undefined;
  const slopes = node.op === "PRelu" ? constants(weights, node.inputs[1]!) : [alphaOf(node)];
  const slope = slopes?.[0] ?? Number.NaN;
  return slope >= 0 && slope < 1 && slopes!.every((s) => s === slope) ? `leakyRelu(${slope})` : undefined;
}

const alphaOf = (node: Node): number =>
  (readAttributes(node, operatorSpec(node.op, node.domain)!.attributes) as { readonly alpha: number }).alpha;

const constants = (weights: Weights, name: string): readonly number[] | undefined => {
  const weight = weights.get(name);
  return weight && !isSparse(weight) && weight.dims.length <= 3 ? Array.from(numbers(weight)) : undefined;
};

/** An activation of several nodes. Where its constants are `parameter`, a graph has its own parameter. */
interface Pattern {
  readonly family: (typeof activationFamilies)[number];
  readonly graph: Graph;
  readonly parameter?: number;
}

/** Unlikely to be a constant that an activation is written with. */
const markers: Readonly<Record<string, number>> = {
  leakyRelu: 0.7310585786300049,
  repu: 1009,
  isru: 0.7310585786300049,
  isrlu: 0.7310585786300049,
};

let known: readonly Pattern[] | undefined;
function patterns(): readonly Pattern[] {
  known ??= activationFamilies
    .filter((family) => family !== "linear")
    .flatMap((family) => [float64, float32].map((type) => patternOf(family, type("N", 1))))
    .filter((p) => p.graph.nodes.length > 1)
    .sort((a, b) => b.graph.nodes.length - a.graph.nodes.length);
  return known;
}

function patternOf(family: Pattern["family"], type: ReturnType<typeof float64>): Pattern {
  const parameter = families[family].parameter ? markers[family] : undefined;
  const name = (parameter === undefined ? family : `${family}(${parameter})`) as ActivationName;
  return { family, parameter, graph: graph({ x: type }, ({ x }) => ({ y: activation(name).apply(x) })) };
}

function matchPattern(
  { family, graph: pattern, parameter }: Pattern,
  nodes: readonly Node[],
  start: number,
  weights: Weights,
): FoundActivation | undefined {
  const names = new Map<string, string>();
  let found: number | undefined;
  const sameConstant = (mine: readonly number[], theirs: readonly number[] | undefined): boolean => {
    if (theirs?.length !== 1) return false;
    if (mine[0] !== parameter || parameter === undefined) return theirs[0] === mine[0];
    const consistent = found === undefined || found === theirs[0];
    found = theirs[0]!;
    return consistent;
  };
  const sameInput = (mine: string, theirs: string): boolean => {
    const constant = constants(pattern.initializers, mine);
    if (constant) return sameConstant(constant, constants(weights, theirs));
    if (!names.has(mine)) names.set(mine, theirs);
    return names.get(mine) === theirs;
  };
  for (const [k, mine] of pattern.nodes.entries()) {
    const theirs = nodes[start + k];
    if (theirs?.op !== mine.op || theirs.domain !== "" || theirs.inputs.length !== mine.inputs.length) return;
    if (theirs.attributes.size > 0) return;
    if (!mine.inputs.every((name, place) => sameInput(name, theirs.inputs[place]!))) return;
    names.set(mine.outputs[0]!, theirs.outputs[0]!);
  }
  const name = (parameter === undefined ? family : `${family}(${found})`) as ActivationName;
  if (found !== undefined && !families[family].parameter!.allows(found)) return;
  return { name, operand: names.get("x")!, output: names.get("y")!, length: pattern.nodes.length };
}
