// Operators that move elements. Where an element comes from is what the pieces pass knows already: its rules are applied
// to the positions themselves.

import type { OperatorName } from "../../graph/operators/index.ts";
import { elementCount } from "../../graph/tensor.ts";
import { points } from "../../numbers/interval/index.ts";
import type { Rule, Rules } from "../pass.ts";
import { indexing } from "../pieces/rules/indexing.ts";
import { movers as pieceMovers } from "../pieces/rules/movers.ts";
import type { Pieces } from "../pieces/tensor.ts";
import {
  axisOf,
  constants,
  firstDims,
  type Inputs,
  type IntervalTensor,
  moved,
  Unreadable,
} from "./tensor.ts";

/** Several tensors as one long one, behind a zero: what no position points to is zero. */
function joined(tensors: readonly IntervalTensor[]): {
  readonly all: IntervalTensor;
  readonly starts: number[];
} {
  const length = tensors.reduce((n, x) => n + x.lower.length, 1);
  const [lower, upper] = [new Float64Array(length), new Float64Array(length)];
  let end = 1;
  const starts = tensors.map((x) => {
    const start = end;
    lower.set(x.lower, start);
    upper.set(x.upper, start);
    end += x.lower.length;
    return start;
  });
  const isConstant = tensors.every((x) => x.lower === x.upper);
  return {
    all: { type: tensors[0]!.type, dims: [length], lower, upper: isConstant ? lower : upper },
    starts,
  };
}

const asPieces = (x: IntervalTensor, what: string): Pieces => ({
  type: x.type,
  dims: x.dims,
  elements: Array.from(constants(x, what)),
});

/** The rule of an operator that moves the elements of the inputs numbered `data` by the constants in the others. */
export function byPositions<K extends OperatorName>(
  rule: Rule<Pieces, K> | undefined,
  data: (k: number) => boolean,
): Rule<IntervalTensor, K> {
  return (inputs, attributes, node) => {
    const tensors = inputs.filter((x, k): x is IntervalTensor => x !== undefined && data(k));
    const { all, starts } = joined(tensors);
    const pieces = inputs.map((x, k): Pieces | undefined => {
      if (!x || !data(k)) return x && asPieces(x, `its input "${node.inputs[k]}"`);
      const start = starts[tensors.indexOf(x)]!;
      return { type: x.type, dims: x.dims, elements: Array.from(x.lower, (_, i) => start + i) };
    });
    const results = rule!(pieces, attributes, node);
    const list: readonly Pieces[] = Array.isArray(results) ? results : [results as Pieces];
    return list.map(({ dims, elements }) => moved(all, dims, elements as readonly number[]));
  };
}

const first = (k: number): boolean => k === 0;
const every = (): boolean => true;

/** The same elements in another shape. */
const relabelled = (inputs: Inputs, _: unknown, node: Parameters<typeof firstDims>[0]): IntervalTensor => ({
  ...inputs[0]!,
  dims: firstDims(node, inputs),
});

/** A rule that makes constants from constants. */
const made =
  <K extends OperatorName>(rule: Rule<Pieces, K> | undefined): Rule<IntervalTensor, K> =>
  (inputs, attributes, node) => {
    const pieces = inputs.map((x, k) => x && asPieces(x, `its input "${node.inputs[k]}"`));
    const { type, dims, elements } = rule!(pieces, attributes, node) as Pieces;
    return { type, dims, ...points(elements as readonly number[]) };
  };

/** Only its shape matters: the numbers need not be known. */
const ofShape =
  <K extends OperatorName>(rule: Rule<Pieces, K> | undefined): Rule<IntervalTensor, K> =>
  ([x], attributes, node) => {
    const { type, dims, elements } = rule!(
      [{ type: x!.type, dims: x!.dims, elements: [] }],
      attributes,
      node,
    ) as Pieces;
    return { type, dims, ...points(elements as readonly number[]) };
  };

