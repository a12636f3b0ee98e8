// Operators that only change how a tensor is laid out or typed; the elements stay.
import type { Dim, Shape } from "../graph.ts";
import { type DataType, dataTypes } from "../tensor.ts";
import {
  broadcastSource,
  constantOf,
  inferred,
  numbersOf,
  rearranged,
  relabelled,
  rounding,
} from "./constant.ts";
import {
  broadcast,
  differ,
  formatShape,
  given,
  normalizeAxes,
  normalizeAxis,
  productOf,
  sameAsFirst,
  unknownShape,
} from "./dims.ts";
import { operator } from "./operator.ts";
import { reshapedTo } from "./reshape.ts";
import { flag, type Inferred, int, ints, required, type ShapeContext } from "./spec.ts";

/** The element type that an ONNX number stands for. */
export function dataTypeOf(code: number, { fail }: Pick<ShapeContext, "fail">): DataType {
  return dataTypes[code] ?? fail(`there is no element type number ${code}`);
}

/** Floats lose their fraction as integers; what does not fit is left unknown. */
function castTo(x: Inferred | undefined, type: DataType): Inferred {
  const constant = constantOf(x);
  if (!constant) return { type, shape: x?.shape };
  const round = rounding(type);
  const entries = constant.entries.map((e) => {
    // The name of a dimension stands for an integer that only a wide enough type surely holds.
    if (typeof e !== "number") return /int(32|64)$/.test(type) ? e : undefined;
    return type.includes("int") ? round(Math.trunc(e)) : round(e);
  });
  return inferred(type, constant.dims, entries);
}

function squeezed(
  x: Inferred | undefined,
  axes: Inferred | undefined,
  context: ShapeContext,
): Shape | undefined {
  const shape = x?.shape;
  if (!shape) return undefined;
  if (!given(context, 1))
    return shape.every((d) => typeof d === "number") ? shape.filter((d) => d !== 1) : undefined;
  const listed = numbersOf(axes);
  if (!listed) return undefined;
  // An empty list means no axis to the standard, and all to ONNX Runtime.
  if (listed.length === 0) return shape.every((d) => typeof d === "number" && d !== 1) ? shape : undefined;
  const dropped = normalizeAxes(listed, shape.length, context);
  for (const axis of dropped)
    if (differ(shape[axis], 1))
      context.fail(`cannot drop axis ${axis} of ${formatShape(shape)}: its size is not 1`);
  return shape.filter((_, k) => !dropped.includes(k));
}

function unsqueezed(
  x: Inferred | undefined,
  axes: Inferred | undefined,
  context: ShapeContext,
): Shape | undefined {
  const shape = x?.shape;
  const listed = numbersOf(axes);
  if (!shape || !listed) return undefined;
  const added = normalizeAxes(listed, shape.length + listed.length, context);
  const rest = [...shape];
  return Array.from({ length: shape.length + added.length }, (_, k) =>
    added.includes(k) ? 1 : rest.shift(),
  );
}

/** A shape as a value, or nothing when it is unknown. */
const shapeValue = (shape: Shape | undefined): Inferred =>
  shape ? inferred("int64", [shape.length], shape) : { type: "int64", shape: [undefined] };

const clampAxis = (axis: number, rank: number) => Math.min(Math.max(axis < 0 ? axis + rank : axis, 0), rank);

export const reshaping = {
  Identity: operator({ inputs: [1, 1], shape: ([x]) => x }),
  Reshape: operator({
    inputs: [2, 2],
    attributes: { allowzero: flag(0) },
    shape: ([x, target], { allowzero }, context) =>
      relabelled(x, reshapedTo(x, target, allowzero === 1, context)),
  }),
  Flatten: operator({
    inputs: [1, 1],
    attributes: { axis: int(1) },
    shape: ([x], { axis }, context) => {
      if (!x?.shape) return x && { type: x.type, shape: unknownShape(2) };
      const rank = x.shape.length;
      const at = axis === rank ? rank : normalizeAxis(axis, rank, context);
      return relabelled(x, [productOf(x.shape.slice(0, at)), productOf(x.shape.slice(at))]);
    },
  }),
  Squeeze: operator({
    inputs: [1, 2],
    shape: ([x, axes], _, context) => relabelled(x, squeezed(x, axes, context)),
  }),
  Unsqueeze: operator({
    inputs: [2, 2],
    shape: ([x, axes], _, context) => relabelled(x, unsqueezed(x, axes, context)),
  }),
  Transpose: operator({
    inputs: [1, 1],
    attributes: { perm: ints() },
    shape: ([x], { perm }, context) => {
      if (!x?.shape) return x && { type: x.type, shape: perm && unknownShape(perm.length) };
      const shape = x.shape;
      const order = perm ?? shape.map((_, k) => shape.length - 1 - k);
      if (order.length !== shape.length) context.fail(`perm [${order}] does not fit ${formatShape(shape)}`);
      const axes = normalizeAxes(order, shape.length, context);
      return rearranged(
        x,
        axes.map((k) => shape[k]),
        (at) => shape.map((_, k) => at[axes.indexOf(k)]!),
      );
    },
  }),
  Expand: operator({
    inputs: [2, 2],
    shape: ([x, target], _, context) => {
      const length = target?.shape?.[0];
      const entries =
        constantOf(target)?.entries ??
        (typeof length === "number" && length <= 64 ? unknownShape(length) : undefined);
      const negative = entries?.find((e) => typeof e === "number" && e < 0);
      if (negative !== undefined) context.fail(`cannot expand to a size of ${negative}`);
      const shape = broadcast([x?.shape, entries], context);
      const from = x?.shape as readonly number[] | undefined;
      return rearranged(x, shape, broadcastSource(from ?? []));
    },
  }),
  Cast: operator({
    inputs: [1, 1],
    attributes: { to: required(int()), saturate: flag(1) },
    shape: ([x], { to }, context) => castTo(x, dataTypeOf(to, context)),
  }),
  CastLike: operator({
    inputs: [2, 2],
    attributes: { saturate: flag(1) },
    shape: ([x, like]) => castTo(x, like?.type ?? "undefined"),
  }),
  Shape: operator({
    inputs: [1, 1],
    attributes: { start: int(0), end: int() },
    shape: ([x], { start, end }) => {
      const rank = x?.shape?.length ?? 0;
      return shapeValue(
        x?.shape?.slice(clampAxis(start, rank), end === undefined ? rank : clampAxis(end, rank)),
      );
    },
  }),
  Size: operator({
    inputs: [1, 1],
    shape: ([x]) => {
      const size: Dim = x?.shape && productOf(x.shape);
      return inferred("int64", [], [size]);
    },
  }),
  Dropout: operator({
    inputs: [1, 3],
    outputs: [1, 2],
    attributes: { seed: int() },
    shape: (inputs) => [sameAsFirst(inputs), { type: "bool", shape: inputs[0]?.shape }],
  }),
};
