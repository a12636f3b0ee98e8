// Lipschitz bounds: by how much a network can stretch distances, for all inputs (products of operator norms) or on a box
// (from bounds on its derivatives), in the norm 1, 2 or infinity.
import { compare, abs as exactAbs, toNumber } from "../engine/exact.ts";
import { arePoints } from "../engine/interval.ts";
import { type Matrix, type NormOrder, operatorNorm } from "../engine/matrix-norm.ts";
import { addUp, mulUp, nextUp } from "../engine/rounding.ts";
import { GraphError } from "../graph/error.ts";
import { describe, type Graph, isSparse, isTensorType, type Node, type ValueInfo } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { numericShape } from "../graph/operators/dims.ts";
import { cast, dataTypes, densify, elementCount, isFloat } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import { gradient } from "./gradient.ts";
import { checked } from "./interval/checked.ts";
import { constantTensor, type IntervalTensor, Unreadable } from "./interval/tensor.ts";
import { type Box, boxTensors, intervalPass } from "./interval.ts";
import { checkContinuous } from "./lipschitz/continuity.ts";
import { type Gain, gainRules, mayVary } from "./lipschitz/gains.ts";
import { applyRule } from "./pass.ts";
import { linearPieces, slopes } from "./pieces.ts";
import { inputShapes } from "./regions/compile.ts";

export type { NormOrder } from "../engine/matrix-norm.ts";

/**
 * A bound for all inputs: the product of the operator norms of the layers, along the graph. `known`: sound norms of
 * layers, by the name of the value that each writes, in place of those that the pass would find.
 * @example lipschitzBound(net, 2) >= 1 // true
 */