/** Whole rows along an axis, copied. */
function gathered(
  x: IntervalTensor,
  indices: Float64Array,
  along: number,
  dims: readonly number[],
): IntervalTensor {
  const [size, inner] = [x.dims[along]!, elementCount(x.dims.slice(along + 1))];
  const outer = elementCount(x.dims.slice(0, along));
  const positions = new Int32Array(outer * indices.length * inner);
  let next = 0;
  for (let n = 0; n < outer; n++)
    for (const index of indices) {
      if (!(index >= -size && index < size))
        throw new Unreadable(`index ${index} is outside an axis of size ${size}`);
      const start = (n * size + (index < 0 ? index + size : index)) * inner;
      for (let i = 0; i < inner; i++) positions[next++] = start + i;
    }
  return moved(x, dims, positions);
}

/** Where an index is known by bounds only: from the least to the greatest of what it may point to. */
function gatheredAny(
  x: IntervalTensor,
  { lower, upper }: IntervalTensor,
  along: number,
  dims: readonly number[],
): IntervalTensor {
  const [size, inner] = [x.dims[along]!, elementCount(x.dims.slice(along + 1))];
  const outer = elementCount(x.dims.slice(0, along));
  const count = outer * lower.length * inner;
  const ends = { lower: new Float64Array(count), upper: new Float64Array(count) };
  let next = 0;
  for (let n = 0; n < outer; n++)
    for (let k = 0; k < lower.length; k++) {
      if (!(lower[k]! >= 0 && upper[k]! < size))
        throw new Unreadable(
          `its index, from ${lower[k]} to ${upper[k]}, may be outside an axis of size ${size}`,
        );
      for (let i = 0; i < inner; i++) {
        let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
        for (let at = Math.ceil(lower[k]!); at <= upper[k]!; at++) {
          const place = (n * size + at) * inner + i;
          least = Math.min(least, x.lower[place]!);
          greatest = Math.max(greatest, x.upper[place]!);
        }
        ends.lower[next] = least;
        ends.upper[next++] = greatest;
      }
    }
  return { type: x.type, dims, ...ends };
}

export const movers: Rules<IntervalTensor> = {
  Identity: ([x]) => x!,
  Reshape: relabelled,
  Flatten: relabelled,
  Squeeze: relabelled,
  Unsqueeze: relabelled,
  Dropout: ([x, , training]) => {
    if (training && constants(training, "its mode")[0] !== 0) throw new Unreadable("it is in training mode");
    return [x!, { type: "bool", dims: x!.dims, ...points(new Float64Array(x!.lower.length).fill(1)) }];
  },
  Transpose: byPositions(pieceMovers.Transpose, first),
  Expand: byPositions(pieceMovers.Expand, first),
  Tile: byPositions(pieceMovers.Tile, first),
  Concat: byPositions(pieceMovers.Concat, every),
  Split: byPositions(pieceMovers.Split, first),
  Slice: byPositions(pieceMovers.Slice, first),
  DepthToSpace: byPositions(pieceMovers.DepthToSpace, first),
  SpaceToDepth: byPositions(pieceMovers.SpaceToDepth, first),
  Trilu: byPositions(pieceMovers.Trilu, first),
  /** The value in the padding is an element like the others. */
  Pad: byPositions(pieceMovers.Pad, (k) => k === 0 || k === 2),
  Gather: ([x, indices], { axis }, node) => {
    const [along, dims] = [axisOf(axis, x!), firstDims(node, [x, indices])];
    return indices!.lower === indices!.upper || indices!.lower.every((v, k) => v === indices!.upper[k])
      ? gathered(x!, indices!.lower, along, dims)
      : gatheredAny(x!, indices!, along, dims);
  },
  GatherElements: byPositions(indexing.GatherElements, first),
  GatherND: byPositions(indexing.GatherND, first),
  Compress: ([x, condition], { axis }) => {
    const kept = [...constants(condition!, "its condition")].flatMap((c, k) => (c !== 0 ? [k] : []));
    if (axis === undefined) return moved(x!, [kept.length], kept);
    const along = axisOf(axis, x!);
    const dims = x!.dims.map((d, k) => (k === along ? kept.length : d));
    return gathered(x!, Float64Array.from(kept), along, dims);
  },
  Shape: ofShape(pieceMovers.Shape),
  Size: ofShape(pieceMovers.Size),
  ConstantOfShape: made(pieceMovers.ConstantOfShape),
  Range: made(pieceMovers.Range),
};
