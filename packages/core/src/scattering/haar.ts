// The Haar bank: means and half differences of neighbours, undecimated. Real wavelets that keep norms exactly.
import type { FilterBank, Wavelet } from "./filter-bank.ts";
import { type Complex, complexZeros, rootsOfUnity } from "./fourier.ts";
import { checkBank } from "./morlet-1d.ts";

export interface HaarOptions {
  readonly length: number;
  /** J: the averages are of 2^J samples. */
  readonly scale: number;
}

/**
 * psi_j = (mean of the last 2^j samples - mean of the 2^j before them) / 2, and phi_J the mean of the last 2^J samples.
 * @example haarBank({ length: 16, scale: 2 }).wavelets.length // 2
 */
export function haarBank({ length, scale }: HaarOptions): FilterBank {
  checkBank(length, scale);
  const roots = rootsOfUnity(length);
  /** (1 + sign e^(-i omega lag)) / 2 at the k-th frequency. */
  const pair = (k: number, lag: number, sign: 1 | -1): readonly [number, number] => {
    const at = (k * (lag % length)) % length;
    return [(1 + sign * roots.re[at]!) / 2, (-sign * roots.im[at]!) / 2];
  };
  let low: Complex = { re: new Float64Array(length).fill(1), im: new Float64Array(length) };
  const times = (sign: 1 | -1, lag: number): Complex => {
    const out = complexZeros(length);
    for (let k = 0; k < length; k++) {
      const [a, b] = pair(k, lag, sign);
      out.re[k] = low.re[k]! * a - low.im[k]! * b;
      out.im[k] = low.re[k]! * b + low.im[k]! * a;
    }
    return out;
  };
  const wavelets: Wavelet[] = [];
  for (let j = 0; j < scale; j++) {
    wavelets.push({ ...{ j, xi: 0.375 * 2 ** -j }, ...times(-1, 2 ** j) });
    low = times(1, 2 ** j);
  }
  return { kind: "haar", shape: [length], scale, average: 2 ** scale, lowPass: low, wavelets };
}
