// Tensors of intervals, and what is known of them before their numbers matter.

import { broadcastPositions } from "../../graph/elements/positions.ts";
import type { Node } from "../../graph/graph.ts";
import { inferNode } from "../../graph/infer.ts";
import { constantLimit } from "../../graph/operators/constant.ts";
import { formatShape, normalizeAxis, numericShape } from "../../graph/operators/dims.ts";
import type { Inferred } from "../../graph/operators/spec.ts";
import {
  type DataType,
  isFloat,
  type NumericType,
  numbers,
  type Tensor,
  tensor,
} from "../../graph/tensor.ts";
import type { Interval } from "../../numbers/interval/index.ts";
import {
  arePoints,
  type IntervalArray,
  mapIntervals,
  pickIntervals,
  points,
} from "../../numbers/interval/index.ts";
import { Unreadable } from "../pieces/unreadable.ts";

export { Unreadable };

/** A tensor each of whose numbers lies between two ends, in row-major order. */
export interface IntervalTensor extends IntervalArray {
  readonly type: DataType;
  readonly dims: readonly number[];
}
export type Inputs = readonly (IntervalTensor | undefined)[];

/** A weight: its numbers, exactly as they are stored. */
export function constantTensor(weight: Tensor): IntervalTensor {
  const { type, dims } = weight;
  if (type === "string") return { type, dims, ...points([]) };
  return { type, dims, ...points(numbers(weight)) };
}

export const scalar = (value: number, type: DataType = "float64"): IntervalTensor => ({
  type,
  dims: [],
  ...points([value]),
});

export const integerTensor = (
  values: ArrayLike<number>,
  dims: readonly number[] = [values.length],
): IntervalTensor => ({ type: "int64", dims, ...points(values) });

/** The numbers of a constant; `what` it is says the error where it is none. */
export function constants(x: IntervalTensor, what: string): Float64Array {
  if (!arePoints(x)) throw new Unreadable(`${what} is not a constant`);
  return x.lower;
}

export const isIntegral = ({ type }: IntervalTensor): boolean => !isFloat(type) && type !== "bfloat16";

/** What shape inference may know of an input: its shape, and the numbers of axes, sizes and the like. */
export function known(x: IntervalTensor | undefined): Inferred | undefined {
  if (!x) return undefined;
  const { type, dims, lower } = x;
  const matters = type !== "string" && (isIntegral(x) || lower.length <= 16) && lower.length <= constantLimit;
  if (!matters || !arePoints(x) || !lower.every(Number.isFinite)) return { type, shape: dims };
  return { type, shape: dims, value: constantValue(x) };
}

/** A constant as a tensor. */
export const constantValue = ({ type, dims, lower }: IntervalTensor): Tensor =>
  tensor(lower, { type: type as NumericType, dims });

/** The shape of each output. */
export function outputDims(node: Node, inputs: Inputs): readonly (readonly number[])[] {
  return inferNode(node, inputs.map(known)).map((type) => {
    const dims = numericShape(type?.shape);
    if (!dims) throw new Unreadable(`the shape ${formatShape(type?.shape)} of its output is not known`);
    return dims;
  });
}

/** The shape of the first output. */
export const firstDims = (node: Node, inputs: Inputs): readonly number[] => outputDims(node, inputs)[0]!;

/** An axis counted from the front. */
export const axisOf = (axis: number, { dims }: IntervalTensor): number =>
  normalizeAxis(axis, dims.length, {
    fail: (reason) => {
      throw new Unreadable(reason);
    },
  });

/** A real function of each element. */
export const mapped = (x: IntervalTensor, f: (x: Interval) => Interval): IntervalTensor => {
  const image = mapIntervals(x, f);
  return {
    type: x.type,
    dims: x.dims,
    lower: image.lower,
    upper: arePoints(image) ? image.lower : image.upper,
  };
};

/** The elements at these positions, under another shape. */
export const moved = (
  x: IntervalTensor,
  dims: readonly number[],
  positions: ArrayLike<number>,
): IntervalTensor => ({ type: x.type, dims, ...pickIntervals(x, positions) });

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((d, k) => d === b[k]);

/** The same elements, repeated to fill a shape. */
export const broadcastTo = (x: IntervalTensor, dims: readonly number[]): IntervalTensor =>
  isSame(x.dims, dims) ? x : moved(x, dims, broadcastPositions(x.dims, dims));

/** Where each place of a broadcast reads; undefined: at the same place. */
export const placesIn = (x: IntervalTensor, dims: readonly number[]): Int32Array | undefined =>
  isSame(x.dims, dims) ? undefined : broadcastPositions(x.dims, dims);
