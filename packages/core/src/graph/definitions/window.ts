// Sliding windows over the axes behind batch and channel: which input element each tap of each window reads.

import { eachCoordinate, stridesOf } from "../elements/positions.ts";
import { GraphError } from "../error.ts";
import { describe, type Node } from "../graph.ts";
import { elementCount, tensor } from "../tensor.ts";
import type { Value } from "../value.ts";
import { elementType, fixed, fixedSizes, shapeOf } from "./definition.ts";
import { integers } from "./expression.ts";

/** One axis of the windows: tap k of window o lies at o stride + k dilation - padBegin. */
export interface Axis {
  readonly size: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly padBegin: number;
  readonly padEnd: number;
  /** The number of windows. */
  readonly count: number;
}

/** The position along one axis that a tap of a window reads; undefined where it reads nothing (padding). */
export type Position = (axis: Axis, window: number, tap: number) => number | undefined;

export const slidingPosition: Position = ({ size, stride, dilation, padBegin }, window, tap) => {
  const at = window * stride + tap * dilation - padBegin;
  return at >= 0 && at < size ? at : undefined;
};

export interface Placement {
  readonly auto_pad: string;
  readonly dilations: readonly number[] | undefined;
  readonly pads: readonly number[] | undefined;
  readonly strides: readonly number[] | undefined;
}

export const isSame = ({ auto_pad }: Pick<Placement, "auto_pad">): boolean => auto_pad.startsWith("SAME");

/** Padding in total, put around an axis: the odd one goes to the end, or to the beginning for SAME_LOWER. */
export function splitPadding(total: number, { auto_pad }: Pick<Placement, "auto_pad">): [number, number] {
  const begin = Math.trunc((auto_pad === "SAME_LOWER" ? total + 1 : total) / 2);
  return [begin, total - begin];
}

/**
 * The windows' axes: sizes from the input, counts from the shape that was inferred for the output.
 * Where windows lie apart, automatic padding would be negative: 0 in a convolution, but pooling crops.
 */
export function windowAxes(
  x: Value,
  kernel: readonly number[],
  output: readonly number[],
  placement: Placement,
  node: Node,
  leastPadding = 0,
): readonly Axis[] {
  const { dilations, strides, pads, auto_pad } = placement;
  const rank = kernel.length;
  return fixedSizes(x, 2, node).map((size, k) => {
    const stride = strides?.[k] ?? 1;
    const dilation = dilations?.[k] ?? 1;
    const count = output[k]!;
    const span = (kernel[k]! - 1) * dilation + 1;
    const padded = auto_pad === "NOTSET" || auto_pad === "";
    const [padBegin, padEnd] = isSame(placement)
      ? splitPadding(Math.max(leastPadding, (count - 1) * stride + span - size), placement)
      : [(padded && pads?.[k]) || 0, (padded && pads?.[k + rank]) || 0];
    return { size, kernel: kernel[k]!, stride, dilation, padBegin, padEnd, count };
  });
}

/** For every tap (rows) of every window (columns): the flat position in the input, or `nothing`. */
function tapTable(axes: readonly Axis[], position: Position, nothing: number): readonly number[] {
  const strides = stridesOf(axes.map((a) => a.size));
  const tables = axes.map((axis, k) =>
    eachCoordinate([axis.kernel, axis.count], ([tap, window]) => {
      const at = position(axis, window!, tap!);
      return at === undefined ? Number.NaN : at * strides[k]!;
    }),
  );
  const windows = axes.map((a) => a.count);
  return eachCoordinate(
    axes.map((a) => a.kernel),
    (tap) =>
      eachCoordinate(windows, (window) => {
        const flat = axes.reduce((sum, a, k) => sum + tables[k]![tap[k]! * a.count + window[k]!]!, 0);
        return Number.isNaN(flat) ? nothing : flat;
      }),
  ).flat();
}

/**
 * The elements that each window reads: [batch, channels, taps, windows]. Taps in the padding read `filler`,
 * one element that is put behind the input.
 */
export function patches(
  x: Value,
  axes: readonly Axis[],
  node: Node,
  { filler = 0, position = slidingPosition }: { filler?: number; position?: Position } = {},
): Value {
  const channels = fixed(shapeOf(x, node)[1], `axis 1 (channels) of its input "${x.name}"`, node);
  const elements = elementCount(axes.map((a) => a.size));
  const [taps, windows] = [elementCount(axes.map((a) => a.kernel)), elementCount(axes.map((a) => a.count))];
  if (elements === 0 || windows === 0)
    throw new GraphError(`${describe(node)}: it has no definition on an axis of size 0`);
  const flat = x.reshape([0, channels, elements]);
  const table = tapTable(axes, position, elements);
  if (table.length === elements && table.every((at, k) => at === k))
    return flat.reshape([0, channels, taps, windows]);
  const beyond = tensor([filler], { type: elementType(x, node), dims: [] });
  const source = table.includes(elements) ? flat.op("Pad", [integers([0, 0, 0, 0, 0, 1]), beyond]) : flat;
  return source.gather(integers(table, [taps, windows]), 2);
}

/** Windows in a row, back in the shape of the output. */
export const unflattened = (x: Value, channels: number, axes: readonly Axis[]): Value =>
  x.reshape([0, channels, ...axes.map((a) => a.count)]);
