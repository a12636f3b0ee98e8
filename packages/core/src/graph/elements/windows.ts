// Sliding windows: which positions of the input each position of the output looks at, and with which tap.
import type { WindowAttributes } from "../operators/window.ts";
import { elementCount } from "../tensor.ts";
import { flatten, forEachCoordinate, stridesOf } from "./positions.ts";

/** One axis: sizes of input, kernel and output, and how they are placed. */
export interface WindowAxis {
  readonly size: number;
  readonly kernel: number;
  readonly output: number;
  readonly stride: number;
  readonly dilation: number;
  readonly padBegin: number;
  readonly padEnd: number;
}

/** A window: flat positions in the input, and for each the flat position in the kernel. */
export interface Window {
  readonly positions: readonly number[];
  readonly taps: readonly number[];
  /** Positions inside the padded input: what an average with padding divides by. */
  readonly paddedCount: number;
}

/** The axes of windows over an input of these sizes, with the padding that auto_pad stands for. */
export function windowAxes(
  sizes: readonly number[],
  kernel: readonly number[],
  outputs: readonly number[],
  attributes: WindowAttributes,
): readonly WindowAxis[] {
  return sizes.map((size, k) => {
    const stride = attributes.strides?.[k] ?? 1;
    const dilation = attributes.dilations?.[k] ?? 1;
    const span = (kernel[k]! - 1) * dilation + 1;
    const axis = { size, kernel: kernel[k]!, output: outputs[k]!, stride, dilation };
    if (attributes.auto_pad.startsWith("SAME")) {
      const total = Math.max(0, (outputs[k]! - 1) * stride + span - size);
      const less = Math.floor(total / 2);
      return attributes.auto_pad === "SAME_UPPER"
        ? { ...axis, padBegin: less, padEnd: total - less }
        : { ...axis, padBegin: total - less, padEnd: less };
    }
    const isPadded = attributes.auto_pad !== "VALID";
    return {
      ...axis,
      padBegin: (isPadded && attributes.pads?.[k]) || 0,
      padEnd: (isPadded && attributes.pads?.[k + sizes.length]) || 0,
    };
  });
}

/** For each output position in row-major order, its window; of a transposed convolution, say how along an axis. */
export function windows(axes: readonly WindowAxis[], alongAxis = axisWindows): readonly Window[] {
  const along = axes.map((axis) => alongAxis(axis));
  const inputStrides = stridesOf(axes.map((a) => a.size));
  const kernelStrides = stridesOf(axes.map((a) => a.kernel));
  const result: Window[] = [];
  forEachCoordinate(
    axes.map((a) => a.output),
    (at) => {
      const members = at.map((place, k) => along[k]![place]!);
      const positions: number[] = [];
      const taps: number[] = [];
      forEachCoordinate(
        members.map((m) => m.positions.length),
        (inner) => {
          positions.push(
            flatten(
              inner.map((n, k) => members[k]!.positions[n]!),
              inputStrides,
            ),
          );
          taps.push(
            flatten(
              inner.map((n, k) => members[k]!.taps[n]!),
              kernelStrides,
            ),
          );
        },
      );
      result.push({ positions, taps, paddedCount: elementCount(members.map((m) => m.paddedCount)) });
    },
  );
  return result;
}

function axisWindows(axis: WindowAxis): readonly Window[] {
  const { size, kernel, output, stride, dilation, padBegin, padEnd } = axis;
  return Array.from({ length: output }, (_, place) => {
    const all = Array.from({ length: kernel }, (_, tap) => place * stride + tap * dilation - padBegin);
    const taps = all.flatMap((position, tap) => (position >= 0 && position < size ? [tap] : []));
    return {
      positions: taps.map((tap) => all[tap]!),
      taps,
      paddedCount: all.filter((position) => position < size + padEnd).length,
    };
  });
}

/** The windows of a transposed convolution: output = input stride + tap dilation - padBegin. */
export function transposedAxisWindows(axis: WindowAxis): readonly Window[] {
  const { size, kernel, output, stride, dilation, padBegin } = axis;
  const result = Array.from({ length: output }, () => ({
    positions: [] as number[],
    taps: [] as number[],
    paddedCount: 0,
  }));
  for (let position = 0; position < size; position++)
    for (let tap = 0; tap < kernel; tap++) {
      const place = position * stride + tap * dilation - padBegin;
      result[place]?.positions.push(position);
      result[place]?.taps.push(tap);
    }
  return result;
}

export interface Tap {
  /** Flat position in the kernel. */
  readonly kernel: number;
  /** Flat position in the input; -1 in the padding. */
  readonly input: number;
}

/** For each output position: its taps, those in the padding too; those beyond even the padding are left out. */
export function windowTaps(axes: readonly WindowAxis[]): readonly (readonly Tap[])[] {
  const inputSteps = stridesOf(axes.map((a) => a.size));
  const kernelSteps = stridesOf(axes.map((a) => a.kernel));
  const outputs = axes.map((a) => a.output);
  const outputSteps = stridesOf(outputs);
  return Array.from({ length: elementCount(outputs) }, (_, output) => {
    let taps: Tap[] = [{ kernel: 0, input: 0 }];
    axes.forEach(({ size, kernel, stride, dilation, padBegin, padEnd }, k) => {
      const corner = (Math.floor(output / outputSteps[k]!) % outputs[k]!) * stride - padBegin;
      const offsets = Array.from({ length: kernel }, (_, offset) => offset).filter(
        (offset) => corner + offset * dilation < size + padEnd,
      );
      taps = taps.flatMap((tap) =>
        offsets.map((offset) => {
          const at = corner + offset * dilation;
          const inside = at >= 0 && at < size;
          return {
            kernel: tap.kernel + offset * kernelSteps[k]!,
            input: inside && tap.input >= 0 ? tap.input + at * inputSteps[k]! : -1,
          };
        }),
      );
    });
    return taps;
  });
}
