// Operators that pick, place and join elements by their position.
import type { Dim, Shape } from "../graph.ts";
import { constantOf, inferred, numbersOf, rearranged, smallDims } from "./constant.ts";
import {
  addDims,
  differ,
  formatShape,
  normalizeAxis,
  reshaped,
  sameAsFirst,
  sameDim,
  unknownShape,
} from "./dims.ts";
import { operator } from "./operator.ts";
import { slice } from "./slice.ts";
import { flag, type Inferred, int, required, type ShapeContext, string } from "./spec.ts";

type Inputs = readonly (Inferred | undefined)[];

function concatenated(inputs: Inputs, axis: number, context: ShapeContext): Inferred {
  const shapes = inputs.map((x) => x?.shape);
  const type = inputs.find((x) => x)?.type ?? "undefined";
  const first = shapes.find((s) => s);
  if (!first) return { type };
  const along = normalizeAxis(axis, first.length, context);
  let shape: Shape = first.map((d, k) => (k === along ? 0 : d));
  for (const next of shapes) {
    const misfit =
      next && (next.length !== first.length || next.some((d, k) => k !== along && differ(d, shape[k])));
    // ONNX Runtime joins an empty tensor of any sizes to others; what it makes of them is left unknown.
    if (misfit && next.length === first.length && shapes.some((s) => s?.includes(0)))
      return { type, shape: unknownShape(first.length) };
    if (misfit)
      context.fail(`cannot join ${formatShape(first)} and ${formatShape(next)} along axis ${along}`);
    shape = shape.map((d, k) => (k === along ? addDims(d, next?.[k]) : sameDim(d, next?.[k])));
  }
  // Row-major entries of tensors joined along their first axis are simply one after the other.
  const parts = along === 0 && smallDims(shape) ? inputs.map(constantOf) : [];
  if (parts.length === 0 || !parts.some((p) => p)) return { type, shape };
  const entries = parts.flatMap((part, k): readonly Dim[] => {
    const dims = smallDims(shapes[k]);
    return part?.entries ?? new Array<Dim>(dims ? dims.reduce((a, b) => a * b, 1) : 0).fill(undefined);
  });
  return inferred(type, smallDims(shape)!, entries);
}

function splitSizes(
  size: Dim,
  sizes: Inferred | undefined,
  count: number,
  stated: boolean,
  { fail }: ShapeContext,
): readonly Dim[] {
  if (stated) {
    const listed = constantOf(sizes)?.entries;
    if (listed && listed.length !== count)
      fail(`splits into ${listed.length} parts, but has ${count} outputs`);
    const total = listed?.reduce(addDims, 0);
    if (differ(total, size)) fail(`its parts [${listed}] add up to ${total}, not ${size}`);
    return listed ?? unknownShape(count);
  }
  if (typeof size !== "number") return count === 1 ? [size] : unknownShape(count);
  const chunk = Math.ceil(size / count);
  return Array.from({ length: count }, (_, k) => Math.max(0, Math.min(chunk, size - k * chunk)));
}

function gathered(
  x: Inferred | undefined,
  indices: Inferred | undefined,
  axis: number,
  context: ShapeContext,
): Inferred {
  if (!x?.shape || !indices?.shape) return reshaped(x, undefined);
  const along = normalizeAxis(axis, x.shape.length, context);
  const { shape } = x;
  const inner = indices.shape.length;
  const result = [...shape.slice(0, along), ...indices.shape, ...shape.slice(along + 1)];
  const size = shape[along];
  const at = numbersOf(indices);
  if (!at || typeof size !== "number") return reshaped(x, result);
  const outside = at.find((i) => i < -size || i >= size);
  if (outside !== undefined)
    context.fail(`index ${outside} is outside axis ${along} of ${formatShape(shape)}`);
  const strides = (indices.shape as readonly number[]).map((_, k, dims) =>
    dims.slice(k + 1).reduce((a, b) => a * b, 1),
  );
  return rearranged(x, result, (position) => {
    const flat = position.slice(along, along + inner).reduce((sum, p, k) => sum + p * strides[k]!, 0);
    const index = at[flat]!;
    return [...position.slice(0, along), index < 0 ? index + size : index, ...position.slice(along + inner)];
  });
}

