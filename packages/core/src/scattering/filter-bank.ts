// A filter bank: a low-pass filter and wavelets, given by their Fourier transforms on a periodic grid.

/** The Fourier transform of a filter at the frequencies 2 pi k / N of the grid, row by row; real, if `im` is left out. */
export interface Filter {
  readonly re: Float64Array;
  readonly im?: Float64Array;
}

export interface Wavelet extends Filter {
  /** Its scale: 0 is the finest. A path goes to larger ones only, and |x * psi| may keep every 2^j-th sample. */
  readonly j: number;
  /** Which of the angles, and the angle of the centre (row, column) in radians; in two dimensions. */
  readonly theta?: number;
  readonly angle?: number;
  /** The centre frequency, in cycles a sample, and the width of the Gaussian in the same unit (where it is one). */
  readonly xi: number;
  readonly sigma?: number;
}

export type BankKind = "morlet" | "battle-lemarie" | "polar" | "haar";

export interface FilterBank {
  readonly kind: BankKind;
  /** The periodic grid: [N], or [rows, columns]. */
  readonly shape: readonly number[];
  /** J: the coarsest scale is 2^J. */
  readonly scale: number;
  /** T: over how many samples the low-pass filter averages. */
  readonly average: number;
  readonly lowPass: Filter;
  readonly wavelets: readonly Wavelet[];
}

/**
 * |psi^(omega)|^2 at the k-th frequency.
 * @example power({ re: Float64Array.of(0, 2) }, 1) // 4
 */
export const power = ({ re, im }: Filter, k: number): number => re[k]! ** 2 + (im ? im[k]! ** 2 : 0);

/**
 * The frequency 2 pi k / N in (-pi, pi].
 * @example angularFrequency(3, 4) // -pi / 2
 */
export const angularFrequency = (k: number, n: number): number => (2 * Math.PI * (2 * k > n ? k - n : k)) / n;

/**
 * The index of -omega for each index of omega on a grid.
 * @example [...opposite([4])] // [0, 3, 2, 1]
 */
export function opposite(shape: readonly number[]): Int32Array {
  return shape.reduce<Int32Array>(
    (rows, n) =>
      Int32Array.from(
        { length: rows.length * n },
        (_, k) => rows[Math.floor(k / n)]! * n + ((n - (k % n)) % n),
      ),
    Int32Array.of(0),
  );
}
