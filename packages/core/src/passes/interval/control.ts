// Branches and loops: bodies are evaluated on intervals. How often a loop turns must be decided.

import type { Graph, Node } from "../../graph/graph.ts";
import { operatorSpec } from "../../graph/operators/index.ts";
import { readAttributes } from "../../graph/operators/spec.ts";
import { arePoints, hull, type IntervalArray, intervalAt, points } from "../../numbers/interval/index.ts";
import { movers } from "./movers.ts";
import { constants, type Inputs, type IntervalTensor, integerTensor, Unreadable } from "./tensor.ts";

/** Evaluates a branch or body, which also sees the values around it. */
export type EvaluateBody = (body: Graph, inputs: readonly IntervalTensor[]) => readonly IntervalTensor[];

/** Loops longer than this are not followed. */
const turnLimit = 100_000;

const bool = (value: boolean): IntervalTensor => ({ type: "bool", dims: [], ...points([Number(value)]) });

function unionOf(x: IntervalTensor, y: IntervalTensor): IntervalTensor {
  if (x.dims.join() !== y.dims.join())
    throw new Unreadable("its condition is undecided, and its branches have different shapes");
  const both: IntervalArray = {
    lower: x.lower.map((_, k) => hull(intervalAt(x, k), intervalAt(y, k)).lower),
    upper: x.upper.map((_, k) => hull(intervalAt(x, k), intervalAt(y, k)).upper),
  };
  return { ...x, ...both };
}

function branch(node: Node, [condition]: Inputs, evaluate: EvaluateBody): readonly IntervalTensor[] {
  const { then_branch, else_branch } = attributesOf(node) as { then_branch: Graph; else_branch: Graph };
  if (arePoints(condition!)) return evaluate(condition!.lower[0] !== 0 ? then_branch : else_branch, []);
  const [yes, no] = [evaluate(then_branch, []), evaluate(else_branch, [])];
  return yes.map((x, k) => unionOf(x, no[k]!));
}

const attributesOf = (node: Node): unknown =>
  readAttributes(node, operatorSpec(node.op, node.domain)!.attributes);

const plainNode = (op: string, inputs: number, attributes: Node["attributes"]): Node => ({
  op,
  domain: "",
  name: op,
  inputs: Array.from({ length: inputs }, (_, k) => `${k}`),
  outputs: ["y"],
  attributes,
});

/** Tensors of one shape along a new axis. */
function stacked(tensors: readonly IntervalTensor[], axis: number): IntervalTensor {
  if (tensors.length === 0) throw new Unreadable("it puts out nothing, in a shape that is not known");
  const dims = tensors[0]!.dims;
  const place = axis < 0 ? axis + dims.length + 1 : axis;
  const unsqueezed = tensors.map((x) => ({ ...x, dims: [...dims.slice(0, place), 1, ...dims.slice(place)] }));
  const node = plainNode(
    "Concat",
    tensors.length,
    new Map([["axis", { type: "int", value: BigInt(place) }]]),
  );
  const joined = movers.Concat!(unsqueezed, { axis: place }, node);
  return (Array.isArray(joined) ? joined[0] : joined) as IntervalTensor;
}

/** One slice along an axis. */
function sliceAt(x: IntervalTensor, index: number, axis: number): IntervalTensor {
  const along = axis < 0 ? axis + x.dims.length : axis;
  const node = plainNode("Gather", 2, new Map([["axis", { type: "int", value: BigInt(along) }]]));
  const index0 = integerTensor([index], []);
  const result = movers.Gather!([x, index0], { axis: along }, node);
  return (Array.isArray(result) ? result[0] : result) as IntervalTensor;
}

function loop(node: Node, inputs: Inputs, evaluate: EvaluateBody): Inputs {
  const { body } = attributesOf(node) as { body: Graph };
  const [trips, condition, ...first] = inputs;
  const limit = trips ? constants(trips, "its number of turns")[0]! : Number.POSITIVE_INFINITY;
  let goesOn = condition ? constants(condition, "its condition")[0] !== 0 : true;
  let states = first as readonly IntervalTensor[];
  const outputs: IntervalTensor[][] = [];
  for (let turn = 0; turn < limit && goesOn; turn++) {
    if (turn >= turnLimit) throw new Unreadable(`it takes more than ${turnLimit} turns`);
    const [next, ...results] = evaluate(body, [integerTensor([turn], []), bool(true), ...states]);
    states = results.slice(0, first.length);
    outputs.push(results.slice(first.length));
    goesOn = constants(next!, "its condition")[0] !== 0;
  }
  const count = body.outputs.length - 1 - first.length;
  const collected = Array.from({ length: count }, (_, k) => {
    if (!node.outputs[first.length + k]) return undefined; // nobody reads it
    return stacked(
      outputs.map((o) => o[k]!),
      0,
    );
  });
  return [...states, ...collected];
}

interface ScanAttributes {
  readonly body: Graph;
  readonly num_scan_inputs: number;
  readonly scan_input_axes?: readonly number[];
  readonly scan_input_directions?: readonly number[];
  readonly scan_output_axes?: readonly number[];
  readonly scan_output_directions?: readonly number[];
}

function scan(node: Node, inputs: Inputs, evaluate: EvaluateBody): readonly IntervalTensor[] {
  const attributes = attributesOf(node) as ScanAttributes;
  const count = inputs.length - attributes.num_scan_inputs;
  let states = inputs.slice(0, count) as readonly IntervalTensor[];
  const sequences = inputs.slice(count) as readonly IntervalTensor[];
  const axis = (k: number): number => attributes.scan_input_axes?.[k] ?? 0;
  const steps = sequences[0]!.dims.at(axis(0))!;
  const outputs: IntervalTensor[][] = [];
  for (let step = 0; step < steps; step++) {
    const slices = sequences.map((x, k) =>
      sliceAt(x, attributes.scan_input_directions?.[k] === 1 ? steps - 1 - step : step, axis(k)),
    );
    const results = evaluate(attributes.body, [...states, ...slices]);
    states = results.slice(0, count);
    outputs.push(results.slice(count));
  }
  const stack = (_: unknown, k: number): IntervalTensor => {
    const along = outputs.map((o) => o[k]!);
    const isReversed = attributes.scan_output_directions?.[k] === 1;
    return stacked(isReversed ? along.reverse() : along, attributes.scan_output_axes?.[k] ?? 0);
  };
  return [...states, ...(outputs[0] ?? []).map(stack)];
}

export const control: Readonly<
  Record<string, (node: Node, inputs: Inputs, evaluate: EvaluateBody) => Inputs>
> = { If: branch, Loop: loop, Scan: scan };
