// Finds an activation among the nodes of a graph: a single operator, or the operators that `apply` writes for one.

import { float32, float64, graph } from "../graph/builder.ts";
import { type Graph, isSparse, type Node } from "../graph/graph.ts";
import { type OperatorName, operatorSpec } from "../graph/operators/index.ts";
import { readAttributes } from "../graph/operators/spec.ts";
import { numbers } from "../graph/tensor.ts";
import { type ActivationName, activation, activationFamilies } from "./activation.ts";
import { activationOfOperator } from "./by-operator.ts";
import type { ReadNode } from "./definition.ts";
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

function singleOperator(node: Node, weights: Weights): FoundActivation | undefined {
  if (node.domain !== "") return undefined;
  const name = activationOfOperator.get(node.op as OperatorName) ?? withAttributes(node, weights);
  return name && { name, operand: node.inputs[0]!, output: node.outputs[0]!, length: 1 };
}

function withAttributes(node: Node, weights: Weights): ActivationName | undefined {
  const view: ReadNode = {
    op: node.op,
    attribute: (name) => numberAmong(readAttributes(node, operatorSpec(node.op, "")!.attributes), name),
    constants: (input) => constants(weights, node.inputs[input]!),
  };
  for (const family of activationFamilies) {
    const parameter = families[family].read?.(view);
    if (parameter !== undefined) return nameIn(family, parameter);
  }
  return undefined;
}

const numberAmong = (attributes: object, name: string): number =>
  (attributes as Readonly<Record<string, number>>)[name]!;

const nameIn = (family: Pattern["family"], parameter: number | undefined): ActivationName =>
  (families[family].parameter ? `${family}(${parameter})` : family) as ActivationName;

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
  const parameter = families[family].parameter?.marker;
  const { apply } = activation(nameIn(family, parameter));
  return { family, parameter, graph: graph({ x: type }, ({ x }) => ({ y: apply(x) })) };
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
  if (found !== undefined && !families[family].parameter!.allows(found)) return;
  return {
    name: nameIn(family, found),
    operand: names.get("x")!,
    output: names.get("y")!,
    length: pattern.nodes.length,
  };
}
