// One number from many along some axes.

import { flatten, forEachCoordinate, stridesOf } from "../../../graph/elements/positions.ts";
import type { Node } from "../../../graph/graph.ts";
import { isFloat } from "../../../graph/tensor.ts";
import { type Exact, reduce } from "../../../numbers/exact/rational.ts";
import type { Rules } from "../../pass.ts";
import { affineImage, scaled } from "../linear.ts";
import { axisOf, firstDims } from "../shape.ts";
import { staircases, stairs } from "../stairs.ts";
import { integers, type Pieces } from "../tensor.ts";
import { Unreadable } from "../unreadable.ts";
import { bent } from "./bends.ts";
import { greatestOf } from "./windows.ts";

type Inputs = readonly (Pieces | undefined)[];

/** For each output, the flat positions of the elements that it is made from. */
function groups(x: Pieces, axes: readonly number[]): readonly (readonly number[])[] {
  const kept = x.dims.map((d, k) => (axes.includes(k) ? 1 : d));
  const strides = stridesOf(kept).map((s, k) => (axes.includes(k) ? 0 : s));
  const members: number[][] = Array.from({ length: kept.reduce((n, d) => n * d, 1) }, () => []);
  forEachCoordinate(x.dims, (at, flat) => members[flatten(at, strides)]!.push(flat));
  return members;
}

/** The axes that a reduction runs over: those listed, or all; none at all where that means doing nothing. */
function reducedAxes([x, axes]: Inputs, noop: number): readonly number[] {
  const listed = axes ? integers(axes, "its axes").map((axis) => axisOf(axis, x!)) : [];
  return listed.length > 0 || noop ? listed : x!.dims.map((_, k) => k);
}

interface ReduceAttributes {
  readonly noop_with_empty_axes: number;
}

type Reduction = (inputs: Inputs, attributes: ReduceAttributes, node: Node) => Pieces;

/** Sums with one weight, which depends on how many elements there are. */
const sums =
  (weight: (count: number) => Exact): Reduction =>
  (inputs, { noop_with_empty_axes }, node) =>
    summed(
      inputs[0]!,
      firstDims(node, inputs),
      groups(inputs[0]!, reducedAxes(inputs, noop_with_empty_axes)),
      weight,
    );

function summed(
  x: Pieces,
  dims: readonly number[],
  members: readonly (readonly number[])[],
  weight: (count: number) => Exact,
): Pieces {
  return affineImage(x, dims, (output) => {
    const indices = members[output]!;
    return { indices, weights: new Array<Exact>(indices.length).fill(weight(indices.length)) };
  });
}

const greatest: Reduction = (inputs, { noop_with_empty_axes }, node) =>
  greatestOf(
    inputs[0]!,
    firstDims(node, inputs),
    groups(inputs[0]!, reducedAxes(inputs, noop_with_empty_axes)),
  );

/** The same reduction of another tensor of the same shape. */
const first = (x: Pieces, [, ...rest]: Inputs): Inputs => [x, ...rest];

const total = sums(() => 1);
function share(count: number): Exact {
  if (count === 0) throw new Unreadable("a mean of nothing is no number");
  return reduce(1n, BigInt(count));
}

/** All axes after batch and channels. */
const planes = (x: Pieces): readonly (readonly number[])[] => groups(x, x.dims.map((_, k) => k).slice(2));

export const reductions: Rules<Pieces> = {
  ReduceSum: total,
  ReduceMean: (inputs, attributes, node) => {
    const mean = sums(share)(inputs, attributes, node);
    return isFloat(mean.type) || mean.type === "bfloat16" ? mean : stairs(mean, staircases.truncation);
  },
  ReduceL1: (inputs, attributes, node) => total(first(bent(inputs[0]!, -1, 1), inputs), attributes, node),
  ReduceMax: greatest,
  ReduceMin: (inputs, attributes, node) =>
    scaled(greatest(first(scaled(inputs[0]!, -1), inputs), attributes, node), -1),
  GlobalMaxPool: ([x], _, node) => greatestOf(x!, firstDims(node, [x]), planes(x!)),
  GlobalAveragePool: ([x], _, node) => summed(x!, firstDims(node, [x]), planes(x!), share),
  /** Sums of the elements up to each one along an axis: without itself if exclusive, from the end if reverse. */
  CumSum: ([x, axis], { exclusive, reverse }) => {
    const along = axisOf(integers(axis!, "its axis")[0]!, x!);
    const [step, size] = [stridesOf(x!.dims)[along]!, x!.dims[along]!];
    return affineImage(x!, x!.dims, (output) => {
      const place = Math.floor(output / step) % size;
      const line = Array.from({ length: size }, (_, k) => k).filter((k) =>
        k === place ? !exclusive : reverse ? k > place : k < place,
      );
      return { indices: line.map((k) => output + (k - place) * step), weights: line.map(() => 1) };
    });
  },
};
