// Lipschitz bounds: by how much a network can stretch distances, for all inputs (products of operator norms) or on a box
// (from bounds on its derivatives), in the norm 1, 2 or infinity.

import { TimeOver } from "../engine/time-over.ts";
import { GraphError } from "../graph/error.ts";
import { describe, type Graph, isSparse, type Node, subgraphs } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { numericShape } from "../graph/operators/dims.ts";
import { densify } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import type { NormOrder } from "../linear-algebra/matrix-norm.ts";
import { compare, abs as exactAbs, toNumber } from "../numbers/exact/rational.ts";
import { addUp, mulUp, nextUp } from "../numbers/rounding.ts";
import { inputShapes } from "./affine/compile.ts";
import { checked } from "./interval/checked.ts";
import { constantTensor, Unreadable } from "./interval/tensor.ts";
import { intervalPass, type NamedBox } from "./interval.ts";
import { checkContinuous } from "./lipschitz/continuity.ts";
import { type Gain, gainRules, mayVary } from "./lipschitz/gains.ts";
import { jacobianBounds, jacobianNorm } from "./lipschitz/jacobian.ts";
import { applyRule } from "./pass.ts";
import { linearPieces, slopes } from "./pieces.ts";

export type { NormOrder } from "../linear-algebra/matrix-norm.ts";
export { type JacobianBounds, jacobianBounds } from "./lipschitz/jacobian.ts";

/**
 * A bound for all inputs: the product of the operator norms of the layers, along the graph. `known`: sound norms of
 * layers, by the name of the value that each writes, in place of those that the pass would find. A `TimeOver` once `isOver`
 * between two layers.
 * @example lipschitzBound(net, 2) >= 1 // true
 */
export function lipschitzBound(
  graph: Graph,
  order: NormOrder = 2,
  known: ReadonlyMap<string, number> = new Map(),
  isOver: () => boolean = () => false,
): number {
  checkContinuous(graph);
  const { nodes, initializers } = canonical(graph);
  const rules = gainRules(order);
  const shapes = inputShapes(graph);
  const types = inferTypes(graph, {
    inputs: new Map(shapes.map(({ name, type, dims }) => [name, { type: type.type, shape: dims }])),
  });
  const values = new Map<string, Gain>(shapes.map(({ name, dims }) => [name, { gain: 1, dims }]));
  for (const [name, weight] of initializers) {
    const constant = constantTensor(isSparse(weight) ? densify(weight) : weight);
    values.set(name, { gain: 0, dims: constant.dims, constant });
  }
  for (const node of nodes) {
    if (isOver()) throw new TimeOver();
    const inputs = node.inputs.map((name) => (name ? values.get(name) : undefined));
    const norm = known.get(node.outputs[0]!);
    const varying = inputs.filter((x) => x && !x.constant);
    const outputs =
      norm !== undefined && varying.length === 1
        ? [{ gain: mulUp(varying[0]!.gain, norm), dims: varying[0]!.dims }]
        : gainsOf(node, inputs, rules);
    node.outputs.forEach((name, k) => {
      const result = outputs[Math.min(k, outputs.length - 1)]!;
      const dims = result.constant?.dims ?? numericShape(types.get(name)?.shape);
      if (name && dims) values.set(name, { ...result, dims });
    });
  }
  const bound = graph.outputs.reduce((sum, { name }) => addUp(sum, values.get(name)?.gain ?? Infinity), 0);
  if (Number.isNaN(bound))
    throw new GraphError("a weight that is not a number: the network has no Lipschitz bound");
  return bound;
}

function gainsOf(
  node: Node,
  inputs: readonly (Gain | undefined)[],
  rules: ReturnType<typeof gainRules>,
): readonly Gain[] {
  try {
    return gainsOrUnreadable(node, inputs, rules);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof RangeError)
      throw new GraphError(`the Lipschitz pass cannot read ${describe(node)}: ${error.message}`);
    throw error;
  }
}

function gainsOrUnreadable(
  node: Node,
  inputs: readonly (Gain | undefined)[],
  rules: ReturnType<typeof gainRules>,
): readonly Gain[] {
  // A branch or a body reads what is around it, too: that its inputs are constant says nothing.
  if (subgraphs(node).length > 0) throw new Unreadable("the graphs inside of it are not read");
  const unknown = node.inputs.find((name, k) => name && !inputs[k]);
  if (unknown !== undefined) throw new Unreadable(`the shape of its input ${unknown} is not known`);
  if (node.inputs.length > 0 && inputs.every((x, k) => !node.inputs[k] || x?.constant)) {
    const given = inputs.map((x) => x?.constant);
    return applyRule("interval", intervalPass.rules, node, given).map((result) => {
      const constant = checked(result);
      return { gain: 0, dims: constant.dims, constant };
    });
  }
  if (node.op === "Shape" && inputs[0]) {
    const { length } = inputs[0].dims;
    const clamp = (k: number): number => Math.min(length, Math.max(0, k < 0 ? k + length : k));
    const [start, end] = ["start", "end"].map((name) => node.attributes.get(name)?.value);
    const dims = inputs[0].dims.slice(clamp(Number(start ?? 0)), clamp(Number(end ?? length)));
    const data = BigInt64Array.from(dims, BigInt);
    const constant = constantTensor({ type: "int64", dims: [dims.length], data });
    return [{ gain: 0, dims: constant.dims, constant }];
  }
  const place = inputs.findIndex((x, k) => x && !x.constant && !mayVary(node.op, k));
  if (place >= 0) throw new Unreadable(`its input ${place} (${node.inputs[place]}) varies`);
  return applyRule("Lipschitz", rules, node, inputs);
}

/**
 * A bound on a box: what holds everywhere, or, if smaller, what follows from the derivatives there. Where one of the two
 * cannot be had, the other one stands.
 * @example localLipschitzBound(net, { x: { lower: 0, upper: 1 } }) >= 1 // true
 */
export function localLipschitzBound(graph: Graph, box: NamedBox, order: NormOrder = 2): number {
  checkContinuous(graph);
  const everywhere = globalOrInfinite(graph, order);
  try {
    return Math.min(everywhere, jacobianNorm(jacobianBounds(graph, box), order));
  } catch (error) {
    if (error instanceof GraphError && Number.isFinite(everywhere)) return everywhere;
    throw error;
  }
}

/** What holds everywhere holds on a box too; infinity where the norms of a layer are not known. */
function globalOrInfinite(graph: Graph, order: NormOrder): number {
  try {
    return lipschitzBound(graph, order);
  } catch (error) {
    if (error instanceof GraphError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/**
 * The Lipschitz constant of a piecewise-linear network of one variable on an interval, from its exact pieces: the greatest
 * slope, rounded up to a double. A `TimeOver` once `isOver`.
 * @example exactLipschitzConstant(net, 0, 1) // 1.875
 */
export function exactLipschitzConstant(
  graph: Graph,
  from: number,
  to: number,
  isOver?: () => boolean,
): number {
  checkContinuous(graph);
  return slopes(linearPieces(graph, from, to, isOver)).reduce<number>((most, slope) => {
    const size = exactAbs(slope);
    const rounded = toNumber(size);
    return Math.max(most, compare(rounded, size) >= 0 ? rounded : nextUp(rounded));
  }, 0);
}
