// Shapes on the way back: what a broadcast spread is summed up again, known or not before the network runs.
import type { Dim, Shape } from "../../graph/graph.ts";
import { elementCount, type NumericType, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";

export const integers = (values: readonly number[]) =>
  tensor([...values], { type: "int64", dims: [values.length] });

/** The shape of a value, as a value: a constant where it is known. */
export function shapeOf(x: Value): Value {
  const dims = knownDims(x);
  return dims ? x.builder.weight(integers(dims), "shape") : x.op("Shape");
}

/** The dimensions, if they are all numbers. */
export function knownDims(x: Value): readonly number[] | undefined {
  const { shape } = x.type;
  return shape?.every((d) => typeof d === "number") ? (shape as readonly number[]) : undefined;
}

/** Surely the same shape. */
export const sameShape = (a: Shape | undefined, b: Shape | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.length === b.length &&
  a.every((d, k) => d !== undefined && d === b[k]);

/** A constant in the shape of a value. */
export function fullLike(x: Value, value: number, type = x.type.type as NumericType): Value {
  const dims = knownDims(x);
  if (dims && elementCount(dims) <= 1)
    return x.builder.weight(tensor([value].slice(0, elementCount(dims)), { type, dims }), "c");
  return shapeOf(x).op("ConstantOfShape", [], { value: tensor([value], { type }) });
}

export const zerosLike = (x: Value, type?: NumericType): Value => fullLike(x, 0, type);

/** One number in the element type of a value. */
export const scalarLike = (x: Value, value: number): Value => x.builder.lift(value, x.type.type);

/** The size of one axis, as a vector of one integer. */
export function sizeOf(x: Value, axis: number): Value {
  const size = x.type.shape?.[axis];
  return typeof size === "number"
    ? x.builder.weight(integers([size]), "size")
    : x.op("Shape", [], { start: axis, end: axis + 1 });
}

/** The same elements in the shape of `like`. */
export function reshapeLike(g: Value, like: Value): Value {
  if (sameShape(g.type.shape, like.type.shape)) return g;
  const dims = knownDims(like);
  // A size of 0 is meant as one, not as "the same as before".
  return g.op("Reshape", [shapeOf(like)], !dims || dims.includes(0) ? { allowzero: 1 } : {});
}

/** The flat position of each element of x, in its shape: a mover applied to it tells where everything came from. */
export function positions(x: Value): Value {
  const [zero, one] = [0, 1].map((n) => x.builder.lift(n, "int64")) as [Value, Value];
  const flat = x.builder.apply("Range", [zero, x.op("Size"), one])[0]!;
  return reshapeLike(flat, x);
}

/** Spreads a value over the shape of `like`. */
export const expandLike = (g: Value, like: Value): Value =>
  sameShape(g.type.shape, like.type.shape) ? g : g.op("Expand", [shapeOf(like)]);

/** What comes back to a value that was broadcast: the sum over the copies made of each element. */
export function unbroadcast(g: Value, like: Value): Value {
  const [from, to] = [g.type.shape, like.type.shape];
  if (sameShape(from, to)) return g;
  if (!from || !to) return unbroadcastAtRun(g, like);
  const extra = from.length - to.length;
  const fates = from.map((d, k) => fateOf(d, k < extra ? undefined : to[k - extra], k < extra));
  if (extra < 0 || fates.includes("unknown")) return unbroadcastAtRun(g, like);
  const axes = fates.flatMap((fate, k) => (fate === "summed" ? [k] : []));
  if (axes.length === 0) return g;
  const inner = axes.filter((k) => k >= extra);
  if (inner.length === 0) return g.sum(axes);
  const summed = g.sum(axes, 1);
  return extra === 0 ? summed : summed.op("Squeeze", [integers(axes.filter((k) => k < extra))]);
}

/** What happens to an axis of size `from` on the way back to one of size `to`. */
function fateOf(from: Dim, to: Dim, leading: boolean): "kept" | "summed" | "unknown" {
  if (leading) return "summed";
  if (to === 1) return from === 1 ? "kept" : "summed";
  if (typeof to === "number" || (from !== undefined && from === to)) return "kept";
  return "unknown";
}

/** The axes are found when the network runs: those where the two shapes differ. */
function unbroadcastAtRun(g: Value, like: Value): Value {
  const [from, to] = [g.op("Shape"), like.op("Shape")];
  const missing = from.op("Shape").sub(to.op("Shape"));
  const ones = missing.op("ConstantOfShape", [], { value: integers([1]) });
  const differs = ones.concat([to], 0).op("Equal", [from]).op("Not");
  const axes = differs.op("NonZero").reshape([-1]);
  return g.op("ReduceSum", [axes], { keepdims: 1, noop_with_empty_axes: 1 }).op("Reshape", [to]);
}
