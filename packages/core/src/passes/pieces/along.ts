// The pieces of a graph along a segment of its input space.

import { GraphError } from "../../graph/error.ts";
import { type Graph, isTensorType, requiredInputs, type ValueInfo } from "../../graph/graph.ts";
import { plain } from "../../graph/plain.ts";
import { type DataType, elementCount, isFloat, numbers, type Tensor } from "../../graph/tensor.ts";
import { compare, type Exact, sub } from "../../numbers/exact/rational.ts";
import { vectorOf } from "../../numbers/exact/vector.ts";
import { forwardPass } from "../pass.ts";
import { type Grid, intervalGrid } from "./grid.ts";
import { lines } from "./lines.ts";
import { type PiecewiseLinear, piecewiseLinear } from "./piecewise-linear.ts";
import { rules } from "./rules/index.ts";
import { constantPieces, type Pieces } from "./tensor.ts";

/** The exact pieces of every value of a graph, given those of its inputs. */
export const piecesPass = forwardPass("pieces", rules, constantPieces);

/** Operators whose definition is a fixed affine map; its weights are rounded to doubles. */
const affineByDefinition = new Set(["Resize"]);

/** The graph in operators that the pass knows, for inputs of these sizes. */
function writtenOut(graph: Graph, inputs: ReadonlyMap<string, Pieces>): Graph {
  const sized = graph.inputs.map((input) => {
    const given = inputs.get(input.name);
    return given ? { ...input, type: { type: given.type, shape: given.dims } } : input;
  });
  return plain({ ...graph, inputs: sized }, { also: affineByDefinition });
}

/** The graph's outputs as functions of the parameter of its inputs, by name. */
function outputsOf(
  graph: Graph,
  inputs: ReadonlyMap<string, Pieces>,
  grid: Grid,
  isOver?: () => boolean,
): Map<string, PiecewiseTensor> {
  const values = piecesPass(writtenOut(graph, inputs), inputs, isOver);
  return new Map(
    graph.outputs.map(({ name }) => {
      const output = values.get(name);
      if (!output) throw new GraphError(`the pieces pass cannot follow output "${name}"`);
      const components = output.elements.map((e) => piecewiseLinear(e, output.grid ?? grid));
      return [name, { dims: output.dims, components }];
    }),
  );
}

/** A tensor of functions of one variable. */
export interface PiecewiseTensor {
  readonly dims: readonly number[];
  /** In row-major order. */
  readonly components: readonly PiecewiseLinear[];
}

const typeOf = ({ type }: ValueInfo): DataType => (isTensorType(type) ? type.type : "undefined");

/**
 * The graph's only output as a function of its only input on [from, to]; knots only where it bends or jumps. A `TimeOver`
 * once `isOver`.
 * @example linearPieces(square(1), 0, 1).knots // [0, 0.5, 1]
 */
export function linearPieces(graph: Graph, from: Exact, to: Exact, isOver?: () => boolean): PiecewiseLinear {
  const [input, ...others] = requiredInputs(graph);
  if (!input || others.length > 0)
    throw new GraphError("pieces along an interval need a graph with one input");
  if (compare(from, to) >= 0) throw new GraphError("pieces along an interval need one of positive length");
  const shape = isTensorType(input.type) ? (input.type.shape ?? []) : [];
  const dims = shape.map((d) => (typeof d === "number" ? d : 1));
  if (elementCount(dims) !== 1)
    throw new GraphError(`input "${input.name}" has shape [${dims}], not one number`);
  const grid = intervalGrid(from, to);
  const identity = lines(Float64Array.of(0, 1));
  const variable: Pieces = { type: typeOf(input), dims, grid, elements: [identity] };
  const [output] = outputsOf(graph, new Map([[input.name, variable]]), grid, isOver).values();
  const [f, ...rest] = output?.components ?? [];
  if (!f || rest.length > 0)
    throw new GraphError(`its output has shape [${output?.dims}], not one number: use piecesAlong`);
  return f;
}

/** A point of a graph's input space: a tensor for each input. */
export type Point = Readonly<Record<string, Tensor>>;

/**
 * All outputs along the segment from one point to another, as functions of t in [0, 1].
 * @example piecesAlong(net, { x: tensor([[0]]) }, { x: tensor([[1]]) }).y.components[0].knots.length // 9
 */
export function piecesAlong(
  graph: Graph,
  start: Point,
  end: Point,
): Readonly<Record<string, PiecewiseTensor>> {
  const grid = intervalGrid(0, 1);
  const inputs = new Map<string, Pieces>();
  for (const { name } of graph.inputs) {
    const [from, to] = [start[name], end[name]];
    if (!from && !to && graph.initializers.has(name)) continue;
    if (!from || !to)
      throw new GraphError(`the ${from ? "end" : "start"} of the segment lacks input "${name}"`);
    if (from.dims.join() !== to.dims.join())
      throw new GraphError(
        `input "${name}" has shape [${from.dims}] at the start and [${to.dims}] at the end`,
      );
    const [p, q] = [numbers(from), numbers(to)];
    if (!isFloat(from.type) && p.some((a, k) => a !== q[k]))
      throw new GraphError(`input "${name}" is ${from.type}: it cannot move along a segment`);
    const elements = Array.from(p, (a, k) => (a === q[k] ? a : lines(vectorOf([a, sub(q[k]!, a)]))));
    inputs.set(name, { type: from.type, dims: from.dims, grid, elements });
  }
  return Object.fromEntries(outputsOf(graph, inputs, grid));
}
