// One number from many along some axes; running sums, places of the greatest, the greatest k.

import { flatten, indexMap, stridesOf } from "../../graph/elements/positions.ts";
import type { Node } from "../../graph/graph.ts";
import { elementCount } from "../../graph/tensor.ts";
import {
  abs,
  add,
  div,
  emptyIntervals,
  exp,
  type Interval,
  type IntervalArray,
  intervalAt,
  log,
  max,
  min,
  mul,
  point,
  sqrt,
  squared,
  sub,
} from "../../numbers/interval/index.ts";
import type { Rules } from "../pass.ts";
import { wholeIfIntegral } from "./elementwise.ts";
import {
  axisOf,
  constants,
  firstDims,
  type Inputs,
  type IntervalTensor,
  isIntegral,
  mapped,
  Unreadable,
} from "./tensor.ts";

/** Which group each element belongs to: those that differ along these axes only are one. */
export interface Groups {
  readonly count: number;
  readonly of: Int32Array;
}

export function groupsOf({ dims }: IntervalTensor, axes: readonly number[]): Groups {
  const kept = dims.map((d, k) => (axes.includes(k) ? 1 : d));
  const steps = stridesOf(kept).map((s, k) => (axes.includes(k) ? 0 : s));
  return { count: elementCount(kept), of: indexMap(dims, (at) => flatten(at, steps)) };
}

type Combine = (x: Interval, y: Interval) => Interval;

/** Folds the elements of each group, from `start` on. */
export function folded(x: IntervalArray, { count, of }: Groups, start: Interval, f: Combine): IntervalArray {
  const result = emptyIntervals(count);
  result.lower.fill(start.lower);
  result.upper.fill(start.upper);
  for (let k = 0; k < of.length; k++) {
    const g = of[k]!;
    const next = f(intervalAt(result, g), intervalAt(x, k));
    result.lower[g] = next.lower;
    result.upper[g] = next.upper;
  }
  return result;
}

/** The axes that a reduction runs over: those listed, or all; none at all where that means doing nothing. */
function reducedAxes([x, axes]: Inputs, noop: number): readonly number[] {
  const listed = axes ? [...constants(axes, "its list of axes")].map((axis) => axisOf(axis, x!)) : [];
  return listed.length > 0 || noop ? listed : x!.dims.map((_, k) => k);
}

interface ReduceAttributes {
  readonly noop_with_empty_axes: number;
}
type Reduction = (inputs: Inputs, attributes: ReduceAttributes, node: Node) => IntervalTensor;

/** after(fold of before(x)); `after` also gets the size of a group. */
const reduction =
  (
    fold: { readonly start: number; readonly f: Combine },
    before: (x: Interval) => Interval = (x) => x,
    after: (y: Interval, size: number) => Interval = (y) => y,
  ): Reduction =>
  (inputs, { noop_with_empty_axes }, node) => {
    const x = inputs[0]!;
    const groups = groupsOf(x, reducedAxes(inputs, noop_with_empty_axes));
    if (x.lower.length === 0 && Math.abs(fold.start) === Number.POSITIVE_INFINITY)
      throw new Unreadable("it takes the greatest of nothing");
    const dims = firstDims(node, inputs);
    const size = x.lower.length / Math.max(1, groups.count);
    const y = folded(mapped(x, before), groups, point(fold.start), fold.f);
    return wholeIfIntegral(mapped({ type: x.type, dims, ...y }, (sum) => after(sum, size)));
  };

export const sum = { start: 0, f: add };
export const greatest = { start: Number.NEGATIVE_INFINITY, f: max };
export const least = { start: Number.POSITIVE_INFINITY, f: min };
const share = (total: Interval, size: number): Interval => div(total, point(size));

/**
 * log sum exp, which increases in each element; the greatest upper end of a group is taken out before exp, so that nothing
 * overflows, and added again.
 */
const logSumExp: Reduction = (inputs, { noop_with_empty_axes }, node) => {
  const x = inputs[0]!;
  if (isIntegral(x)) throw new Unreadable("of integers, each power loses its fraction in ONNX Runtime");
  const groups = groupsOf(x, reducedAxes(inputs, noop_with_empty_axes));
  const tops = folded(x, groups, point(greatest.start), max).upper;
  const shift = (k: number): Interval => {
    const top = tops[groups.of[k]!]!;
    return point(Number.isFinite(top) ? top : 0);
  };
  let k = 0;
  const powers = mapped(x, (a) => exp(sub(a, shift(k++))));
  const sums = folded(powers, groups, point(0), add);
  let g = 0;
  const logs = mapped({ type: x.type, dims: firstDims(node, inputs), ...sums }, (total) => {
    const top = tops[g++]!;
    return add(log(total), point(Number.isFinite(top) ? top : 0));
  });
  return logs;
};

/** All axes after batch and channels. */
const planes = (x: IntervalTensor): Groups => groupsOf(x, x.dims.map((_, k) => k).slice(2));

/** (sum of |x|^p)^(1/p). */
export const pNorm = (p: number) => ({
  before: (x: Interval): Interval => (p === 1 ? abs(x) : p === 2 ? squared(x) : power(abs(x), p)),
  after: (total: Interval): Interval => (p === 1 ? total : p === 2 ? sqrt(total) : rootOf(total, p)),
});

/** x^p for x >= 0, as repeated products. */
function power(x: Interval, p: number): Interval {
  let result = point(1);
  for (let k = 0; k < p; k++) result = mul(result, x);
  return result;
}

/** x^(1/p) for x >= 0: e^(log(x) / p). */
const rootOf = (x: Interval, p: number): Interval => {
  const { lower, upper } = exp(div(log(x), point(p)));
  return { lower: x.lower === 0 ? 0 : lower, upper: x.upper === 0 ? 0 : upper };
};

const globally = (
  x: IntervalTensor,
  node: Node,
  fold: typeof sum,
  before: (x: Interval) => Interval,
): IntervalTensor => ({
  type: x.type,
  dims: firstDims(node, [x]),
  ...folded(mapped(x, before), planes(x), point(fold.start), fold.f),
});
const itself = (x: Interval): Interval => x;

export const reductions: Rules<IntervalTensor> = {
  ReduceSum: reduction(sum),
  ReduceMean: reduction(sum, itself, share),
  ReduceMax: reduction(greatest),
  ReduceMin: reduction(least),
  ReduceProd: reduction({ start: 1, f: mul }),
  ReduceL1: reduction(sum, abs),
  ReduceL2: reduction(sum, squared, sqrt),
  ReduceSumSquare: reduction(sum, squared),
  ReduceLogSum: reduction(sum, itself, log),
  ReduceLogSumExp: logSumExp,
  GlobalMaxPool: ([x], _, node) => globally(x!, node, greatest, itself),
  GlobalAveragePool: ([x], _, node) => {
    const size = elementCount(x!.dims.slice(2));
    return mapped(globally(x!, node, sum, itself), (total) => share(total, size));
  },
  GlobalLpPool: ([x], { p }, node) => {
    const { before, after } = pNorm(p);
    return mapped(globally(x!, node, sum, before), after);
  },
};
