// Oriented Morlet wavelets of two variables with the conventions of Kymatio; the parameters of other texts fit in.
import { ScatteringError } from "./error.ts";
import { angularFrequency, type Filter, type FilterBank, type Wavelet } from "./filter-bank.ts";
import { gridFourier } from "./fourier.ts";
import { checkBank } from "./morlet-1d.ts";

export interface MorletOptions2d {
  /** Rows and columns of the periodic grid. */
  readonly shape: readonly [number, number];
  /** J: wavelets have the scales 2^0 .. 2^(J-1). */
  readonly scale: number;
  /** L: angles in half a turn; default: 8. */
  readonly angles?: number;
  /** T: over how many samples the low-pass filter averages; default: 2^J. */
  readonly average?: number;
  /** The width of the finest wavelet in samples; default: 0.8. */
  readonly sigma?: number;
  /** Its centre frequency in radians a sample; default: 3 pi / 4. */
  readonly centre?: number;
  /** The width of the low-pass filter over T; default: 0.4. */
  readonly lowPassSigma?: number;
  /** Width along the wave over width across it; default: 4 / L. */
  readonly slant?: number;
  /** The circle's constant in the norm: Kymatio's 3.1415 (the default), which matters in the fifth digit. */
  readonly pi?: number;
}

/** The digits that Kymatio has. */
const kymatioPi = 31415 / 10000;

interface Gabor {
  readonly sigma: number;
  readonly angle: number;
  readonly centre: number;
  readonly slant: number;
  readonly pi: number;
}

/**
 * The Morlet filter bank of Kymatio's Scattering2D.
 * @example morletBank2d({ shape: [32, 32], scale: 2 }).wavelets.length // 16
 */
export function morletBank2d({
  shape,
  scale,
  angles = 8,
  average = 2 ** scale,
  sigma = 0.8,
  centre = (3 * Math.PI) / 4,
  lowPassSigma = 0.4,
  slant = 4 / angles,
  pi = kymatioPi,
}: MorletOptions2d): FilterBank {
  for (const length of shape) checkBank(length, scale);
  if (!(Number.isInteger(angles) && angles >= 1))
    throw new ScatteringError(`angles are counted by a whole number, not ${angles}`);
  const wavelets: Wavelet[] = [];
  for (let j = 0; j < scale; j++)
    for (let theta = 0; theta < angles; theta++) {
      const angle = ((Math.trunc(angles - angles / 2 - 1) - theta) * Math.PI) / angles;
      const gabor = { sigma: sigma * 2 ** j, angle, centre: centre * 2 ** -j, slant, pi };
      wavelets.push({
        ...{ j, theta, angle, xi: gabor.centre / (2 * Math.PI), sigma: 1 / (2 * Math.PI * gabor.sigma) },
        ...morlet(shape, gabor),
      });
    }
  const low = { sigma: lowPassSigma * average, angle: 0, centre: 0, slant: 1, pi };
  return { kind: "morlet", shape, scale, average, lowPass: { re: gaborSpectrum(shape, low) }, wavelets };
}

/** The Gabor filter without what would pass a constant. */
function morlet(shape: readonly [number, number], gabor: Gabor): Filter {
  const [wave, envelope] = [gaborSpectrum(shape, gabor), gaborSpectrum(shape, { ...gabor, centre: 0 })];
  const beta = wave[0]! / envelope[0]!;
  return { re: wave.map((v, k) => (k === 0 ? 0 : v - beta * envelope[k]!)) };
}

/**
 * The transform of s / (2 pi sigma^2) e^(-u.R diag(1, s^2) R^T u / 2 sigma^2 + i xi u.e), summed over 5 x 5 periods of the
 * grid. Where more periods would not change it, the sum over aliases in frequency is the same and much faster.
 */
function gaborSpectrum(shape: readonly [number, number], gabor: Gabor): Float64Array {
  const widest = gabor.sigma / Math.min(1, gabor.slant);
  return 2 * Math.min(...shape) > 8.5 * widest ? byAliases(shape, gabor) : byPeriods(shape, gabor);
}

/** e^-40 is beyond the last digit of any sum here. */
const negligible = 40;

function byAliases([rows, columns]: readonly [number, number], gabor: Gabor): Float64Array {
  const { sigma, angle, centre, slant, pi } = gabor;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const radius = Math.sqrt(2 * negligible) / sigma / Math.min(1, 1 / slant) + centre + Math.PI;
  const aliases = Math.ceil((radius - Math.PI) / (2 * Math.PI));
  const out = new Float64Array(rows * columns);
  for (let a = -aliases; a <= aliases; a++)
    for (let b = -aliases; b <= aliases; b++)
      for (let k = 0; k < rows; k++) {
        const p = angularFrequency(k, rows) + 2 * Math.PI * a - centre * c;
        for (let l = 0; l < columns; l++) {
          const q = angularFrequency(l, columns) + 2 * Math.PI * b - centre * s;
          const [along, across] = [sigma * (p * c + q * s), (sigma / slant) * (q * c - p * s)];
          const exponent = (along * along + across * across) / 2;
          if (exponent < negligible) out[k * columns + l]! += Math.exp(-exponent);
        }
      }
  return out.map((v) => (v * Math.PI) / pi);
}

function byPeriods(shape: readonly [number, number], gabor: Gabor): Float64Array {
  const [rows, columns] = shape;
  const { sigma, angle, centre, slant, pi } = gabor;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [re, im] = [new Float64Array(rows * columns), new Float64Array(rows * columns)];
  const norm = slant / (2 * pi * sigma ** 2);
  for (let p = -2 * rows; p < 3 * rows; p++)
    for (let q = -2 * columns; q < 3 * columns; q++) {
      const [along, across] = [p * c + q * s, slant * (q * c - p * s)];
      const size = norm * Math.exp(-(along * along + across * across) / (2 * sigma ** 2));
      const at = modulo(p, rows) * columns + modulo(q, columns);
      re[at]! += size * Math.cos(centre * along);
      im[at]! += size * Math.sin(centre * along);
    }
  return gridFourier(shape, re, im).re;
}

const modulo = (a: number, n: number): number => ((a % n) + n) % n;
