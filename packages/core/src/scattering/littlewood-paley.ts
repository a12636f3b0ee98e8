// The Littlewood-Paley sum of a filter bank, whose extremes are its frame bounds (book 1, Proposition 8.1).
import { type Filter, type FilterBank, opposite, power } from "./filter-bank.ts";

export interface LittlewoodPaley {
  /** |phi^|^2 + 1/2 sum (|psi^(omega)|^2 + |psi^(-omega)|^2) at each frequency of the grid. */
  readonly sum: Float64Array;
  /** A |x|^2 <= |W x|^2 <= B |x|^2, exact on the grid: each is attained by a cosine. */
  readonly lower: number;
  readonly upper: number;
  /** Where, as indices of the grid. */
  readonly lowerAt: readonly number[];
  readonly upperAt: readonly number[];
  /** The largest |psi^(0)|: how much of a constant passes a wavelet. */
  readonly mean: number;
}

export interface LittlewoodPaleyOptions {
  /** Of real signals (the default), wavelets count for both halves of the frequencies; of complex ones, for their own. */
  readonly signals?: "real" | "complex";
}

/**
 * The frame bounds of a filter bank, over all frequencies of its grid.
 * @example littlewoodPaley(battleLemarieBank({ length: 64, scale: 3 })).lower // 1, up to rounding
 */
export function littlewoodPaley(
  { shape, lowPass, wavelets }: FilterBank,
  { signals = "real" }: LittlewoodPaleyOptions = {},
): LittlewoodPaley {
  const mirrored = opposite(shape);
  const bands = new Float64Array(mirrored.length);
  for (const wavelet of wavelets) for (let k = 0; k < bands.length; k++) bands[k]! += power(wavelet, k);
  const sum = bands.map((band, k) => {
    const rest = signals === "real" ? (band + bands[mirrored[k]!]!) / 2 : band;
    return power(lowPass, k) + rest;
  });
  let [least, most] = [0, 0];
  sum.forEach((value, k) => {
    if (value < sum[least]!) least = k;
    if (value > sum[most]!) most = k;
  });
  return {
    ...{ sum, lower: sum[least]!, upper: sum[most]! },
    ...{ lowerAt: indices(shape, least), upperAt: indices(shape, most) },
    mean: Math.sqrt(wavelets.reduce((largest, wavelet) => Math.max(largest, power(wavelet, 0)), 0)),
  };
}

function indices(shape: readonly number[], at: number): readonly number[] {
  let rest = at;
  return shape
    .toReversed()
    .map((n) => {
      const index = rest % n;
      rest = (rest - index) / n;
      return index;
    })
    .toReversed();
}

/**
 * The bank with its wavelets multiplied by the largest factor that keeps the upper bound at most 1. The low-pass filter
 * stays, unless it is itself above 1.
 * @example littlewoodPaley(nonExpansive(morletBank1d({ length: 64, scale: 3 }))).upper // 1
 */
export function nonExpansive(bank: FilterBank): FilterBank {
  const { sum } = littlewoodPaley(bank);
  const low = sum.map((_, k) => power(bank.lowPass, k));
  const top = Math.max(
    1,
    low.reduce((a, b) => Math.max(a, b), 0),
  );
  let factor = Number.POSITIVE_INFINITY;
  sum.forEach((value, k) => {
    // Where wavelets are nothing but rounding they say nothing on the factor.
    const bands = value - low[k]!;
    if (bands > 1e-9) factor = Math.min(factor, (1 - low[k]! / top) / bands);
  });
  return {
    ...bank,
    lowPass: times(bank.lowPass, 1 / Math.sqrt(top)),
    wavelets: bank.wavelets.map((wavelet) => ({
      ...wavelet,
      ...times(wavelet, Math.sqrt(Number.isFinite(factor) ? factor : 1)),
    })),
  };
}

const times = ({ re, im }: Filter, factor: number): Filter => ({
  re: re.map((v) => v * factor),
  ...(im && { im: im.map((v) => v * factor) }),
});
