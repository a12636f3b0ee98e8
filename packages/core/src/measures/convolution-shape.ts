// The geometry of a convolution on inputs of one size: what its operator norm depends on besides the kernel.
import type { AttributesOf } from "../graph/operators/index.ts";

export interface ConvolutionShape {
  /** Channels and sides of the input, without the batch. */
  readonly input: readonly number[];
  readonly kernel: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  /** Zeros before and after, side by side: [before_1, ..., after_1, ...]. */
  readonly pads: readonly number[];
  readonly groups: number;
  /** Sides of the output. */
  readonly output: readonly number[];
}

/** The geometry of a Conv node on an input [1, channels, ...]. */
export function convolutionShape(
  input: readonly number[],
  weight: readonly number[],
  attributes: AttributesOf<"Conv">,
): ConvolutionShape {
  const [sides, kernel] = [input.slice(2), weight.slice(2)];
  const strides = sides.map((_, k) => attributes.strides?.[k] ?? 1);
  const dilations = sides.map((_, k) => attributes.dilations?.[k] ?? 1);
  const extent = sides.map((_, k) => (kernel[k]! - 1) * dilations[k]! + 1);
  const pads = paddings(sides, extent, strides, attributes);
  const output = sides.map((n, k) =>
    Math.floor((n + pads[k]! + pads[k + sides.length]! - extent[k]!) / strides[k]! + 1),
  );
  return { input: input.slice(1), kernel, strides, dilations, pads, groups: attributes.group ?? 1, output };
}

function paddings(
  sides: readonly number[],
  extent: readonly number[],
  strides: readonly number[],
  { auto_pad, pads }: AttributesOf<"Conv">,
): readonly number[] {
  if (auto_pad !== "SAME_UPPER" && auto_pad !== "SAME_LOWER")
    return auto_pad === "VALID" ? sides.flatMap(() => [0, 0]) : (pads ?? sides.flatMap(() => [0, 0]));
  const whole = sides.map((n, k) =>
    Math.max(0, (Math.ceil(n / strides[k]!) - 1) * strides[k]! + extent[k]! - n),
  );
  const less = whole.map((p) => Math.floor(p / 2));
  const more = whole.map((p, k) => p - less[k]!);
  return auto_pad === "SAME_UPPER" ? [...less, ...more] : [...more, ...less];
}
