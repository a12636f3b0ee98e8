// Pooling: one number for each window of each channel.
import type { Shape } from "../graph.ts";
import { formatShape, unknownShape } from "./dims.ts";
import { operator } from "./operator.ts";
import { flag, type Inferred, int, ints, required, type ShapeContext, string } from "./spec.ts";
import { type WindowAttributes, windowedShape } from "./window.ts";

const attributes = {
  auto_pad: string("NOTSET"),
  ceil_mode: flag(0),
  dilations: ints(),
  kernel_shape: required(ints()),
  pads: ints(),
  strides: ints(),
} as const;

function pooled(
  x: Inferred | undefined,
  attributes: WindowAttributes & { readonly kernel_shape: readonly number[] },
  context: ShapeContext,
): Shape | undefined {
  if (!x?.shape) return undefined;
  const [batch, channels, ...sizes] = x.shape;
  const kernel = attributes.kernel_shape;
  if (sizes.length !== kernel.length)
    context.fail(`kernel_shape [${kernel}] does not fit an input ${formatShape(x.shape)}`);
  // ONNX Runtime forgets the dilations when it pads so that sizes stay the same: do not promise that they do.
  if (attributes.auto_pad.startsWith("SAME") && attributes.dilations?.some((d) => d > 1))
    return [batch, channels, ...unknownShape(sizes.length)];
  return [batch, channels, ...windowedShape(sizes, kernel, attributes, context)];
}

function pooledWhole(
  [x]: readonly (Inferred | undefined)[],
  _: unknown,
  { fail }: ShapeContext,
): Inferred | undefined {
  if (x?.shape && x.shape.length < 3)
    fail(`needs an input [batch,channels,...sizes], not ${formatShape(x.shape)}`);
  return x && { type: x.type, shape: x.shape?.map((d, k) => (k < 2 ? d : 1)) };
}
const whole = operator({ inputs: [1, 1], shape: pooledWhole });

export const pooling = {
  MaxPool: operator({
    inputs: [1, 1],
    outputs: [1, 2],
    attributes: { ...attributes, storage_order: flag(0) },
    shape: ([x], attributes, context) => {
      const shape = pooled(x, attributes, context);
      return [
        { type: x?.type ?? "undefined", shape },
        { type: "int64", shape },
      ];
    },
  }),
  AveragePool: operator({
    inputs: [1, 1],
    attributes: { ...attributes, count_include_pad: flag(0) },
    shape: ([x], attributes, context) => x && { type: x.type, shape: pooled(x, attributes, context) },
  }),
  LpPool: operator({
    inputs: [1, 1],
    attributes: { ...attributes, p: int(2) },
    shape: ([x], attributes, context) => x && { type: x.type, shape: pooled(x, attributes, context) },
  }),
  GlobalMaxPool: whole,
  GlobalAveragePool: whole,
  GlobalLpPool: operator({ inputs: [1, 1], attributes: { p: int(2) }, shape: pooledWhole }),
};
