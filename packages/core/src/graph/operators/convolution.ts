// Convolutions: input [batch, channels, ...sizes], weights [out, in / group, ...kernel] (transposed: in, out).
import type { Dim, Shape } from "../graph.ts";
import { agree, differ, divideDim, expectRank, formatShape, multiplyDims } from "./dims.ts";
import { operator } from "./operator.ts";
import { type Inferred, int, ints, type ShapeContext, string } from "./spec.ts";
import { windowAxes, windowedShape } from "./window.ts";

const attributes = {
  auto_pad: string("NOTSET"),
  dilations: ints(),
  group: int(1),
  kernel_shape: ints(),
  pads: ints(),
  strides: ints(),
} as const;

/** The kernel's sizes, from the weights and the attribute, which must agree. */
function kernelOf(
  weights: Inferred | undefined,
  stated: readonly number[] | undefined,
  rank: number,
  context: ShapeContext,
): Shape {
  expectRank(weights, rank, context, "its weights");
  if (stated && stated.length !== rank - 2)
    context.fail(`kernel_shape must have ${rank - 2} entries, not ${stated.length}`);
  return Array.from({ length: rank - 2 }, (_, k) =>
    agree(
      stated?.[k],
      weights?.shape?.[k + 2],
      context,
      `kernel_shape [${stated}] contradicts its weights ${formatShape(weights?.shape)}`,
    ),
  );
}

function checkBias(bias: Inferred | undefined, channels: Dim, context: ShapeContext): void {
  expectRank(bias, 1, context, "its bias");
  if (differ(bias?.shape?.[0], channels))
    context.fail(`its bias has ${bias?.shape?.[0]} entries for ${channels} channels`);
}

export const convolution = {
  Conv: operator({
    inputs: [2, 3],
    attributes,
    shape: ([x, weights, bias], attributes, context) => {
      const rank = x?.shape?.length ?? weights?.shape?.length;
      if (rank === undefined) return x && { type: x.type };
      if (rank < 3) context.fail(`needs an input [batch,channels,...sizes], not ${formatShape(x?.shape)}`);
      const { group } = attributes;
      const [batch, channels, ...sizes] = x?.shape ?? [];
      const [out, perGroup] = weights?.shape ?? [];
      const kernel = kernelOf(weights, attributes.kernel_shape, rank, context);
      if (differ(channels, multiplyDims(perGroup, group)))
        context.fail(
          `input ${formatShape(x?.shape)} has ${channels} channels, but weights ${formatShape(weights?.shape)} in ${group} group(s) take ${multiplyDims(perGroup, group)}`,
        );
      divideDim(out, group, context, "the number of output channels");
      checkBias(bias, out, context);
      return {
        type: x?.type ?? weights?.type ?? "undefined",
        shape: [batch, out, ...windowedShape(sizes, kernel, attributes, context)],
      };
    },
  }),
  ConvTranspose: operator({
    inputs: [2, 3],
    attributes: { ...attributes, output_padding: ints(), output_shape: ints() },
    shape: ([x, weights, bias], attributes, context) => {
      const rank = x?.shape?.length ?? weights?.shape?.length;
      if (rank === undefined) return x && { type: x.type };
      if (rank < 3) context.fail(`needs an input [batch,channels,...sizes], not ${formatShape(x?.shape)}`);
      const { group, output_padding, output_shape, auto_pad } = attributes;
      const [batch, channels, ...sizes] = x?.shape ?? [];
      const kernel = kernelOf(weights, attributes.kernel_shape, rank, context);
      if (differ(channels, weights?.shape?.[0]))
        context.fail(
          `input ${formatShape(x?.shape)} has ${channels} channels, but weights ${formatShape(weights?.shape)} take ${weights?.shape?.[0]}`,
        );
      const out = multiplyDims(weights?.shape?.[1], group);
      checkBias(bias, out, context);
      const spatial = windowAxes(kernel, attributes, context).map(
        ({ stride, span, padBegin, padEnd }, k): Dim => {
          // A full output shape (with batch and channels) is taken by its last entries, as ONNX Runtime does.
          if (output_shape?.length) return output_shape[output_shape.length - (rank - 2) + k];
          const size = sizes[k];
          if (typeof size !== "number" || typeof span !== "number") return undefined;
          const unpadded = stride * (size - 1) + (output_padding?.[k] ?? 0) + span;
          // Padding only ever makes an output smaller: windows shorter than their stride do not reach its end.
          if (auto_pad.startsWith("SAME")) return Math.min(size * stride, unpadded);
          const full = unpadded - padBegin - padEnd;
          return full >= 0 ? full : context.fail(`its padding leaves an output of size ${full}`);
        },
      );
      return { type: x?.type ?? weights?.type ?? "undefined", shape: [batch, out, ...spatial] };
    },
  }),
};
