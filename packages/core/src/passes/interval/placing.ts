// Elements that are put into a tensor: scattered, marked, reversed.

import { flatten, indexMap, stridesOf } from "../../graph/elements/positions.ts";
import { dataTypes, elementCount } from "../../graph/tensor.ts";
import {
  add,
  emptyIntervals,
  hull,
  type Interval,
  intervalAt,
  max,
  min,
  mul,
  points,
} from "../../numbers/interval/index.ts";
import type { Rules } from "../pass.ts";
import { indexing } from "../pieces/rules/indexing.ts";
import { byPositions } from "./movers.ts";
import { constants, firstDims, type IntervalTensor, integerTensor, moved, Unreadable } from "./tensor.ts";

const reductions: Readonly<Record<string, (x: Interval, y: Interval) => Interval>> = {
  none: (_, update) => update,
  add,
  mul,
  max,
  min,
};

/** A tensor with updates put in at the targets, in their order. */
function scattered(
  x: IntervalTensor,
  updates: IntervalTensor,
  targets: Float64Array,
  reduction: string,
): IntervalTensor {
  const combine = reductions[reduction];
  if (!combine) throw new Unreadable(`its reduction is "${reduction}"`);
  const [lower, upper] = [Float64Array.from(x.lower), Float64Array.from(x.upper)];
  targets.forEach((target, k) => {
    const result = combine({ lower: lower[target]!, upper: upper[target]! }, intervalAt(updates, k));
    lower[target] = result.lower;
    upper[target] = result.upper;
  });
  return { type: x.type, dims: x.dims, lower, upper };
}

/** Each element's own position. */
const places = ({ dims }: IntervalTensor): IntervalTensor =>
  integerTensor(
    Float64Array.from({ length: elementCount(dims) }, (_, k) => k),
    dims,
  );

const [gatherElements, gatherND] = [
  byPositions(indexing.GatherElements, (k) => k === 0),
  byPositions(indexing.GatherND, (k) => k === 0),
];
const only = (result: IntervalTensor | readonly IntervalTensor[]): IntervalTensor =>
  (Array.isArray(result) ? result[0] : result) as IntervalTensor;

export const placing: Rules<IntervalTensor> = {
  ScatterElements: ([x, indices, updates], { axis, reduction }, node) => {
    const targets = only(gatherElements([places(x!), indices], { axis }, node));
    return scattered(x!, updates!, targets.lower, reduction);
  },
  ScatterND: ([x, indices, updates], { reduction }, node) => {
    const pick = { ...node, op: "GatherND", inputs: node.inputs.slice(0, 2), attributes: new Map() };
    const targets = only(gatherND([places(x!), indices], { batch_dims: 0 }, pick));
    return scattered(x!, updates!, targets.lower, reduction);
  },
  /** `on` at the index, `off` elsewhere; where the index is not known, either. */
  OneHot: ([indices, depth, values], { axis }, node) => {
    const dims = firstDims(node, [indices, depth, values]);
    const size = constants(depth!, "its depth")[0]!;
    const [off, on] = [intervalAt(values!, 0), intervalAt(values!, 1)];
    const along = axis < 0 ? axis + dims.length : axis;
    const strides = stridesOf(indices!.dims);
    const result = emptyIntervals(elementCount(dims));
    let next = 0;
    indexMap(dims, (at) => {
      const index = intervalAt(
        indices!,
        flatten(
          at.filter((_, k) => k !== along),
          strides,
        ),
      );
      const mark = at[along]!;
      const may = [mark, mark - size].some((i) => index.lower <= i && i <= index.upper);
      const must = may && index.lower === index.upper;
      const value = must ? on : may ? hull(on, off) : off;
      result.lower[next] = value.lower;
      result.upper[next] = value.upper;
      return next++;
    });
    return { type: values!.type, dims, ...result };
  },
  EyeLike: ([x], { k: shift, dtype }) => {
    const columns = x!.dims[1]!;
    const ones = Float64Array.from(x!.lower, (_, at) =>
      Number((at % columns) - Math.floor(at / columns) === shift),
    );
    return { type: dtype === undefined ? x!.type : dataTypes[dtype]!, dims: x!.dims, ...points(ones) };
  },
  /** The places of the elements that are not zero, one row an axis. */
  NonZero: ([x]) => {
    const found = [...constants(x!, "its input")].flatMap((value, k) => (value !== 0 ? [k] : []));
    const rows = stridesOf(x!.dims).map((stride, k) =>
      found.map((at) => Math.floor(at / stride) % x!.dims[k]!),
    );
    return integerTensor(rows.flat(), [x!.dims.length, found.length]);
  },
  ReverseSequence: ([x, lengths], { batch_axis, time_axis }) => {
    const counts = constants(lengths!, "its lengths");
    const strides = stridesOf(x!.dims);
    const positions = indexMap(x!.dims, (at) => {
      const [time, count] = [at[time_axis]!, counts[at[batch_axis]!]!];
      const from = time < count ? count - 1 - time : time;
      return flatten(at, strides) + (from - time) * strides[time_axis]!;
    });
    return moved(x!, x!.dims, positions);
  },
};
