// Reductions: one number from many along some axes; and running sums and the greatest k along one.
import type { Dim, Shape } from "../graph.ts";
import { isFloat } from "../tensor.ts";
import { inferred, numbersOf, rounding, scalarOf } from "./constant.ts";
import {
  given,
  normalizeAxes,
  normalizeAxis,
  reducedShape,
  reshaped,
  sameAsFirst,
  unknownShape,
} from "./dims.ts";
import { operator } from "./operator.ts";
import { flag, type Inferred, int, type ShapeContext } from "./spec.ts";

interface ReduceAttributes {
  readonly keepdims: number;
  readonly noop_with_empty_axes: number;
}

function reduced(
  x: Inferred | undefined,
  axes: Inferred | undefined,
  { keepdims, noop_with_empty_axes }: ReduceAttributes,
  context: ShapeContext,
): Shape | undefined {
  const shape = x?.shape;
  const keep = keepdims !== 0;
  // Of nothing, ONNX Runtime keeps axes and sizes in some reductions whatever is asked for.
  if (shape?.includes(0)) return undefined;
  const noAxes = !given(context, 1) || axes?.shape?.[0] === 0;
  if (noAxes && noop_with_empty_axes === 0) return keep ? shape?.map(() => 1) : [];
  if (noAxes || !shape) return shape;
  const listed = numbersOf(axes);
  if (listed) {
    const along = normalizeAxes(listed, shape.length, context);
    const whole = reducedShape(shape, along, keep);
    // A size of which nothing is known may be that of nothing.
    if (!along.some((k) => shape[k] === undefined)) return whole;
    return keep
      ? whole.map((d, k) => (along.includes(k) && shape[k] === undefined ? undefined : d))
      : undefined;
  }
  if (keep) return unknownShape(shape.length);
  // Several axes may be the same one, said twice.
  return axes?.shape?.[0] === 1 ? unknownShape(Math.max(0, shape.length - 1)) : undefined;
}

/** A reduction; integer constants reduced to one entry stay a constant (floats depend on the order of summing). */
const reduceBy = (fold?: (entries: readonly number[]) => number) =>
  operator({
    inputs: [1, 2],
    attributes: { keepdims: flag(1), noop_with_empty_axes: flag(0) },
    shape: ([x, axes], attributes, context) => {
      const shape = reduced(x, axes, attributes, context);
      const result = reshaped(x, shape);
      const entries = shape?.every((d) => d === 1) && !isFloat(result.type) ? numbersOf(x) : undefined;
      if (!fold || !entries || entries.length === 0) return result;
      return inferred(result.type, shape as number[], [rounding(result.type)(fold(entries))]);
    },
  });

const argument = operator({
  inputs: [1, 1],
  attributes: { axis: int(0), keepdims: flag(1), select_last_index: flag(0) },
  shape: ([x], { axis, keepdims }, context) => ({
    type: "int64",
    shape:
      x?.shape && !x.shape.includes(0)
        ? reducedShape(x.shape, [normalizeAxis(axis, x.shape.length, context)], keepdims !== 0)
        : undefined,
  }),
});

const product = (entries: readonly number[]) => entries.reduce((a, b) => a * b, 1);
const sum = (entries: readonly number[]) => entries.reduce((a, b) => a + b, 0);

export const reduction = {
  ReduceSum: reduceBy(sum),
  ReduceMean: reduceBy(),
  ReduceMax: reduceBy((entries) => Math.max(...entries)),
  ReduceMin: reduceBy((entries) => Math.min(...entries)),
  ReduceProd: reduceBy(product),
  ReduceL1: reduceBy(),
  ReduceL2: reduceBy(),
  ReduceSumSquare: reduceBy(),
  ReduceLogSum: reduceBy(),
  ReduceLogSumExp: reduceBy(),
  ArgMax: argument,
  ArgMin: argument,
  CumSum: operator({
    inputs: [2, 2],
    attributes: { exclusive: flag(0), reverse: flag(0) },
    shape: sameAsFirst,
  }),
  TopK: operator({
    inputs: [2, 2],
    outputs: [2, 2],
    attributes: { axis: int(-1), largest: flag(1), sorted: flag(1) },
    shape: ([x, k], { axis }, context) => {
      if (!x?.shape) return [x && { type: x.type }, { type: "int64" }];
      const along = normalizeAxis(axis, x.shape.length, context);
      const kept: Dim = scalarOf(k);
      const size = x.shape[along];
      if (typeof kept === "number" && typeof size === "number" && kept > size)
        context.fail(`cannot take ${kept} of ${size} along axis ${along}`);
      const shape = x.shape.map((d, i) => (i === along ? kept : d));
      return [
        { type: x.type, shape },
        { type: "int64", shape },
      ];
    },
  }),
};
