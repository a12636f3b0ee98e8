// Pooling: sums, norms and maxima over windows, or over all positions of a channel.

import { eachCoordinate } from "../elements/positions.ts";
import type { Node } from "../graph.ts";
import { integerRange } from "../integer-range.ts";
import { type NumericType, tensor } from "../tensor.ts";
import type { Value } from "../value.ts";
import { type Definitions, elementType, fixed, outputSizes, shapeOf } from "./definition.ts";
import { integers, root } from "./expression.ts";
import { type Axis, type Placement, patches, slidingPosition, unflattened, windowAxes } from "./window.ts";

interface Pooling extends Placement {
  readonly kernel_shape: readonly number[];
}

interface Windows {
  readonly axes: readonly Axis[];
  /** [batch, channels, taps, windows] */
  readonly columns: Value;
  /** One number a window, as the output. */
  readonly shaped: (pooled: Value) => Value;
}

function windowsOf(
  inputs: readonly (Value | undefined)[],
  attributes: Pooling,
  node: Node,
  filler = 0,
): Windows {
  const x = inputs[0]!;
  const output = outputSizes(inputs, 2, node);
  const axes = windowAxes(x, attributes.kernel_shape, output, attributes, node, Number.NEGATIVE_INFINITY);
  const channels = fixed(shapeOf(x, node)[1], `axis 1 (channels) of its input "${x.name}"`, node);
  return {
    axes,
    columns: patches(x, axes, node, { filler }),
    shaped: (pooled) => unflattened(pooled, channels, axes),
  };
}

/** How many taps of a window count along one axis: those on the input, or on the padding too (not beyond it). */
function countTaps(axis: Axis, window: number, withPadding: boolean): number {
  const taps = [...Array(axis.kernel).keys()];
  if (!withPadding) return taps.filter((tap) => slidingPosition(axis, window, tap) !== undefined).length;
  const end = axis.size + axis.padEnd;
  return taps.filter((tap) => window * axis.stride + tap * axis.dilation - axis.padBegin < end).length;
}

/** (sum of |x|^p)^(1/p) along some axes. */
function norm(x: Value, p: number, axes: readonly number[], keepdims: number): Value {
  if (p === 1) return x.abs().sum(axes, keepdims);
  return root((p === 2 ? x.mul(x) : x.abs().pow(p)).sum(axes, keepdims), 1 / p);
}

/** The axes behind batch and channel. */
const spatial = (x: Value, node: Node): readonly number[] =>
  shapeOf(x, node)
    .map((_, k) => k)
    .slice(2);

/** The least number of a type, which is never the greatest of a window that holds another. */
const lowest = (type: NumericType): number =>
  integerRange(type)?.[0] ?? (type === "float64" ? -Number.MAX_VALUE : -3.4028234663852886e38);

export const pooling: Definitions = {
  /** The first output only: which element was the greatest is no number that depends smoothly on anything. */
  MaxPool: (inputs, attributes, node) => {
    const { columns, shaped } = windowsOf(inputs, attributes, node, lowest(elementType(inputs[0]!, node)));
    return shaped(columns.op("ReduceMax", [integers([2])], { keepdims: 0 }));
  },
  AveragePool: (inputs, attributes, node) => {
    const { axes, columns, shaped } = windowsOf(inputs, attributes, node);
    const counts = eachCoordinate(
      axes.map((a) => a.count),
      (window) =>
        axes.reduce((count, a, k) => count * countTaps(a, window[k]!, attributes.count_include_pad !== 0), 1),
    );
    const sum = columns.sum([2]);
    return shaped(sum.div(tensor(counts, { type: elementType(inputs[0]!, node) })));
  },
  LpPool: (inputs, attributes, node) => {
    const { columns, shaped } = windowsOf(inputs, attributes, node);
    return shaped(norm(columns, attributes.p, [2], 0));
  },
  GlobalAveragePool: ([x], _, node) => x!.mean(spatial(x!, node), 1),
  GlobalMaxPool: ([x], _, node) => x!.op("ReduceMax", [integers(spatial(x!, node))]),
  GlobalLpPool: ([x], { p }, node) => norm(x!, p, spatial(x!, node), 1),
};
