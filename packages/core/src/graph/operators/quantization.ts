// Quantization: whole numbers that stand for real ones, scale (q - zero point).
import type { Shape } from "../graph.ts";
import type { DataType } from "../tensor.ts";
import { convolution } from "./convolution.ts";
import { differ, formatShape, normalizeAxis } from "./dims.ts";
import { linear } from "./linear.ts";
import { operator } from "./operator.ts";
import { dataTypeOf } from "./reshaping.ts";
import { flag, type Inferred, int, type ShapeContext } from "./spec.ts";

const attributes = {
  axis: int(1),
  block_size: int(0),
  output_dtype: int(0),
} as const;

/** One scale for all, for each place of an axis, or for each block of one. */
function checkScale(
  x: Inferred | undefined,
  scale: Inferred | undefined,
  axis: number,
  block: number,
  context: ShapeContext,
): void {
  const [shape, own] = [x?.shape, scale?.shape];
  if (!shape || !own || own.length === 0 || (own.length === 1 && own[0] === 1)) return;
  const along = normalizeAxis(axis, shape.length, context);
  if (block > 0 || own.length > 1) {
    if (own.length !== shape.length)
      context.fail(`its scale ${formatShape(own)} has not the rank of its input ${formatShape(shape)}`);
  } else if (differ(own[0], shape[along]))
    context.fail(`its scale has ${own[0]} entries for ${shape[along]} places of axis ${along}`);
}

const typeOf = (x: Inferred | undefined): DataType => x?.type ?? "undefined";

const integerProduct = (shape: Shape | undefined, type: DataType): Inferred => ({ type, shape });

/** The shape of a product or convolution of the same operands in floating-point numbers. */
const shapeFrom = (found: ReturnType<typeof linear.MatMul.shape>): Shape | undefined =>
  (Array.isArray(found) ? found[0] : (found as Inferred | undefined))?.shape;

const convolutionAttributes = convolution.Conv.attributes;

export const quantization = {
  QuantizeLinear: operator({
    inputs: [2, 3],
    attributes: { ...attributes, saturate: flag(1), precision: int(0) },
    shape: ([x, scale, zero], { axis, block_size, output_dtype }, context) => {
      checkScale(x, scale, axis, block_size, context);
      const stated = output_dtype === 0 ? undefined : dataTypeOf(output_dtype, context);
      const type = context.node.inputs[2] ? typeOf(zero) : (stated ?? "uint8");
      return { type, shape: x?.shape };
    },
  }),
  DequantizeLinear: operator({
    inputs: [2, 3],
    attributes,
    shape: ([x, scale], { axis, block_size, output_dtype }, context) => {
      checkScale(x, scale, axis, block_size, context);
      const type = output_dtype === 0 ? typeOf(scale) : dataTypeOf(output_dtype, context);
      return { type, shape: x?.shape };
    },
  }),
  DynamicQuantizeLinear: operator({
    inputs: [1, 1],
    outputs: [3, 3],
    shape: ([x]) => [
      { type: "uint8", shape: x?.shape },
      { type: "float32", shape: [] },
      { type: "uint8", shape: [] },
    ],
  }),
  MatMulInteger: operator({
    inputs: [2, 4],
    shape: ([a, b], _, context) =>
      integerProduct(shapeFrom(linear.MatMul.shape([a, b], {}, context)), "int32"),
  }),
  ConvInteger: operator({
    inputs: [2, 4],
    attributes: convolutionAttributes,
    shape: ([x, w], attributes, context) =>
      integerProduct(shapeFrom(convolution.Conv.shape([x, w], attributes, context)), "int32"),
  }),
  QLinearMatMul: operator({
    inputs: [8, 8],
    shape: ([a, , , b, , , , zero], _, context) =>
      integerProduct(shapeFrom(linear.MatMul.shape([a, b], {}, context)), typeOf(zero)),
  }),
  QLinearConv: operator({
    inputs: [8, 9],
    attributes: convolutionAttributes,
    shape: ([x, , , w, , , , zero, bias], attributes, context) =>
      integerProduct(shapeFrom(convolution.Conv.shape([x, w, bias], attributes, context)), typeOf(zero)),
  }),
};
