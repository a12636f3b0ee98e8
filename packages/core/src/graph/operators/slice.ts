// The result of Slice: x[start : end : step] along some axes, with ends clamped to the size.
import type { Dim } from "../graph.ts";
import { constantOf, numbersOf, rearranged } from "./constant.ts";
import { given, normalizeAxes, reshaped, unknownShape } from "./dims.ts";
import type { Inferred, ShapeContext } from "./spec.ts";

interface SliceInputs {
  readonly starts: Inferred | undefined;
  readonly ends: Inferred | undefined;
  readonly axes: Inferred | undefined;
  readonly steps: Inferred | undefined;
}

/** Exporters write any number of at least 2^31 - 1 for "to the end". */
const endless = 2 ** 31 - 1;

export function slice(x: Inferred | undefined, inputs: SliceInputs, context: ShapeContext): Inferred {
  const shape = x?.shape;
  if (!shape) return reshaped(x, undefined);
  const starts = constantOf(inputs.starts)?.entries;
  const ends = constantOf(inputs.ends)?.entries;
  const count = starts?.length ?? ends?.length;
  const listed = given(context, 3)
    ? numbersOf(inputs.axes)
    : count === undefined
      ? undefined
      : [...Array(count).keys()];
  const steps = given(context, 4) ? numbersOf(inputs.steps) : listed?.map(() => 1);
  if (!listed) return reshaped(x, unknownShape(shape.length));
  const axes = normalizeAxes(listed, shape.length, context);
  if (steps?.includes(0)) context.fail("a step of 0");
  const first = shape.map(() => 0);
  const stride = shape.map(() => 1);
  const result = shape.map((size, axis): Dim => {
    const k = axes.indexOf(axis);
    if (k < 0) return size;
    const [start, end, step] = [starts?.[k], ends?.[k], steps?.[k]];
    if (step === undefined) return undefined;
    const range = rangeOf(size, start, end, step);
    first[axis] = range.first;
    stride[axis] = step;
    return range.count;
  });
  return rearranged(x, result, (at) => at.map((i, k) => first[k]! + i * stride[k]!));
}

/** Backwards to INT_MAX: to the last position by the standard, to the first one in ONNX Runtime. Nobody knows. */
export const isUnclear = (end: Dim, step: number): boolean =>
  step < 0 && (end === endless || (typeof end === "number" && end >= 2 ** 63));

/** The first position and the number of positions of start:end:step in 0..size-1. */
export function rangeOf(
  size: Dim,
  start: Dim,
  end: Dim,
  step: number,
): { readonly first: number; readonly count: Dim } {
  if (isUnclear(end, step)) return { first: 0, count: undefined };
  if (typeof size === "number" && typeof start === "number" && typeof end === "number") {
    // Backwards, a start before the first position is moved to it (unlike in NumPy), and the end may lie before it.
    const clamp = (n: number, low: number, high: number) =>
      Math.max(Math.min(n < 0 ? n + size : n, high), low);
    const first = clamp(start, 0, step > 0 ? size : size - 1);
    const last = step > 0 ? clamp(end, 0, size) : clamp(end, -1, size - 1);
    return { first, count: size === 0 ? 0 : Math.max(0, Math.ceil((last - first) / step)) };
  }
  const whole =
    (step === 1 &&
      start === 0 &&
      ((typeof end === "number" && end >= endless) || (end !== undefined && end === size))) ||
    (step === -1 &&
      (start === -1 || (typeof start === "number" && start >= endless)) &&
      typeof end === "number" &&
      end <= -endless);
  return { first: 0, count: whole ? size : undefined };
}
