// The output size of an operator that slides a window: convolutions and pooling.
import type { Dim, Shape } from "../graph.ts";
import type { ShapeContext } from "./spec.ts";

/** The attributes that place the windows, as ONNX names them. */
export interface WindowAttributes {
  readonly auto_pad: string;
  readonly pads: readonly number[] | undefined;
  readonly strides: readonly number[] | undefined;
  readonly dilations: readonly number[] | undefined;
  readonly ceil_mode?: number;
}

/** One axis of the windows, defaults filled in. */
export interface WindowAxis {
  readonly stride: number;
  /** The span of the dilated window: (kernel - 1) dilation + 1; unknown like the kernel. */
  readonly span: Dim;
  readonly padBegin: number;
  readonly padEnd: number;
}

/** The windows' axes; an attribute of the wrong length is an error. */
export function windowAxes(
  kernel: Shape,
  attributes: WindowAttributes,
  { fail }: ShapeContext,
): readonly WindowAxis[] {
  const rank = kernel.length;
  const { auto_pad, pads, strides, dilations } = attributes;
  const lengths = { strides: [strides, rank], dilations: [dilations, rank], pads: [pads, 2 * rank] } as const;
  for (const [name, [list, length]] of Object.entries(lengths))
    if (list && list.length > 0 && list.length !== length)
      fail(`${name} must have ${length} entries, not ${list.length}`);
  if (strides?.some((s) => s < 1)) fail(`strides must be positive, not [${strides}]`);
  if (dilations?.some((d) => d < 1)) fail(`dilations must be positive, not [${dilations}]`);
  const padded = auto_pad === "NOTSET" || auto_pad === "";
  return kernel.map((size, k) => ({
    stride: strides?.[k] ?? 1,
    span: typeof size === "number" ? (size - 1) * (dilations?.[k] ?? 1) + 1 : undefined,
    padBegin: (padded && pads?.[k]) || 0,
    padEnd: (padded && pads?.[k + rank]) || 0,
  }));
}

/** The spatial output sizes of a sliding window. */
export function windowedShape(
  sizes: Shape,
  kernel: Shape,
  attributes: WindowAttributes,
  context: ShapeContext,
): Shape {
  return windowAxes(kernel, attributes, context).map((axis, k) =>
    attributes.auto_pad.startsWith("SAME")
      ? dividedUp(sizes[k], axis.stride)
      : windowCount(sizes[k], axis, attributes.ceil_mode, context),
  );
}

const dividedUp = (size: Dim, stride: number): Dim =>
  typeof size === "number" ? Math.ceil(size / stride) : stride === 1 ? size : undefined;

/** floor((size + pads - span) / stride) + 1; with ceil, a window that starts in the end padding is dropped. */
function windowCount(size: Dim, axis: WindowAxis, ceil: number | undefined, { fail }: ShapeContext): Dim {
  const { stride, span, padBegin, padEnd } = axis;
  if (typeof span !== "number") return undefined;
  const slack = padBegin + padEnd - span;
  if (typeof size !== "number") return stride === 1 && slack === -1 ? size : undefined;
  // A convolution refuses a window that sticks out. Pooling (which has a ceil mode) cuts it off in ONNX Runtime:
  // its quotient is rounded towards zero, and only a negative count is refused.
  const isPooling = ceil !== undefined;
  const steps = (size + slack) / stride;
  const count = (ceil ? Math.ceil(steps) : Math.trunc(steps)) + 1;
  if (count < 0 || (!isPooling && size > 0 && steps < 0))
    fail(`a window of ${span} does not fit into ${size} + ${padBegin + padEnd} of padding`);
  return ceil && (count - 1) * stride >= size + padBegin ? count - 1 : count;
}
