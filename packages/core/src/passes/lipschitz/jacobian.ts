// Bounds on the derivatives of a network on a box, and on the norm of the matrix that they make.

import { finished, type Steps } from "../../engine/steps.ts";
import { GraphError } from "../../graph/error.ts";
import { type Graph, isSparse, isTensorType, type ValueInfo } from "../../graph/graph.ts";
import { cast, dataTypes, densify, elementCount, isFloat } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { type Matrix, type NormOrder, operatorNorm } from "../../linear-algebra/matrix-norm.ts";
import { arePoints } from "../../numbers/interval/index.ts";
import { addUp } from "../../numbers/rounding.ts";
import { gradient } from "../gradient.ts";
import { constantTensor, type IntervalTensor } from "../interval/tensor.ts";
import { boundsOfValues, boxTensors, type NamedBox } from "../interval.ts";
import { checkContinuous } from "./continuity.ts";

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
export const jacobianBounds = (graph: Graph, box: NamedBox): JacobianBounds =>
  finished(boundingJacobian(graph, box, () => false));

/** The same, row by row; a `TimeOver` once `isOver`. */
export function* boundingJacobian(
  original: Graph,
  box: NamedBox,
  isOver: () => boolean,
): Steps<JacobianBounds> {
  checkContinuous(original);
  const graph = inFloat64(original);
  const inputs = boxTensors(graph, box);
  const derivative = gradient(graph);
  const formulas = formulaConstants(derivative, graph);
  const values = boundsOfValues(graph, inputs, isOver);
  checkFinite(graph, values);
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
      yield;
      const bounds = boundsOfValues(derivative, new Map([...formulas, ...inputs, ...given]), isOver);
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

/** Infinite outputs have no distances. */
function checkFinite({ outputs }: Graph, values: ReadonlyMap<string, IntervalTensor>): void {
  const infinite = outputs.find(({ name }) => {
    const { lower, upper } = values.get(name)!;
    return lower.includes(Number.POSITIVE_INFINITY) || upper.includes(Number.NEGATIVE_INFINITY);
  });
  if (infinite) throw new GraphError(`output "${infinite.name}" is infinite: distances of it say nothing`);
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
 * The norm of a matrix with entries in intervals is at most that of the centers plus that of the radii, and at most that
 * of the greatest magnitudes.
 */
export function jacobianNorm({ rows, columns, lower, upper }: JacobianBounds, order: NormOrder): number {
  if (lower.some(Number.isNaN) || upper.some(Number.isNaN)) return Number.POSITIVE_INFINITY;
  const norm = (entries: Float64Array): number =>
    operatorNorm({ rows, columns, entries } satisfies Matrix, order);
  const magnitude = norm(lower.map((l, k) => Math.max(-l, upper[k]!)));
  if (arePoints({ lower, upper }) || !Number.isFinite(magnitude)) return magnitude;
  const centers = lower.map((l, k) => l / 2 + upper[k]! / 2);
  const radii = centers.map((c, k) => Math.max(addUp(upper[k]!, -c), addUp(c, -lower[k]!)));
  return Math.min(magnitude, addUp(norm(centers), norm(radii)));
}