function gatheredND(
  x: Inferred | undefined,
  indices: Inferred | undefined,
  batch: number,
  { fail }: ShapeContext,
): Shape | undefined {
  const depth = indices?.shape?.at(-1);
  if (!x?.shape || !indices?.shape || typeof depth !== "number") return undefined;
  if (depth + batch > x.shape.length) fail(`indices of depth ${depth} do not fit ${formatShape(x.shape)}`);
  return [...indices.shape.slice(0, -1), ...x.shape.slice(batch + depth)];
}

const scatter = (inputs: Inputs, { axis }: { readonly axis: number }, context: ShapeContext) => {
  const rank = inputs[0]?.shape?.length;
  if (rank !== undefined) normalizeAxis(axis, rank, context);
  return sameAsFirst(inputs);
};

export const indexing = {
  Concat: operator({
    inputs: [1, Number.POSITIVE_INFINITY],
    attributes: { axis: required(int()) },
    shape: (inputs, { axis }, context) => concatenated(inputs, axis, context),
  }),
  Split: operator({
    inputs: [1, 2],
    outputs: [1, Number.POSITIVE_INFINITY],
    attributes: { axis: int(0), num_outputs: int() },
    shape: ([x, sizes], { axis }, context) => {
      const count = context.node.outputs.length;
      const shape = x?.shape;
      if (!shape) return new Array<Inferred | undefined>(count).fill(x && { type: x.type });
      const along = normalizeAxis(axis, shape.length, context);
      let start = 0;
      return splitSizes(shape[along], sizes, count, Boolean(context.node.inputs[1]), context).map((size) => {
        const from = start;
        start += typeof size === "number" ? size : Number.NaN;
        const part = shape.map((d, k) => (k === along ? size : d));
        if (Number.isNaN(from)) return reshaped(x, part);
        return rearranged(x, part, (at) => at.map((i, k) => (k === along ? i + from : i)));
      });
    },
  }),
  Slice: operator({
    inputs: [3, 5],
    shape: ([x, starts, ends, axes, steps], _, context) => slice(x, { starts, ends, axes, steps }, context),
  }),
  Gather: operator({
    inputs: [2, 2],
    attributes: { axis: int(0) },
    shape: ([x, indices], { axis }, context) => gathered(x, indices, axis, context),
  }),
  GatherElements: operator({
    inputs: [2, 2],
    attributes: { axis: int(0) },
    shape: ([x, indices], { axis }, context) => {
      if (x?.shape) normalizeAxis(axis, x.shape.length, context);
      return reshaped(x, indices?.shape);
    },
  }),
  GatherND: operator({
    inputs: [2, 2],
    attributes: { batch_dims: int(0) },
    shape: ([x, indices], { batch_dims }, context) =>
      reshaped(x, gatheredND(x, indices, batch_dims, context)),
  }),
  ScatterElements: operator({
    inputs: [3, 3],
    attributes: { axis: int(0), reduction: string("none") },
    shape: scatter,
  }),
  ScatterND: operator({ inputs: [3, 3], attributes: { reduction: string("none") }, shape: sameAsFirst }),
  Compress: operator({
    inputs: [2, 2],
    attributes: { axis: int() },
    shape: ([x], { axis }, context) => {
      if (axis === undefined) return reshaped(x, [undefined]);
      if (!x?.shape) return reshaped(x, undefined);
      const along = normalizeAxis(axis, x.shape.length, context);
      return reshaped(
        x,
        x.shape.map((d, k) => (k === along ? undefined : d)),
      );
    },
  }),
  Unique: operator({
    inputs: [1, 1],
    outputs: [1, 4],
    attributes: { axis: int(), sorted: flag(1) },
    shape: ([x], { axis }, context) => {
      const along =
        axis === undefined || !x?.shape ? undefined : normalizeAxis(axis, x.shape.length, context);
      const shape = axis === undefined ? [undefined] : x?.shape?.map((d, k) => (k === along ? undefined : d));
      const positions: Inferred = { type: "int64", shape: [undefined] };
      return [reshaped(x, shape), positions, positions, positions];
    },
  }),
  NonZero: operator({
    inputs: [1, 1],
    shape: ([x]) => ({ type: "int64", shape: [x?.shape?.length || undefined, undefined] }),
  }),
  ReverseSequence: operator({
    inputs: [2, 2],
    attributes: { batch_axis: flag(1), time_axis: flag(0) },
    shape: sameAsFirst,
  }),
  Trilu: operator({ inputs: [1, 2], attributes: { upper: flag(1) }, shape: sameAsFirst }),
};
