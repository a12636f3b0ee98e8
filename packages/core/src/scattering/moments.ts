// Moments of wavelet moduli over the scales of a signal: scaling exponents, and scattering moments without the amplitude of
// each scale (book 1, (8.34)).
import { ScatteringError } from "./error.ts";
import type { FilterBank } from "./filter-bank.ts";
import { gridFourier } from "./fourier.ts";
import { convolved, propagate } from "./propagate.ts";

export interface RenormalizedMoments {
  /** E |X * psi_j| / E |X * psi_0| for each scale. */
  readonly first: readonly number[];
  /** E ||X * psi_j1| * psi_j2| / E |X * psi_j1|, for all pairs of scales. */
  readonly second: readonly (readonly number[])[];
  /** E |X * psi_j|^2 / (E |X * psi_j|)^2: 4 / pi for a Gaussian process. */
  readonly spread: readonly number[];
}

const mean = (values: Float64Array): number => values.reduce((sum, v) => sum + v, 0) / values.length;

/**
 * Averages over one periodic signal, with a bank of one variable that has one wavelet a scale.
 * @example renormalizedMoments([1, 2, 0, 0, 3, 0, 1, 1], battleLemarieBank({ length: 8, scale: 2 })).first[0] // 1
 */
export function renormalizedMoments(x: ArrayLike<number>, bank: FilterBank): RenormalizedMoments {
  const all = propagate(x, bank, { order: 2, paths: "all" });
  const scales = bank.wavelets.length;
  const moduli = all.filter(({ wavelets }) => wavelets.length === 1).map(({ propagated }) => propagated);
  const means = moduli.map(mean);
  if (!(means[0]! > 0))
    throw new ScatteringError("a signal without details at the finest scale has no moments");
  const second = means.map(() => new Array<number>(scales).fill(0));
  for (const { wavelets, propagated } of all) {
    const [j1, j2] = wavelets;
    if (j2 !== undefined) second[j1!]![j2] = means[j1!] === 0 ? 0 : mean(propagated) / means[j1!]!;
  }
  return {
    first: means.map((m) => m / means[0]!),
    second,
    spread: moduli.map((u, j) => mean(u.map((v) => v * v)) / means[j]! ** 2),
  };
}

/**
 * zeta(q): the slopes of log2 E |X * psi_j|^q over the scales from .. to, by least squares.
 * @example scalingExponents([1, 2, 0, 0, 3, 0, 1, 1], battleLemarieBank({ length: 8, scale: 2 }), [0]) // [0]
 */
export function scalingExponents(
  x: ArrayLike<number>,
  bank: FilterBank,
  orders: readonly number[],
  [from, to]: readonly [number, number] = [0, bank.wavelets.length - 1],
): readonly number[] {
  if (!(from >= 0 && to > from && to < bank.wavelets.length))
    throw new ScatteringError(`a slope from scale ${from} to ${to}, of ${bank.wavelets.length} scales`);
  const spectrum = gridFourier(bank.shape, Float64Array.from(x));
  const moduli = bank.wavelets.slice(from, to + 1).map((wavelet) => {
    const { re, im } = convolved(bank, spectrum, wavelet);
    return re.map((v, u) => Math.hypot(v, im[u]!));
  });
  const centre = (moduli.length - 1) / 2;
  const spread = moduli.reduce((sum, _, k) => sum + (k - centre) ** 2, 0);
  return orders.map((q) =>
    moduli.reduce((sum, u, k) => sum + ((k - centre) * Math.log2(mean(u.map((v) => v ** q)))) / spread, 0),
  );
}
