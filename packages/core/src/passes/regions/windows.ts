// Sliding windows: which input elements each output element of a convolution or a pooling reads.
import { elementCount } from "../../graph/tensor.ts";
import { strides } from "./positions.ts";

export interface WindowAttributes {
  readonly auto_pad: string;
  readonly pads: readonly number[] | undefined;
  readonly strides: readonly number[] | undefined;
  readonly dilations: readonly number[] | undefined;
}

export interface Tap {
  /** Flat position in the kernel. */
  readonly kernel: number;
  /** Flat position in the input's spatial axes; -1 in the padding. */
  readonly input: number;
}

interface Axis {
  readonly stride: number;
  readonly dilation: number;
  readonly padBegin: number;
  readonly padEnd: number;
}

function axesOf(
  sizes: readonly number[],
  kernel: readonly number[],
  outputs: readonly number[],
  attributes: WindowAttributes,
): Axis[] {
  const { auto_pad, pads, strides: steps, dilations } = attributes;
  return kernel.map((size, k) => {
    const stride = steps?.[k] ?? 1;
    const dilation = dilations?.[k] ?? 1;
    if (auto_pad.startsWith("SAME")) {
      const total = Math.max(0, (outputs[k]! - 1) * stride + (size - 1) * dilation + 1 - sizes[k]!);
      const small = Math.floor(total / 2);
      const padBegin = auto_pad === "SAME_UPPER" ? small : total - small;
      return { stride, dilation, padBegin, padEnd: total - padBegin };
    }
    const padded = auto_pad !== "VALID" && pads && pads.length > 0;
    return {
      stride,
      dilation,
      padBegin: padded ? pads[k]! : 0,
      padEnd: padded ? pads[k + kernel.length]! : 0,
    };
  });
}

/** For each output position: its taps; those beyond even the padding are left out. */
export function windows(
  sizes: readonly number[],
  kernel: readonly number[],
  outputs: readonly number[],
  attributes: WindowAttributes,
): readonly (readonly Tap[])[] {
  const axes = axesOf(sizes, kernel, outputs, attributes);
  const [inputSteps, kernelSteps, outputSteps] = [strides(sizes), strides(kernel), strides(outputs)];
  return Array.from({ length: elementCount(outputs) }, (_, output) => {
    let taps: Tap[] = [{ kernel: 0, input: 0 }];
    axes.forEach(({ stride, dilation, padBegin, padEnd }, k) => {
      const corner = (Math.floor(output / outputSteps[k]!) % outputs[k]!) * stride - padBegin;
      taps = taps.flatMap((tap) =>
        Array.from({ length: kernel[k]! }, (_, offset) => {
          const at = corner + offset * dilation;
          const inside = at >= 0 && at < sizes[k]!;
          return {
            beyond: at >= sizes[k]! + padEnd,
            kernel: tap.kernel + offset * kernelSteps[k]!,
            input: inside && tap.input >= 0 ? tap.input + at * inputSteps[k]! : -1,
          };
        }).filter((t) => !t.beyond),
      );
    });
    return taps;
  });
}
