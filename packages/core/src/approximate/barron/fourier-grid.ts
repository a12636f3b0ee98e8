// The discrete Fourier transform of samples on a cubic grid.
import { BarronError } from "./error.ts";

/** Real and imaginary parts, in the order of the samples. */
export interface ComplexGrid {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/**
 * sum_j samples_j e^{-2 pi i <j, k> / n} for k in {0, ..., n-1}^d, n a power of 2; samples in row-major order.
 * @example discreteFourier(Float64Array.of(1, 0, 0, 0), 4, 1).re // Float64Array [1, 1, 1, 1]
 */
export function discreteFourier(samples: Float64Array, n: number, d: number): ComplexGrid {
  if (n < 1 || !Number.isInteger(Math.log2(n)))
    throw new BarronError(`${n} samples a side: it is a power of 2`);
  if (samples.length !== n ** d) throw new BarronError(`${samples.length} samples, not ${n}^${d}`);
  const [re, im] = [Float64Array.from(samples), new Float64Array(samples.length)];
  const [lineRe, lineIm] = [new Float64Array(n), new Float64Array(n)];
  const turns = roots(n);
  for (let axis = 0, stride = 1; axis < d; axis++, stride *= n) {
    for (let start = 0; start < re.length; start++) {
      if (Math.floor(start / stride) % n !== 0) continue;
      for (let j = 0; j < n; j++) [lineRe[j], lineIm[j]] = [re[start + j * stride]!, im[start + j * stride]!];
      transformLine(lineRe, lineIm, turns);
      for (let j = 0; j < n; j++) [re[start + j * stride], im[start + j * stride]] = [lineRe[j]!, lineIm[j]!];
    }
  }
  return { re, im };
}

interface Roots {
  readonly cos: Float64Array;
  readonly sin: Float64Array;
}

const roots = (n: number): Roots => ({
  cos: Float64Array.from({ length: n / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / n)),
  sin: Float64Array.from({ length: n / 2 }, (_, k) => -Math.sin((2 * Math.PI * k) / n)),
});

/** In place: Cooley and Tukey, after a reversal of bits. */
function transformLine(re: Float64Array, im: Float64Array, { cos, sin }: Roots): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    [re[i], re[j]] = [re[j]!, re[i]!];
    [im[i], im[j]] = [im[j]!, im[i]!];
  }
  for (let half = 1; half < n; half *= 2) {
    const step = n / (2 * half);
    for (let block = 0; block < n; block += 2 * half) {
      for (let k = 0; k < half; k++) {
        const [a, b] = [block + k, block + k + half];
        const [c, s] = [cos[k * step]!, sin[k * step]!];
        const turnedRe = re[b]! * c - im[b]! * s;
        const turnedIm = re[b]! * s + im[b]! * c;
        re[b] = re[a]! - turnedRe;
        im[b] = im[a]! - turnedIm;
        re[a]! += turnedRe;
        im[a]! += turnedIm;
      }
    }
  }
}
