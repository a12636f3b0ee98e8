// How far a translation moves scattering coefficients, and a bound on it by the low-pass filter alone (book 1, Theorem 8.6).
import { energyLedger } from "./energy.ts";
import { angularFrequency, type FilterBank, power } from "./filter-bank.ts";
import { type PropagateOptions, propagate } from "./propagate.ts";

export interface TranslationCertificate {
  /** |S[order m] T_v x - S[order m] x| for each order. */
  readonly measured: readonly number[];
  /** c(v) |U[order m] x|. */
  readonly bound: readonly number[];
  /** c(v) = max |phi^(omega)| |e^(-i v.omega) - 1|: the norm of the averages' change. */
  readonly factor: number;
}

/**
 * The change by a circular shift of v samples (an axis each), order by order, under its certificate.
 * @example translationCertificate([1, 2, 0, 0, 3, 0, 1, 1], battleLemarieBank({ length: 8, scale: 2 }), [0]).bound // [0, 0, 0]
 */
export function translationCertificate(
  x: ArrayLike<number>,
  bank: FilterBank,
  shift: readonly number[],
  options: PropagateOptions = {},
): TranslationCertificate {
  const factor = translationFactor(bank, shift);
  const { propagated } = energyLedger(x, bank, options);
  return {
    ...{ factor, bound: propagated.map((rest) => factor * Math.sqrt(rest)) },
    measured: scatteringDistances(x, translated(x, bank.shape, shift), bank, options),
  };
}

/** max over the grid of |phi^(omega)| |e^(-i v.omega) - 1|. */
export function translationFactor({ shape, lowPass }: FilterBank, shift: readonly number[]): number {
  const columns = shape[1] ?? 1;
  let largest = 0;
  for (let k = 0; k < lowPass.re.length; k++) {
    const turn =
      angularFrequency(Math.floor(k / columns), shape[0]!) * shift[0]! +
      (columns > 1 ? angularFrequency(k % columns, columns) * shift[1]! : 0);
    largest = Math.max(largest, Math.sqrt(power(lowPass, k)) * Math.abs(2 * Math.sin(turn / 2)));
  }
  return largest;
}

/**
 * x(u - v) on a periodic grid, for a whole number of samples.
 * @example [...translated([1, 2, 3], [3], [1])] // [3, 1, 2]
 */
export function translated(
  x: ArrayLike<number>,
  shape: readonly number[],
  shift: readonly number[],
): Float64Array {
  const [rows, columns] = [shape[0]!, shape[1] ?? 1];
  const modulo = (a: number, n: number): number => ((a % n) + n) % n;
  return Float64Array.from({ length: rows * columns }, (_, k) => {
    const from = modulo(Math.floor(k / columns) - shift[0]!, rows) * columns;
    return x[from + modulo((k % columns) - (shift[1] ?? 0), columns)]!;
  });
}

/**
 * |S[order m] x - S[order m] y| for each order.
 * @example scatteringDistances([1, 2, 0, 0, 3, 0, 1, 1], [1, 2, 0, 0, 3, 0, 1, 1], battleLemarieBank({ length: 8, scale: 2 })) // [0, 0, 0]
 */
export function scatteringDistances(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  bank: FilterBank,
  options: PropagateOptions = {},
): readonly number[] {
  const sums = new Float64Array((options.order ?? 2) + 1);
  const other = propagate(y, bank, options);
  propagate(x, bank, options).forEach(({ wavelets, averaged }, k) => {
    averaged.forEach((v, u) => {
      sums[wavelets.length]! += (v - other[k]!.averaged[u]!) ** 2;
    });
  });
  return Array.from(sums, Math.sqrt);
}
