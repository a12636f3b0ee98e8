// Filters after a signal has kept every 2^k-th sample, and what an average over such a signal is as a matrix.
import type { Filter } from "./filter-bank.ts";
import { inverseFourier } from "./fourier.ts";

/**
 * A real spectrum on the grid with every 2^k-th sample. Of one variable its aliases add up; of two, only the lowest
 * frequencies stay: as in Kymatio.
 * @example [...coarser(Float64Array.of(1, 2, 3, 4), [4], 1)] // [4, 6]
 */
export function coarser(spectrum: Float64Array, grid: readonly number[], k: number): Float64Array {
  if (k === 0) return spectrum;
  if (grid.length === 1) {
    const length = grid[0]! / 2 ** k;
    const sum = new Float64Array(length);
    spectrum.forEach((v, f) => {
      sum[f % length]! += v;
    });
    return sum;
  }
  const [rows, columns] = grid as readonly [number, number];
  const [fewRows, fewColumns] = [rows / 2 ** k, columns / 2 ** k];
  const lowest = (f: number, few: number, all: number): number => (2 * f < few ? f : all - few + f);
  return Float64Array.from({ length: fewRows * fewColumns }, (_, at) => {
    const [f, g] = [Math.floor(at / fewColumns), at % fewColumns];
    return spectrum[lowest(f, fewRows, rows) * columns + lowest(g, fewColumns, columns)]!;
  });
}

/** A matrix of rows. */
export interface Averages {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

/** Row n averages around sample stride n of a periodic line with this real, even spectrum: g[stride n - t]. */
export function averages(spectrum: Float64Array, stride: number, first: number, count: number): Averages {
  const n = spectrum.length;
  const { re: kernel } = inverseFourier({ re: spectrum, im: new Float64Array(n) });
  const values = new Float64Array(count * n);
  for (let row = 0; row < count; row++)
    for (let t = 0; t < n; t++) values[row * n + t] = kernel[(((stride * (first + row) - t) % n) + n) % n]!;
  return { rows: count, columns: n, values };
}

/** The two factors of a spectrum that is a product of one in the rows and one in the columns, if it is. */
export function separated(
  { re, im }: Filter,
  [rows, columns]: readonly [number, number],
): readonly [Float64Array, Float64Array] | undefined {
  if (im || re[0] === 0) return undefined;
  const [top, left] = [
    re.subarray(0, columns),
    Float64Array.from({ length: rows }, (_, k) => re[k * columns]!),
  ];
  const first = left.map((v) => v / re[0]!);
  const isProduct = re.every(
    (v, k) => Math.abs(v - first[Math.floor(k / columns)]! * top[k % columns]!) <= 1e-12 * Math.abs(re[0]!),
  );
  return isProduct ? [first, top.slice()] : undefined;
}
