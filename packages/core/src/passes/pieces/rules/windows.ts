// Convolutions, pooling and batch normalization.

import {
  transposedAxisWindows,
  type Window,
  type WindowAxis,
  windowAxes,
  windows,
} from "../../../graph/elements/windows.ts";
import { elementCount } from "../../../graph/tensor.ts";
import { add, type Exact, mul, neg, reduce, toNumber } from "../../../numbers/exact/rational.ts";
import type { Rules } from "../../pass.ts";
import { maximum } from "../choice.ts";
import { affineImage, joined, type Terms } from "../linear.ts";
import { firstDims } from "../shape.ts";
import { constants, type Pieces } from "../tensor.ts";
import { Unreadable } from "../unreadable.ts";

/** What convolutions and their transposes share: channels in groups, windows, an optional bias. */
interface Convolution {
  readonly x: Pieces;
  readonly bias: Pieces | undefined;
  readonly dims: readonly number[];
  readonly group: number;
  readonly windows: readonly Window[];
  /** The weight between an input and an output channel (counted inside the group) at a tap. */
  readonly weight: (inputChannel: number, outputChannel: number, group: number, tap: number) => Exact;
}

function convolution({ x, bias, dims, group, windows, weight }: Convolution): Pieces {
  const [channels, size] = [x.dims[1]!, elementCount(x.dims.slice(2))];
  const [outputs, outputSize] = [dims[1]!, elementCount(dims.slice(2))];
  const [inGroup, outGroup] = [channels / group, outputs / group];
  const { all, starts } = joined([x, ...(bias ? [bias] : [])]);
  return affineImage(all, dims, (output): Terms => {
    const channel = Math.floor(output / outputSize) % outputs;
    const batch = Math.floor(output / outputSize / outputs);
    const g = Math.floor(channel / outGroup);
    const { positions, taps } = windows[output % outputSize]!;
    const indices: number[] = [];
    const weights: Exact[] = [];
    for (let c = 0; c < inGroup; c++)
      positions.forEach((position, k) => {
        indices.push((batch * channels + g * inGroup + c) * size + position);
        weights.push(weight(c, channel % outGroup, g, taps[k]!));
      });
    if (!bias) return { indices, weights };
    return { indices: [...indices, starts[1]! + channel], weights: [...weights, 1] };
  });
}

/** The windows of each channel of each image, as positions in the whole tensor. */
function channelWindows(x: Pieces, planeWindows: readonly Window[]): (output: number) => Window {
  const size = elementCount(x.dims.slice(2));
  return (output) => {
    const window = planeWindows[output % planeWindows.length]!;
    const start = Math.floor(output / planeWindows.length) * size;
    if (window.positions.length === 0)
      throw new Unreadable("one of its windows lies in the padding altogether");
    return { ...window, positions: window.positions.map((p) => start + p) };
  };
}

/** The greatest of each window: windows are filled up to one size by their first element. */
export function greatestOf(
  x: Pieces,
  dims: readonly number[],
  members: readonly (readonly number[])[],
): Pieces {
  if (members.some((m) => m.length === 0)) throw new Unreadable("it takes the greatest of nothing");
  if (members.length === 0) return { type: x.type, dims, elements: [] };
  const most = members.reduce((n, m) => Math.max(n, m.length), 0);
  return maximum(
    Array.from({ length: most }, (_, k) => ({
      ...x,
      dims,
      elements: members.map((m) => x.elements[m[k] ?? m[0]!]!),
    })),
  );
}

/** The padding of a transposed convolution, from the sizes that it must give. */
function transposedAxes(
  axes: readonly WindowAxis[],
  { output_padding, output_shape, auto_pad }: TransposedAttributes,
): readonly WindowAxis[] {
  if (!output_shape?.length && !auto_pad.startsWith("SAME")) return axes;
  return axes.map((axis, k) => {
    const full =
      axis.stride * (axis.size - 1) + (output_padding?.[k] ?? 0) + (axis.kernel - 1) * axis.dilation + 1;
    const total = Math.max(0, full - axis.output);
    const less = Math.floor(total / 2);
    return { ...axis, padBegin: auto_pad === "SAME_UPPER" ? less : total - less };
  });
}
interface TransposedAttributes {
  readonly output_padding: readonly number[] | undefined;
  readonly output_shape: readonly number[] | undefined;
  readonly auto_pad: string;
}

