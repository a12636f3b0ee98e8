// Operators that make tensors: constants, ranges, random numbers.
import type { Dim, Shape } from "../graph.ts";
import { type DataType, isFloat, type Tensor } from "../tensor.ts";
import { constantLimit, constantOf, inferred, rounding, scalarOf, smallDims } from "./constant.ts";
import { expectRank, normalizeAxis, unknownShape } from "./dims.ts";
import { operator } from "./operator.ts";
import { dataTypeOf } from "./reshaping.ts";
import {
  float,
  floats,
  type Inferred,
  int,
  ints,
  required,
  type ShapeContext,
  string,
  strings,
  tensorAttribute,
} from "./spec.ts";

/** A tensor as a known value; a large one only as its type. */
export function inferredTensor(t: Tensor): Inferred {
  const plain = { type: t.type, shape: t.dims };
  return t.data.length <= constantLimit && t.type !== "string" ? { ...plain, value: t } : plain;
}

/** The shape that a vector holds; of unknown sizes where only its length is known. */
function shapeFrom(x: Inferred | undefined): Shape | undefined {
  const length = x?.shape?.[0];
  return (
    constantOf(x)?.entries ?? (typeof length === "number" && length <= 64 ? unknownShape(length) : undefined)
  );
}

function range(inputs: readonly (Inferred | undefined)[], { fail }: ShapeContext): Inferred {
  const type: DataType = inputs.find((x) => x)?.type ?? "undefined";
  const [start, limit, delta] = inputs.map(scalarOf);
  if (delta === 0) fail("a step of 0");
  if (start === 0 && delta === 1 && typeof limit === "string") return { type, shape: [limit] };
  if (typeof start !== "number" || typeof limit !== "number" || typeof delta !== "number")
    return { type, shape: [undefined] };
  const count = Math.max(0, Math.ceil((limit - start) / delta));
  if (count > constantLimit || isFloat(type))
    return { type, shape: [Number.isSafeInteger(count) ? count : undefined] };
  const round = rounding(type);
  const entries: Dim[] = Array.from({ length: count }, (_, k) => round(start + k * delta));
  return inferred(type, [count], entries);
}

const shaped = { dtype: int(1), seed: float(), shape: required(ints()) } as const;
const like = { dtype: int(), seed: float() } as const;

function likeFirst(
  [x]: readonly (Inferred | undefined)[],
  { dtype }: { readonly dtype: number | undefined },
  context: ShapeContext,
): Inferred {
  return {
    type: dtype === undefined ? (x?.type ?? "undefined") : dataTypeOf(dtype, context),
    shape: x?.shape,
  };
}

export const generation = {
  Constant: operator({
    inputs: [0, 0],
    attributes: {
      value: tensorAttribute(),
      sparse_value: { type: "sparse", fallback: undefined },
      value_float: float(),
      value_floats: floats(),
      value_int: int(),
      value_ints: ints(),
      value_string: string(),
      value_strings: strings(),
    },
    shape: (_, { value, value_float, value_floats, value_int, value_ints }) => {
      if (value) return inferredTensor(value);
      const list = (type: DataType, entries: readonly number[]) =>
        entries.length > constantLimit
          ? { type, shape: [entries.length] }
          : inferred(type, [entries.length], entries);
      if (value_float !== undefined) return inferred("float32", [], [value_float]);
      if (value_floats) return list("float32", value_floats);
      if (value_int !== undefined) return inferred("int64", [], [value_int]);
      return value_ints && list("int64", value_ints);
    },
  }),
  ConstantOfShape: operator({
    inputs: [1, 1],
    attributes: { value: tensorAttribute() },
    shape: ([dims], { value }) => {
      const type = value?.type ?? "float32";
      const shape = shapeFrom(dims);
      const small = smallDims(shape);
      const entry = value ? scalarOf({ type, shape: value.dims, value }) : 0;
      return small
        ? inferred(type, small, new Array<Dim>(small.reduce((a, b) => a * b, 1)).fill(entry))
        : { type, shape };
    },
  }),
  Range: operator({ inputs: [3, 3], shape: (inputs, _, context) => range(inputs, context) }),
  EyeLike: operator({
    inputs: [1, 1],
    attributes: { dtype: int(), k: int(0) },
    shape: (inputs, attributes, context) => {
      expectRank(inputs[0], 2, context);
      return likeFirst(inputs, attributes, context);
    },
  }),
  OneHot: operator({
    inputs: [3, 3],
    attributes: { axis: int(-1) },
    shape: ([indices, depth, values], { axis }, context) => {
      const type = values?.type ?? "undefined";
      if (!indices?.shape) return { type };
      const at = normalizeAxis(axis, indices.shape.length + 1, context);
      const size = scalarOf(depth);
      const known = typeof size === "number" ? Math.trunc(size) : size;
      return { type, shape: indices.shape.toSpliced(at, 0, known) };
    },
  }),
  RandomNormal: operator({
    inputs: [0, 0],
    attributes: { ...shaped, mean: float(0), scale: float(1) },
    shape: (_, { dtype, shape }, context) => ({ type: dataTypeOf(dtype, context), shape }),
  }),
  RandomUniform: operator({
    inputs: [0, 0],
    attributes: { ...shaped, low: float(0), high: float(1) },
    shape: (_, { dtype, shape }, context) => ({ type: dataTypeOf(dtype, context), shape }),
  }),
  RandomNormalLike: operator({
    inputs: [1, 1],
    attributes: { ...like, mean: float(0), scale: float(1) },
    shape: likeFirst,
  }),
  RandomUniformLike: operator({
    inputs: [1, 1],
    attributes: { ...like, low: float(0), high: float(1) },
    shape: likeFirst,
  }),
  Bernoulli: operator({ inputs: [1, 1], attributes: like, shape: likeFirst }),
  Multinomial: operator({
    inputs: [1, 1],
    attributes: { dtype: int(6), sample_size: int(1), seed: float() },
    shape: ([x], { dtype, sample_size }, context) => ({
      type: dataTypeOf(dtype, context),
      shape: [x?.shape?.[0], sample_size],
    }),
  }),
};
