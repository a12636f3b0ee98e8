// Convolutions as matrix products: each window's elements in a column, times the weights of each group.
import type { Node } from "../graph.ts";
import { elementCount } from "../tensor.ts";
import type { Value } from "../value.ts";
import { type Definitions, fixed, fixedSizes, outputSizes } from "./definition.ts";
import {
  type Axis,
  isSame,
  type Placement,
  type Position,
  patches,
  splitPadding,
  unflattened,
  windowAxes,
} from "./window.ts";

interface Kernel {
  /** [group, outputs / group, inputs / group * taps] */
  readonly matrix: Value;
  readonly group: number;
  readonly outputs: number;
  readonly bias: Value | undefined;
}

/** y = matrix * patches + bias, group by group. */
function product(
  columns: Value,
  { matrix, group, outputs, bias }: Kernel,
  axes: readonly Axis[],
  node: Node,
): Value {
  const [channels, taps, windows] = fixedSizes(columns, 1, node) as [number, number, number];
  const rows = (channels / group) * taps;
  const y =
    group === 1
      ? matrix.reshape([outputs, rows]).matmul(columns.reshape([0, rows, windows]))
      : matrix.reshape([1, group, outputs / group, rows]).matmul(columns.reshape([0, group, rows, windows]));
  const result = unflattened(y, outputs, axes);
  return bias ? result.add(bias.reshape([1, outputs, ...axes.map(() => 1)])) : result;
}

interface Transposed extends Placement {
  readonly output_padding: readonly number[] | undefined;
  readonly output_shape: readonly number[] | undefined;
}

/** Tap k adds input i to output i stride + k dilation - padBegin: an output reads those that come out even. */
const transposedPosition: Position = ({ size, stride, dilation, padBegin }, output, tap) => {
  const at = (output + padBegin - tap * dilation) / stride;
  return Number.isInteger(at) && at >= 0 && at < size ? at : undefined;
};

/** The axes of a transposed convolution: where the output's size is given, the padding follows from it. */
function transposedAxes(
  x: Value,
  kernel: readonly number[],
  output: readonly number[],
  attributes: Transposed,
  node: Node,
): readonly Axis[] {
  const plain = windowAxes(
    x,
    kernel,
    output,
    { ...attributes, auto_pad: isSame(attributes) ? "VALID" : attributes.auto_pad },
    node,
  );
  if (!isSame(attributes) && !attributes.output_shape?.length) return plain;
  return plain.map((axis, k) => {
    const span = (axis.kernel - 1) * axis.dilation + 1;
    const full = axis.stride * (axis.size - 1) + (attributes.output_padding?.[k] ?? 0) + span;
    const total = Math.max(0, full - axis.count);
    // Unlike elsewhere, only SAME_UPPER puts the odd one to the end.
    const auto_pad = attributes.auto_pad === "SAME_UPPER" ? "SAME_UPPER" : "SAME_LOWER";
    const [padBegin, padEnd] = splitPadding(total, { auto_pad });
    return { ...axis, padBegin, padEnd };
  });
}

export const convolution: Definitions = {
  Conv: (inputs, attributes, node) => {
    const [x, weights, bias] = inputs;
    const [outputs, perGroup, ...kernel] = fixedSizes(weights!, 0, node) as [number, number, ...number[]];
    const { group } = attributes;
    const axes = windowAxes(x!, kernel, outputSizes(inputs, 2, node), attributes, node);
    const matrix = weights!.reshape([group, outputs / group, perGroup * elementCount(kernel)]);
    return product(patches(x!, axes, node), { matrix, group, outputs, bias }, axes, node);
  },
  ConvTranspose: (inputs, attributes, node) => {
    const [x, weights, bias] = inputs;
    const [channels, perGroup, ...kernel] = fixedSizes(weights!, 0, node) as [number, number, ...number[]];
    const { group } = attributes;
    fixed(x!.type.shape?.[1], `axis 1 (channels) of its input "${x!.name}"`, node);
    const taps = elementCount(kernel);
    const axes = transposedAxes(x!, kernel, outputSizes(inputs, 2, node), attributes, node);
    const matrix = weights!
      .reshape([group, channels / group, perGroup, taps])
      .transpose([0, 2, 1, 3])
      .reshape([group, perGroup, (channels / group) * taps]);
    const columns = patches(x!, axes, node, { position: transposedPosition });
    return product(columns, { matrix, group, outputs: perGroup * group, bias }, axes, node);
  },
};