const kernelSize = (w: Pieces): number => elementCount(w.dims.slice(2));
const plane = (dims: readonly number[]): readonly number[] => dims.slice(2);

export const windowed: Rules<Pieces> = {
  Conv: ([x, w, bias], attributes, node) => {
    const dims = firstDims(node, [x, w, bias]);
    const kernel = constants(w!, "its kernel");
    const [outputs, inGroup, taps] = [w!.dims[0]!, w!.dims[1]!, kernelSize(w!)];
    return convolution({
      x: x!,
      bias,
      dims,
      group: attributes.group,
      windows: windows(windowAxes(plane(x!.dims), plane(w!.dims), plane(dims), attributes)),
      weight: (from, to, g, tap) =>
        kernel[((g * (outputs / attributes.group) + to) * inGroup + from) * taps + tap]!,
    });
  },
  ConvTranspose: ([x, w, bias], attributes, node) => {
    const dims = firstDims(node, [x, w, bias]);
    const kernel = constants(w!, "its kernel");
    const [inputs, outGroup, taps] = [w!.dims[0]!, w!.dims[1]!, kernelSize(w!)];
    const axes = windowAxes(plane(x!.dims), plane(w!.dims), plane(dims), {
      ...attributes,
      auto_pad: "NOTSET",
    });
    return convolution({
      x: x!,
      bias,
      dims,
      group: attributes.group,
      windows: windows(transposedAxes(axes, attributes), transposedAxisWindows),
      weight: (from, to, g, tap) =>
        kernel[((g * (inputs / attributes.group) + from) * outGroup + to) * taps + tap]!,
    });
  },
  MaxPool: ([x], attributes, node) => {
    const dims = firstDims(node, [x]);
    const axes = windowAxes(plane(x!.dims), attributes.kernel_shape, plane(dims), attributes);
    const window = channelWindows(x!, windows(axes));
    const members = Array.from({ length: elementCount(dims) }, (_, output) => window(output).positions);
    return greatestOf(x!, dims, members);
  },
  AveragePool: ([x], attributes, node) => {
    const dims = firstDims(node, [x]);
    const axes = windowAxes(plane(x!.dims), attributes.kernel_shape, plane(dims), attributes);
    const window = channelWindows(x!, windows(axes));
    return affineImage(x!, dims, (output) => {
      const { positions, paddedCount } = window(output);
      const count = attributes.count_include_pad ? paddedCount : positions.length;
      const weight = reduce(1n, BigInt(count));
      return { indices: positions, weights: positions.map(() => weight) };
    });
  },
  /**
   * (x - mean) scale / sqrt(variance + epsilon) + bias. The root is rounded to a double: what is exact is the
   * function with that factor, which is also what folding the normalization into a double layer would store.
   */
  BatchNormalization: ([x, scale, bias, mean, variance], { epsilon, training_mode }) => {
    if (training_mode) throw new Unreadable("it is in training mode");
    const [s, b, m, v] = [scale!, bias!, mean!, variance!].map((t) => constants(t, "a statistic"));
    const size = elementCount(x!.dims.slice(2));
    const factors = s!.map((c, k) => toNumber(c) / Math.sqrt(toNumber(v![k]!) + epsilon));
    return affineImage(x!, x!.dims, (output) => {
      const channel = Math.floor(output / size) % x!.dims[1]!;
      const factor = factors[channel]!;
      return {
        indices: [output],
        weights: [factor],
        bias: add(b![channel]!, mul(neg(m![channel]!), factor)),
      };
    });
  },
};