export function lipschitzBound(
  graph: Graph,
  order: NormOrder = 2,
  known: ReadonlyMap<string, number> = new Map(),
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

/** The same network with every number in f64, so that what its gradient's formulas write is not rounded to f32. */
function inFloat64(original: Graph): Graph {
  const graph = canonical(original);
  const wide = (info: ValueInfo): ValueInfo =>
    isTensorType(info.type) && isFloat(info.type.type)
      ? { ...info, type: { ...info.type, type: "float64" } }
      : info;
  return {
    ...graph,
    inputs: graph.inputs.map(wide),
    outputs: graph.outputs.map(wide),
    valueTypes: new Map(),
    initializers: new Map(
      [...graph.initializers].map(([name, stored]) => {
        const weight = isSparse(stored) ? densify(stored) : stored;
        return [name, isFloat(weight.type) ? cast(weight, "float64") : weight];
      }),
    ),
    nodes: graph.nodes.map((node) => {
      const to = node.op === "Cast" ? dataTypes[Number(node.attributes.get("to")?.value ?? 0)] : undefined;
      if (!to || !isFloat(to)) return node;
      return {
        ...node,
        attributes: new Map([["to", { type: "int", value: BigInt(dataTypes.indexOf("float64")) }]]),
      };
    }),
  };
}

/** A matrix of derivatives, each between two ends: rows are outputs, columns inputs. */
export interface JacobianBounds {
  readonly rows: number;
  readonly columns: number;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/**
 * Bounds on all derivatives of the outputs by the inputs on a box: the interval pass on the gradient's graph, once for
 * each output. At a kink they hold for every slope between those of its two sides.
 * @example jacobianBounds(net, { x: { lower: 0, upper: 1 } }).upper[0] >= 1 // true
 */
export function jacobianBounds(original: Graph, box: Box): JacobianBounds {
  checkContinuous(original);
  const graph = inFloat64(original);
  const inputs = boxTensors(graph, box);
  const derivative = gradient(graph);
  const formulas = formulaConstants(derivative, graph);
  const values = intervalPass(graph, inputs);
  const columns = [...inputs.values()].reduce((n, x) => n + x.lower.length, 0);
  const seeds = graph.outputs.map(({ name }) => ({ name: `seed_${name}`, like: values.get(name)! }));
  const rows = seeds.reduce((n, { like }) => n + like.lower.length, 0);
  const [lower, upper] = [new Float64Array(rows * columns), new Float64Array(rows * columns)];
  let row = 0;
  for (const [output, { like }] of seeds.entries())
    for (let k = 0; k < like.lower.length; k++, row++) {
      const given = seeds.map(
        ({ name, like: y }, j) => [name, unitVector(y, j === output ? k : -1)] as const,
      );
      const bounds = intervalPass(derivative, new Map([...formulas, ...inputs, ...given]));
      let column = row * columns;
      for (const name of inputs.keys()) {
        const slope = bounds.get(`grad_${name}`)!;
        lower.set(slope.lower, column);
        upper.set(slope.upper, column);
        column += slope.lower.length;
      }
    }
  return { rows, columns, lower, upper };
}

/** The numbers that formulas of derivatives bring along, such as 2 / sqrt(pi), are rounded: they get 4 ulp on each side. */
function formulaConstants(derivative: Graph, graph: Graph): ReadonlyMap<string, IntervalTensor> {
  const isExact = (x: number): boolean => Number.isInteger(x * 2 ** 20);
  const widened = new Map<string, IntervalTensor>();
  for (const [name, stored] of canonical(derivative).initializers) {
    if (graph.initializers.has(name) || isSparse(stored) || !isFloat(stored.type)) continue;
    const weight = constantTensor(stored);
    if (weight.lower.every(isExact)) continue;
    const by = (x: number, side: 1 | -1): number => (isExact(x) ? x : x + side * Math.abs(x) * 2 ** -50);
    widened.set(name, {
      ...weight,
      lower: weight.lower.map((x) => by(x, -1)),
      upper: weight.lower.map((x) => by(x, 1)),
    });
  }
  return widened;
}

function unitVector({ type, dims }: IntervalTensor, place: number): IntervalTensor {
  const vector = new Float64Array(elementCount(dims));
  if (place >= 0) vector[place] = 1;
  return { type, dims, lower: vector, upper: vector };
}

/**
 * A bound on a box: what holds everywhere, or, if smaller, what follows from the derivatives there. Where one of the two
 * cannot be had, the other one stands.
 * @example localLipschitzBound(net, { x: { lower: 0, upper: 1 } }) >= 1 // true
 */
export function localLipschitzBound(graph: Graph, box: Box, order: NormOrder = 2): number {
  checkContinuous(graph);
  const everywhere = globalOrInfinite(graph, order);
  try {
    return Math.min(everywhere, jacobianNorm(jacobianBounds(graph, box), order));
  } catch (error) {
    if (error instanceof GraphError && Number.isFinite(everywhere)) return everywhere;
    throw error;
  }
}

/**
 * The norm of a matrix with entries in intervals is at most that of the centers plus that of the radii, and at most that
 * of the greatest magnitudes.
 */
function jacobianNorm({ rows, columns, lower, upper }: JacobianBounds, order: NormOrder): number {
  if (lower.some(Number.isNaN) || upper.some(Number.isNaN)) return Number.POSITIVE_INFINITY;
  const norm = (entries: Float64Array): number =>
    operatorNorm({ rows, columns, entries } satisfies Matrix, order);
  const magnitude = norm(lower.map((l, k) => Math.max(-l, upper[k]!)));
  if (arePoints({ lower, upper }) || !Number.isFinite(magnitude)) return magnitude;
  const centers = lower.map((l, k) => l / 2 + upper[k]! / 2);
  const radii = centers.map((c, k) => Math.max(addUp(upper[k]!, -c), addUp(c, -lower[k]!)));
  return Math.min(magnitude, addUp(norm(centers), norm(radii)));
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
 * slope, rounded up to a double.
 * @example exactLipschitzConstant(net, 0, 1) // 1.875
 */
export function exactLipschitzConstant(graph: Graph, from: number, to: number): number {
  checkContinuous(graph);
  return slopes(linearPieces(graph, from, to)).reduce<number>((most, slope) => {
    const size = exactAbs(slope);
    const rounded = toNumber(size);
    return Math.max(most, compare(rounded, size) >= 0 ? rounded : nextUp(rounded));
  }, 0);
}
