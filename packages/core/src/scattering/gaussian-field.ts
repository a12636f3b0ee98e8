// The Gaussian field with the spectrum of a signal: all that averages of products of two samples can say of it.
import type { Random } from "../numbers/random.ts";
import { gridFourier, inverseGridFourier } from "./fourier.ts";

/**
 * A draw of it on the periodic grid: white noise through a filter with |h^|^2 the spectrum of x; the mean is that of x.
 * @example gaussianField([2, 2, 2, 2], [4], createRandom(1)).map(Math.round) // Float64Array [2, 2, 2, 2]
 */
export function gaussianField(x: ArrayLike<number>, shape: readonly number[], random: Random): Float64Array {
  const { re, im } = gridFourier(shape, Float64Array.from(x));
  const noise = gridFourier(shape, random.normal(x.length));
  const size = Math.sqrt(x.length);
  const gain = re.map((v, k) => (k === 0 ? 0 : Math.hypot(v, im[k]!) / size));
  const filtered = { re: noise.re.map((v, k) => v * gain[k]!), im: noise.im.map((v, k) => v * gain[k]!) };
  const mean = re[0]! / x.length;
  return inverseGridFourier(shape, filtered).re.map((v) => v + mean);
}
