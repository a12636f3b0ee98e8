// Gradients of convolutions. A convolution and its transpose are linear in the input and in the weights: three
// products of the same kind, of which each is the derivative of the two others.
import { type Axis, patches } from "../../graph/definitions/window.ts";
import type { Node } from "../../graph/graph.ts";
import type { AttributesOf } from "../../graph/operators/index.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRules, Step } from "../backward.ts";
import { integers, reshapeLike } from "./shapes.ts";
import { cropLike, isSame, padsOf, restOf, spanOf, spread, type WindowAxis, windowAxes } from "./windows.ts";

/** From how many channels on ONNX Runtime is faster with them as the last axis (docs/decisions/012-conv-gradients.md). */
const fewestChannels = 6;

/** The sizes of the windows: the weights' axes behind the first two. */
function kernelOf(weights: Value, stated: readonly number[] | undefined, fail: Step["fail"]) {
  const sizes = weights.type.shape?.slice(2) ?? stated;
  if (!sizes?.every((d) => typeof d === "number")) return fail("the sizes of its kernel are not known");
  return sizes as readonly number[];
}

/** A shape that begins with these numbers and ends with the sizes of x behind its first two axes. */
const withSizes = (x: Value, ...first: number[]): Value =>
  x.builder.lift(integers(first), "int64").concat([x.op("Shape", [], { start: 2 })], 0);

/** [batch, group * n, ...] -> [group, batch, n, ...] */
function byGroups(x: Value, group: number): Value {
  if (group === 1) return x.op("Unsqueeze", [integers([0])]);
  const spatial = x.type.shape!.slice(2).map((_, k) => k + 3);
  return x.op("Reshape", [withSizes(x, 0, group, -1)]).transpose([1, 0, 2, ...spatial]);
}

interface Convolved {
  readonly group: number;
  readonly node: Node;
  readonly fail: Step["fail"];
}

/** The last elements that no window reads are cut off, or their padding is: what is left of x and of its end padding. */
function trimmed(x: Value, axes: readonly WindowAxis[]): readonly [Value, readonly WindowAxis[]] {
  const ends = axes.map((axis) => axis.padEnd - Math.max(0, restOf(axis) ?? 0));
  const left = axes.map((axis, k) => ({ ...axis, padEnd: Math.max(0, ends[k]!) }));
  const cut = ends.flatMap((end, k) => (end < 0 ? [{ end, axis: k + 2 }] : []));
  if (cut.length === 0) return [x, left];
  const bounds = [cut.map(() => 0), cut.map(({ end }) => end), cut.map(({ axis }) => axis)];
  return [x.op("Slice", bounds.map(integers)), left];
}

/**
 * The derivative by weights [out, in / group, ...kernel] of windows that read x and got g back:
 * dW[o,c,k] = sum over b, t of g[b,o,t] x[b,c,t stride + k dilation - pad], which is a convolution of x by g with batch
 * and channels, strides and dilations exchanged. The channels of x are one more axis that windows of size 1 slide over:
 * the last one, as ONNX Runtime copies along it, or, where they are few or an axis more is beyond its fast kernels, the
 * batch.
 */
function weightShare(
  x: Value,
  g: Value,
  weights: Value,
  axes: readonly WindowAxis[],
  convolved: Convolved,
): Value {
  const { group } = convolved;
  const [type, batch] = [x.type.type, x.type.shape?.[0]];
  // In f64 a convolution is written out, for which its channels, here the batch, must be counted.
  if (type === "float64" && typeof batch !== "number") return writtenOut(x, g, weights, axes, convolved);
  const [read, placed] = trimmed(x, axes);
  const spatial = axes.map((_, k) => k + 2);
  const kernel = g.transpose([1, 0, ...spatial]);
  const attributes = {
    strides: placed.map((axis) => axis.dilation),
    dilations: placed.map((axis) => axis.stride),
    group,
  };
  const channels = weights.type.shape?.[1];
  if (axes.length <= 2 && typeof channels === "number" && channels >= fewestChannels) {
    const wide = byGroups(read, group).transpose([0, 1, ...spatial.map((k) => k + 1), 2]);
    const merged = group === 1 ? wide : wide.op("Reshape", [withSizes(wide, 1, -1)]);
    const share = merged.op("Conv", [kernel.op("Unsqueeze", [integers([-1])])], {
      ...attributes,
      strides: [...attributes.strides, 1],
      dilations: [...attributes.dilations, 1],
      pads: padsOf([...placed, { padBegin: 0, padEnd: 0 }]),
    });
    const rows = share.op("Squeeze", [integers([0])]);
    return cropLike(rows.transpose([0, axes.length + 1, ...axes.map((_, k) => k + 1)]), weights);
  }
  const grouped = byGroups(read, group).transpose([2, 0, 1, ...spatial.map((k) => k + 1)]);
  const columns = grouped.op("Reshape", [withSizes(read, 0, -1)]);
  const share = columns.op("Conv", [kernel], { ...attributes, pads: padsOf(placed) });
  return cropLike(share, weights).transpose([1, 0, ...spatial]);
}

