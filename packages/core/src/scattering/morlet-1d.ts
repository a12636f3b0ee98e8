// Morlet wavelets of one variable with the conventions of Kymatio: each filter has l1 norm 1, psi^(0) is exactly 0.
// Frequencies and widths are in cycles a sample.
import { ScatteringError } from "./error.ts";
import type { Filter, FilterBank, Wavelet } from "./filter-bank.ts";
import { inverseFourier } from "./fourier.ts";

export interface MorletOptions1d {
  /** Samples of the periodic grid. */
  readonly length: number;
  /** J: the widest wavelets and, unless said otherwise, the averages are 2^J samples wide. */
  readonly scale: number;
  /** Q: wavelets an octave; default: 1. */
  readonly quality?: number;
  /** T: over how many samples the low-pass filter averages; default: 2^J. */
  readonly average?: number;
}

/** Where two neighbours cross, as a share of their peaks. */
const crossing = Math.SQRT1_2;
/** The width of the low-pass filter is this over T. */
const lowPassWidth = 0.1;
/** A wavelet ends so many widths above its centre: from there on samples may be left out. */
const reach = 5;

/**
 * The Morlet filter bank of Kymatio's Scattering1D.
 * @example morletBank1d({ length: 256, scale: 4 }).shape // [256]
 */
export function morletBank1d({
  length,
  scale,
  quality = 1,
  average = 2 ** scale,
}: MorletOptions1d): FilterBank {
  checkBank(length, scale);
  if (!(quality >= 1 && Number.isInteger(quality)))
    throw new ScatteringError(`quality is a whole number of wavelets an octave, not ${quality}`);
  const wavelets = frequencies(scale, quality).map(
    ({ xi, sigma }): Wavelet => ({
      ...{ xi, sigma, j: subsampling(xi, sigma) },
      ...morlet(length, xi, sigma),
    }),
  );
  return {
    kind: "morlet",
    shape: [length],
    scale,
    average,
    lowPass: gaussian(length, lowPassWidth / average),
    wavelets,
  };
}

/** Says what is wrong with the grid or the scale of a bank. */
export function checkBank(length: number, scale: number): void {
  if (!(Number.isInteger(length) && length >= 2))
    throw new ScatteringError(`a filter bank needs a grid of at least 2 samples, not ${length}`);
  if (!(Number.isInteger(scale) && scale >= 1 && scale <= 30))
    throw new ScatteringError(`a scale J is a whole number from 1 to 30, not ${scale}`);
}

/** Geometric down to the width of the low-pass filter at 2^J, then Q - 1 centres in equal steps of that width. */
function frequencies(scale: number, quality: number): readonly { xi: number; sigma: number }[] {
  const step = 2 ** (1 / quality);
  const narrowest = lowPassWidth * 2 ** -scale;
  const highest = Math.max(1 / (1 + 2 ** (3 / quality)), 0.35);
  const widest = (highest * ((1 - 1 / step) / (1 + 1 / step))) / Math.sqrt(2 * Math.log(1 / crossing));
  const found: { xi: number; sigma: number }[] = [];
  let elbow = widest;
  if (widest > narrowest) {
    let [xi, sigma] = [highest, widest];
    found.push({ xi, sigma });
    while (sigma > narrowest * step) {
      xi /= step;
      sigma /= step;
      found.push({ xi, sigma });
    }
    elbow = xi;
  }
  for (let q = 1; q < quality; q++) found.push({ xi: elbow * (1 - q / quality), sigma: narrowest });
  return found;
}

/** The largest j with xi + 5 sigma < 2^-(j+1): |x * psi| may keep every 2^j-th sample. */
const subsampling = (xi: number, sigma: number): number =>
  Math.floor(-Math.log2(Math.min(xi + reach * sigma, 0.5))) - 1;

/** e^(-(f - xi)^2 / 2 sigma^2), summed over the periods in which single precision sees it, at most 9. */
function periodicGaussian(length: number, xi: number, sigma: number): Float64Array {
  const periods = Math.min(Math.ceil(1 + Math.sqrt(-2 * sigma ** 2 * Math.log(1e-7))), 5);
  const sum = new Float64Array(length);
  for (let period = 1 - periods; period < periods; period++)
    for (let k = 0; k < length; k++)
      sum[k]! += Math.exp(-((k / length + period - xi) ** 2) / (2 * sigma ** 2));
  return sum;
}

function morlet(length: number, xi: number, sigma: number): Filter {
  const [gabor, low] = [periodicGaussian(length, xi, sigma), periodicGaussian(length, 0, sigma)];
  const correction = gabor[0]! / low[0]!;
  return unitL1(gabor.map((v, k) => (k === 0 ? 0 : v - correction * low[k]!)));
}

/**
 * The Gaussian low-pass filter of this width, with l1 norm 1.
 * @example gaussian(64, 0.05).re[0] // 1
 */
export const gaussian = (length: number, sigma: number): Filter => unitL1(periodicGaussian(length, 0, sigma));

function unitL1(re: Float64Array): Filter {
  const time = inverseFourier({ re, im: new Float64Array(re.length) });
  const norm = time.re.reduce((sum, v, k) => sum + Math.hypot(v, time.im[k]!), 0);
  return { re: re.map((v) => v / norm) };
}
