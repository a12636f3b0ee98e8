// Orthonormal bases in which pictures are sparse: cosines and wavelets. Coefficients are analysis(x), pictures synthesis(s).
import { InverseError } from "./error.ts";
import { cosineOperator } from "./operators.ts";
import { pictureOf } from "./shape.ts";

export interface Basis {
  readonly size: number;
  analysis(x: Float64Array): Float64Array;
  synthesis(s: Float64Array): Float64Array;
}

/**
 * The orthonormal cosine transform of each channel.
 * @example cosineBasis([2]).synthesis(Float64Array.of(Math.SQRT2, 0)).map(Math.round) // Float64Array [1, 1]
 */
export function cosineBasis(shape: readonly number[]): Basis {
  const map = cosineOperator(shape);
  return { size: map.inputs, analysis: (x) => map.apply(x), synthesis: (s) => map.transpose(s) };
}

/** Half-band filters of Daubechies by their vanishing moments: sum h = sqrt 2, sum h_k h_(k + 2 j) = 0 for j > 0. */
const root3 = Math.sqrt(3);
const [root10, inner] = [Math.sqrt(10), Math.sqrt(5 + 2 * Math.sqrt(10))];
const filters = {
  haar: [1, 1].map((v) => v / Math.SQRT2),
  db2: [1 + root3, 3 + root3, 3 - root3, 1 - root3].map((v) => v / (4 * Math.SQRT2)),
  db3: [
    1 + root10 + inner,
    5 + root10 + 3 * inner,
    10 - 2 * root10 + 2 * inner,
    10 - 2 * root10 - 2 * inner,
    5 + root10 - 3 * inner,
    1 + root10 - inner,
  ].map((v) => v / (16 * Math.SQRT2)),
} as const;

export type WaveletName = keyof typeof filters;
export const waveletNames = Object.keys(filters) as readonly WaveletName[];

/** One level along n numbers that are `stride` apart: means to the first half, details to the second; the ends are joined. */
function split(
  x: Float64Array,
  from: number,
  n: number,
  stride: number,
  h: readonly number[],
  line: Float64Array,
) {
  for (let k = 0; k < n / 2; k++) {
    let [mean, detail] = [0, 0];
    for (let j = 0; j < h.length; j++) {
      const v = x[from + ((2 * k + j) % n) * stride]!;
      mean += h[j]! * v;
      // g_j = (-1)^j h_(L - 1 - j)
      detail += (j % 2 === 0 ? 1 : -1) * h[h.length - 1 - j]! * v;
    }
    line[k] = mean;
    line[n / 2 + k] = detail;
  }
  for (let k = 0; k < n; k++) x[from + k * stride] = line[k]!;
}

/** The transpose of a split, which undoes it. */
function join(
  x: Float64Array,
  from: number,
  n: number,
  stride: number,
  h: readonly number[],
  line: Float64Array,
) {
  line.fill(0, 0, n);
  for (let k = 0; k < n / 2; k++) {
    const [mean, detail] = [x[from + k * stride]!, x[from + (n / 2 + k) * stride]!];
    for (let j = 0; j < h.length; j++)
      line[(2 * k + j) % n]! += h[j]! * mean + (j % 2 === 0 ? 1 : -1) * h[h.length - 1 - j]! * detail;
  }
  for (let k = 0; k < n; k++) x[from + k * stride] = line[k]!;
}

/**
 * Daubechies' wavelets of each channel, periodic: a level halves rows and columns, as long as both are even and not shorter
 * than the filter.
 * @example waveletBasis([4], "haar").analysis(Float64Array.of(1, 1, 1, 1)).map(Math.round) // Float64Array [2, 0, 0, 0]
 */
export function waveletBasis(shape: readonly number[], name: WaveletName = "db2"): Basis {
  const h = filters[name];
  if (!h) throw new InverseError(`wavelets are ${waveletNames.join(", ")}, not ${name}`);
  const { channels, rows, columns, size } = pictureOf(shape);
  const fits = (n: number): boolean => n % 2 === 0 && n >= h.length;
  const levels: (readonly [number, number])[] = [];
  for (let [r, c] = [rows, columns]; (r === 1 || fits(r)) && fits(c); r = r === 1 ? 1 : r / 2, c /= 2)
    levels.push([r, c]);
  const line = new Float64Array(Math.max(rows, columns));
  const sweep = (
    x: Float64Array,
    [r, c]: readonly [number, number],
    step: typeof split,
    rowsFirst: boolean,
  ): void => {
    for (let channel = 0; channel < channels; channel++) {
      const at = channel * rows * columns;
      const along = () => {
        for (let i = 0; i < r; i++) step(x, at + i * columns, c, 1, h, line);
      };
      const across = () => {
        if (r > 1) for (let j = 0; j < c; j++) step(x, at + j, r, columns, h, line);
      };
      for (const way of rowsFirst ? [along, across] : [across, along]) way();
    }
  };
  return {
    size,
    analysis(x) {
      const s = x.slice();
      for (const level of levels) sweep(s, level, split, true);
      return s;
    },
    synthesis(s) {
      const x = s.slice();
      for (const level of levels.toReversed()) sweep(x, level, join, false);
      return x;
    },
  };
}