/** The same by a matrix product of the cotangents and the elements that each window read. */
function writtenOut(
  x: Value,
  g: Value,
  weights: Value,
  axes: readonly WindowAxis[],
  { group, node, fail }: Convolved,
): Value {
  const sizes = [x.type.shape?.[1], g.type.shape?.[1], ...axes.flatMap((axis) => [axis.size, axis.count])];
  if (!sizes.every((d) => typeof d === "number"))
    return fail("in float64 its derivative by the weights needs channels and spatial sizes that are numbers");
  const columns = patches(x, axes as readonly Axis[], node);
  const [, channels, taps, windows] = columns.type.shape as readonly number[];
  const outputs = g.type.shape![1] as number;
  const read = columns.reshape([0, group, (channels! / group) * taps!, windows!]).transpose([0, 1, 3, 2]);
  const share = g
    .reshape([0, group, outputs / group, windows!])
    .matmul(read)
    .sum([0]);
  return reshapeLike(share, weights);
}

const biasShare = (g: Value): Value => g.sum(g.type.shape!.map((_, k) => k).filter((k) => k !== 1));

/** The axes of a transposed convolution x -> y: its windows lie on y and there is one for each element of x. */
function transposedAxes(
  { x: [x, weights], y: [y], fail }: Step,
  attributes: AttributesOf<"ConvTranspose">,
): readonly WindowAxis[] {
  const { kernel_shape, output_padding, output_shape } = attributes;
  const kernel = kernelOf(weights, kernel_shape, fail);
  const placed = isSame(attributes) ? { ...attributes, auto_pad: "VALID" } : attributes;
  return windowAxes(y, x, kernel, placed, fail).map((axis, k) => {
    if (!isSame(attributes) && !output_shape?.length) return axis;
    const { stride, count, size } = axis;
    // The padding is what brings the output to the size that is asked for: count stride, or as stated.
    const excess = output_shape?.length
      ? typeof count === "number"
        ? stride * (count - 1) - (size as number)
        : fail("its padding (output_shape) depends on a size that is not known")
      : -stride;
    const total = Math.max(0, excess + (output_padding?.[k] ?? 0) + spanOf(axis));
    const half = Math.floor(total / 2);
    return attributes.auto_pad === "SAME_UPPER"
      ? { ...axis, padBegin: half, padEnd: total - half }
      : { ...axis, padBegin: total - half, padEnd: half };
  });
}

export const convolution: BackwardRules = {
  Conv: (step, attributes) => {
    const {
      g,
      x: [x, weights],
      y: [y],
      node,
      fail,
    } = step;
    const { group } = attributes;
    if (!x.type.shape || !y.type.shape) return fail("the rank of its input is not known");
    const axes = windowAxes(x, y, kernelOf(weights, attributes.kernel_shape, fail), attributes, fail);
    return [
      () => spread(g, weights, axes, x, group),
      () => weightShare(x, g, weights, axes, { group, node, fail }),
      () => biasShare(g),
    ];
  },
  ConvTranspose: (step, attributes) => {
    const {
      g,
      x: [x, weights],
      y: [y],
      node,
      fail,
    } = step;
    const { group } = attributes;
    if (!x.type.shape || !y.type.shape) return fail("the rank of its input is not known");
    const axes = transposedAxes(step, attributes);
    return [
      () =>
        cropLike(
          g.op("Conv", [weights], {
            strides: axes.map((axis) => axis.stride),
            dilations: axes.map((axis) => axis.dilation),
            pads: padsOf(axes),
            ...(group === 1 ? {} : { group }),
          }),
          x,
        ),
      () => weightShare(g, x, weights, axes, { group, node, fail }),
      () => biasShare(g),
    ];
  },
};
