// How much of the data's energy each window of a convolution sees.
import { numbers, type Tensor } from "../../graph/tensor.ts";
import type { ConvolutionShape } from "../../measures/convolution-shape.ts";

/** sum_i |x_i|^2 */
export function totalEnergy(x: Tensor): number {
  let sum = 0;
  for (const v of numbers(x)) sum += v * v;
  return sum;
}

/** For each place of an input [m, channels, ...sides]: the sum of squares over examples and channels. */
function placeEnergies(x: Tensor, places: number): Float64Array {
  const values = numbers(x);
  const energies = new Float64Array(places);
  for (let k = 0; k < values.length; k++) energies[k % places]! += values[k]! ** 2;
  return energies;
}

/** Sums over the windows along one axis of an array [outer, size, inner]. */
function windowSums(
  values: Float64Array,
  [outer, size, inner]: readonly [number, number, number],
  { kernel, stride, dilation, before, count }: Readonly<Record<string, number>>,
): Float64Array {
  const sums = new Float64Array(outer * count! * inner);
  for (let o = 0; o < outer; o++)
    for (let p = 0; p < count!; p++)
      for (let tap = 0; tap < kernel!; tap++) {
        const at = p * stride! + tap * dilation! - before!;
        if (at < 0 || at >= size) continue;
        for (let i = 0; i < inner; i++)
          sums[(o * count! + p) * inner + i]! += values[(o * size + at) * inner + i]!;
      }
  return sums;
}

/** sum_i |x_i^(j)|^2 for each window j; `constant` is what each place has besides, in each example. */
export function windowEnergies(
  x: Tensor,
  { input, kernel, strides, dilations, pads, output }: ConvolutionShape,
  constant = 0,
): Float64Array {
  const sides = input.slice(1);
  const product = (list: readonly number[]): number => list.reduce((a, b) => a * b, 1);
  const m = x.dims[0]!;
  let values: Float64Array = placeEnergies(x, product(sides)).map((e) => e + constant * m);
  kernel.forEach((size, k) => {
    const dims = [product(output.slice(0, k)), sides[k]!, product(sides.slice(k + 1))] as const;
    values = windowSums(values, dims, {
      ...{ kernel: size, stride: strides[k]!, dilation: dilations[k]! },
      ...{ before: pads[k]!, count: output[k]! },
    });
  });
  return values;
}
