// The windows of a convolution, one after the other.
import { windowAxes, windows } from "../../graph/elements/windows.ts";
import type { WindowAttributes } from "../../graph/operators/window.ts";
import { elementCount, type Tensor, view } from "../../graph/tensor.ts";

export interface WindowForm {
  readonly kernel: readonly number[];
  readonly attributes: WindowAttributes;
}

/** [N, positions, channels * taps] of an operand [N, channels, ...sides], for outputs of these sides. */
export function patches(
  { kernel, attributes }: WindowForm,
  operand: Tensor,
  outputs: readonly number[],
): Tensor {
  const [count, channels, ...sides] = operand.dims as readonly [number, number, ...number[]];
  const [size, taps] = [elementCount(sides), elementCount(kernel)];
  const all = windows(windowAxes(sides, kernel, outputs, attributes));
  // Where each number of an example's windows stands in the example; -1: in the padding.
  const from = new Int32Array(all.length * channels * taps).fill(-1);
  all.forEach(({ positions, taps: at }, p) => {
    for (let c = 0; c < channels; c++)
      for (let n = 0; n < positions.length; n++)
        from[(p * channels + c) * taps + at[n]!] = c * size + positions[n]!;
  });
  const entries = operand.data as Float64Array;
  const result = new Float64Array(count * from.length);
  for (let i = 0, to = 0; i < count; i++) {
    const start = i * channels * size;
    for (let n = 0; n < from.length; n++, to++) {
      const place = from[n]!;
      if (place >= 0) result[to] = entries[start + place]!;
    }
  }
  return view("float64", [count, all.length, channels * taps], result);
}
