// Joint time-frequency scattering (book 1, section 8.5.2): the scalogram z(t, lambda) = |x * psi_lambda(t)| is a picture of
// time and log-frequency, and wavelets psi_alpha(t) psi_beta(s lambda) with s = 1 or -1 tell what rises in it from what
// falls, which scattering of each band alone does not. Silence stands beside the bands, so that high ones meet no low ones.
import { battleLemarieBank } from "./battle-lemarie.ts";
import { energy } from "./energy.ts";
import { ScatteringError } from "./error.ts";
import { type Filter, type FilterBank, opposite } from "./filter-bank.ts";
import { complexZeros, gridFourier, inverseGridFourier } from "./fourier.ts";
import { convolved } from "./propagate.ts";

export interface TimeFrequencyOptions {
  /** Scales in time: wavelets at 2^0 .. 2^(scale - 1) samples. */
  readonly scale: number;
  /** Scales in log-frequency, in bands; default: as many as the bands allow. */
  readonly bands?: number;
}

export interface TimeFrequencyCoefficient {
  /** The scale in time, and in bands; -1 is the average. */
  readonly alpha: number;
  readonly beta: number;
  /** 1 for what rises in frequency, -1 for what falls, 0 where one of the two filters is an average. */
  readonly spin: -1 | 0 | 1;
  /** The mean of |z * Psi| over times and bands, and its energy: all of them together have that of z. */
  readonly value: number;
  readonly energy: number;
}

export interface TimeFrequencyScattering {
  /** The mean of each band of the scalogram over time, the highest first. */
  readonly first: Float64Array;
  /** sum |z|^2 */
  readonly energy: number;
  readonly joint: readonly TimeFrequencyCoefficient[];
}

/**
 * The scalogram of a signal on the periodic grid of a bank: a row a sample, a column a wavelet (highest first) or silence.
 * @example scalogram(new Float64Array(16).fill(1), morletBank1d({ length: 16, scale: 2, quality: 4 })).columns // 8
 */
export function scalogram(
  x: ArrayLike<number>,
  bank: FilterBank,
): { readonly rows: number; readonly columns: number; readonly z: Float64Array } {
  if (bank.shape.length !== 1)
    throw new ScatteringError("time and frequency are axes of signals of one variable");
  const [rows] = bank.shape as [number];
  if (x.length !== rows) throw new ScatteringError(`the bank is for ${rows} samples, not ${x.length}`);
  const wavelets = bank.wavelets.toSorted((a, b) => b.xi - a.xi);
  const columns = 2 ** Math.ceil(Math.log2(wavelets.length + 1));
  const z = new Float64Array(rows * columns);
  const spectrum = gridFourier(bank.shape, Float64Array.from(x));
  wavelets.forEach((wavelet, k) => {
    const { re, im } = convolved(bank, spectrum, wavelet);
    for (let t = 0; t < rows; t++) z[t * columns + k] = Math.hypot(re[t]!, im[t]!);
  });
  return { rows, columns, z };
}

interface Axis {
  readonly scale: number;
  readonly filter: Filter;
}

/** The filters of an axis, the average first. */
function axisOf(length: number, scale: number): readonly Axis[] {
  const { lowPass, wavelets } = battleLemarieBank({ length, scale });
  return [
    { scale: -1, filter: lowPass },
    ...wavelets.map((wavelet) => ({ scale: wavelet.j, filter: wavelet })),
  ];
}

/**
 * Averages over all times and bands, for the wavelets of a bank of high quality.
 * @example timeFrequencyScattering(new Float64Array(16).fill(1), morletBank1d({ length: 16, scale: 2, quality: 4 }), { scale: 2 }).joint.length // 13
 */
export function timeFrequencyScattering(
  x: ArrayLike<number>,
  bank: FilterBank,
  { scale, bands }: TimeFrequencyOptions,
): TimeFrequencyScattering {
  const { rows, columns, z } = scalogram(x, bank);
  const spectrum = gridFourier([rows, columns], z);
  const mirror = opposite([columns]);
  const [times, frequencies] = [
    axisOf(rows, scale),
    axisOf(columns, bands ?? Math.max(1, Math.log2(columns) - 1)),
  ];
  const joint: TimeFrequencyCoefficient[] = [];
  for (const alpha of times)
    for (const beta of frequencies)
      for (const spin of alpha.scale < 0 || beta.scale < 0 ? ([0] as const) : ([1, -1] as const)) {
        const [down, across] = [alpha.filter.re, beta.filter.re];
        const product = complexZeros(z.length);
        for (let k = 0; k < z.length; k++) {
          const f = k % columns;
          const gain = down[Math.floor(k / columns)]! * across[spin < 0 ? mirror[f]! : f]!;
          product.re[k] = gain * spectrum.re[k]!;
          product.im[k] = gain * spectrum.im[k]!;
        }
        const { re, im } = inverseGridFourier([rows, columns], product);
        // Waves of both spins are analytic in time: each has half of the energy of a real one.
        const share = spin === 0 ? 1 : 1 / 2;
        let [sum, square] = [0, 0];
        for (let k = 0; k < re.length; k++) {
          const size = re[k]! ** 2 + im[k]! ** 2;
          sum += Math.sqrt(size);
          square += size;
        }
        const place = { alpha: alpha.scale, beta: beta.scale, spin };
        joint.push({ ...place, value: sum / z.length, energy: share * square });
      }
  const first = Float64Array.from({ length: bank.wavelets.length }, (_, k) => {
    let sum = 0;
    for (let t = 0; t < rows; t++) sum += z[t * columns + k]!;
    return sum / rows;
  });
  return { first, energy: energy(z), joint };
}
