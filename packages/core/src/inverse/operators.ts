// Measurement operators: y = A x + e (book, chapter 9, (9.1)).
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import type { Random } from "../numbers/random.ts";
import { InverseError } from "./error.ts";
import {
  denseMap,
  type LinearMap,
  selectionMap,
  sidesMap,
  stackedMap,
  successionMap,
  sumMap,
} from "./linear-map.ts";
import { pictureOf } from "./shape.ts";

function requireCount(count: number, most: number, what: string): void {
  if (!(Number.isInteger(count) && count >= 1 && count <= most))
    throw new InverseError(`${count} ${what}: a whole number from 1 to ${most} is wanted`);
}

/**
 * Entries of variance 1/m, so that E |A x|^2 = |x|^2.
 * @example gaussianOperator(20, 100, createRandom(1)).outputs // 20
 */
export function gaussianOperator(m: number, n: number, random: Random): LinearMap {
  requireCount(m, 1e7, "measurements");
  if (m * n > 2 ** 28)
    throw new InverseError(`a matrix of ${m} x ${n} numbers is too large: dct and fourier need none`);
  const entries = random.normal(m * n);
  const deviation = 1 / Math.sqrt(m);
  for (let k = 0; k < entries.length; k++) entries[k]! *= deviation;
  return denseMap({ rows: m, columns: n, entries });
}

/**
 * Row k of the orthonormal cosine transform (DCT-II): sqrt(2/n) cos(pi (j + 1/2) k / n), the first by 1/sqrt 2.
 * @example cosineMatrix(2).entries.map((v) => Math.round(2 * v * v)) // Float64Array [1, 1, 1, 1]
 */
export function cosineMatrix(n: number): Matrix {
  const entries = new Float64Array(n * n);
  for (let k = 0; k < n; k++)
    for (let j = 0; j < n; j++)
      // (2 j + 1) k modulo the period 4 n: the angle is rounded once.
      entries[k * n + j] =
        Math.sqrt((k === 0 ? 1 : 2) / n) * Math.cos((Math.PI * (((2 * j + 1) * k) % (4 * n))) / (2 * n));
  return { rows: n, columns: n, entries };
}

/**
 * Coefficients of the orthonormal cosine transform of each channel.
 * @example Math.round(cosineOperator([4]).apply(Float64Array.of(1, 1, 1, 1))[0]) // 2
 */
export function cosineOperator(shape: readonly number[]): LinearMap {
  const { channels, rows, columns } = pictureOf(shape);
  return sidesMap(cosineMatrix(rows), cosineMatrix(columns), channels);
}

const randomPlaces = (count: number, of: number, random: Random): number[] =>
  Array.from(random.permutation(of).subarray(0, count)).sort((a, b) => a - b);

/**
 * So many of the places, without repetition: a place of frequency f is drawn with a weight of (1 + f)^-decay. Pictures have
 * most of their energy at low frequencies; with decay 0 all are alike.
 */
function drawnByFrequency(
  count: number,
  places: readonly number[],
  frequency: (place: number) => number,
  decay: number,
  random: Random,
): number[] {
  if (!(decay >= 0 && decay <= 20)) throw new InverseError(`decay is a number from 0 to 20, not ${decay}`);
  // Exponential clocks whose rates are the weights: the first to ring are a draw without repetition.
  const clocks = places.map(
    (k) => [-Math.log(1 - random.uniform()) * (1 + frequency(k)) ** decay, k] as const,
  );
  return clocks
    .sort(([a], [b]) => a - b)
    .slice(0, count)
    .map(([, k]) => k);
}

/** How low frequencies are preferred, where nothing else is said. */
const usualDecay = 2;

/**
 * m coefficients of the cosine transform: the means of the channels and others at random, rather low ones.
 * @example cosineSamples(3, [4, 4], createRandom(1)).outputs // 3
 */
export function cosineSamples(
  m: number,
  shape: readonly number[],
  random: Random,
  decay = usualDecay,
): LinearMap {
  const { channels, rows, columns, size } = pictureOf(shape);
  requireCount(m, size, "coefficients");
  const pixels = rows * columns;
  const means = Array.from({ length: Math.min(m, channels) }, (_, c) => c * pixels);
  const others = Array.from({ length: size }, (_, k) => k).filter((k) => k % pixels !== 0);
  const frequency = (k: number): number => Math.hypot(Math.floor((k % pixels) / columns), k % columns);
  const drawn = drawnByFrequency(m - means.length, others, frequency, decay, random);
  return successionMap(
    cosineOperator(shape),
    selectionMap(
      size,
      [...means, ...drawn].sort((p, q) => p - q),
    ),
  );
}

/** cos and sin of 2 pi j k / n over sqrt n. */
function wave(n: number, of: (angle: number) => number): Matrix {
  const entries = new Float64Array(n * n);
  for (let k = 0; k < n; k++)
    for (let j = 0; j < n; j++) entries[k * n + j] = of((2 * Math.PI * ((j * k) % n)) / n) / Math.sqrt(n);
  return { rows: n, columns: n, entries };
}

/**
 * Real and imaginary parts of the unitary Fourier transform at so many frequencies, 0 among them; of a frequency and its
 * negative, which say the same of a real signal, one.
 * @example fourierSamples(3, [8, 8], createRandom(1)).outputs // 6
 */
export function fourierSamples(
  count: number,
  shape: readonly number[],
  random: Random,
  decay = usualDecay,
): LinearMap {
  const { channels, rows, columns, size } = pictureOf(shape);
  const pixels = rows * columns;
  const half = Array.from({ length: pixels }, (_, k) => k).filter((k) => {
    const [u, v] = [Math.floor(k / columns), k % columns];
    return k <= ((rows - u) % rows) * columns + ((columns - v) % columns);
  });
  requireCount(count, half.length, "frequencies");
  const frequency = (k: number): number => {
    const [u, v] = [Math.floor(k / columns), k % columns];
    return Math.hypot(Math.min(u, rows - u), Math.min(v, columns - v));
  };
  const others = half.filter((k) => k !== 0);
  const chosen = [0, ...drawnByFrequency(count - 1, others, frequency, decay, random)].sort((a, b) => a - b);
  const sides = (a: (t: number) => number, b: (t: number) => number): LinearMap =>
    sidesMap(wave(rows, a), wave(columns, b), channels);
  const { cos, sin } = Math;
  const places = Array.from({ length: channels }, (_, c) => chosen.map((k) => c * pixels + k)).flat();
  const sample = (map: LinearMap): LinearMap => successionMap(map, selectionMap(size, places));
  // exp(-i (a + b)) = cos a cos b - sin a sin b - i (sin a cos b + cos a sin b)
  const real = sumMap([1, sides(cos, cos)], [-1, sides(sin, sin)]);
  const imaginary = sumMap([-1, sides(sin, cos)], [-1, sides(cos, sin)]);
  return stackedMap(sample(real), sample(imaginary));
}

/**
 * The entries that a mask shows.
 * @example maskOperator([1, 0, 1]).apply(Float64Array.of(5, 6, 7)) // Float64Array [5, 7]
 */
export function maskOperator(mask: ArrayLike<number>): LinearMap {
  const places = Array.from(mask, (v, k) => (v === 0 ? -1 : k)).filter((k) => k >= 0);
  if (places.length === 0) throw new InverseError("the mask shows nothing");
  return selectionMap(mask.length, places);
}

/**
 * A share of the pixels, at random; a pixel is seen in all channels or in none.
 * @example randomPixels(0.5, [4, 4], createRandom(1)).outputs // 8
 */
export function randomPixels(share: number, shape: readonly number[], random: Random): LinearMap {
  if (!(share > 0 && share <= 1))
    throw new InverseError(`a share of pixels is above 0 and at most 1, not ${share}`);
  const { channels, rows, columns, size } = pictureOf(shape);
  const pixels = rows * columns;
  const seen = randomPlaces(Math.max(1, Math.round(share * pixels)), pixels, random);
  return selectionMap(
    size,
    Array.from({ length: channels }, (_, c) => seen.map((k) => c * pixels + k)).flat(),
  );
}

/**
 * All pixels but those of a rectangle, in rows [top, bottom) and columns [left, right).
 * @example hiddenBox([1, 3, 1, 3], [4, 4]).outputs // 12
 */
export function hiddenBox(box: readonly number[], shape: readonly number[]): LinearMap {
  const { channels, rows, columns } = pictureOf(shape);
  const [top, bottom, left, right] = box as [number, number, number, number];
  if (!(0 <= top && top < bottom && bottom <= rows && 0 <= left && left < right && right <= columns))
    throw new InverseError(
      `rows ${top} to ${bottom} and columns ${left} to ${right} of ${rows} x ${columns}`,
    );
  const hidden = (k: number): boolean => {
    const [i, j] = [Math.floor(k / columns) % rows, k % columns];
    return i >= top && i < bottom && j >= left && j < right;
  };
  return maskOperator(Array.from({ length: channels * rows * columns }, (_, k) => Number(!hidden(k))));
}

/** Row i: a Gaussian about i, its weights 1 in sum, mirrored at the ends. */
function gaussianRows(n: number, sigma: number): Matrix {
  const reach = Math.min(Math.ceil(4 * sigma), 4 * n);
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, k) =>
    Math.exp(-((k - reach) ** 2) / (2 * sigma ** 2)),
  );
  const total = kernel.reduce((a, b) => a + b, 0);
  const entries = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (const [k, v] of kernel.entries()) {
      // Mirrored without doubling the ends' own pixel: ... 1 0 | 0 1 2 ... n-1 | n-1 n-2 ...
      const folded = (((i + k - reach) % (2 * n)) + 2 * n) % (2 * n);
      entries[i * n + (folded < n ? folded : 2 * n - 1 - folded)]! += v / total;
    }
  return { rows: n, columns: n, entries };
}

/**
 * A Gaussian blur; beyond the edges the picture is mirrored, so that a constant stays.
 * @example blurOperator(1, [4]).apply(Float64Array.of(1, 1, 1, 1)).map((v) => Math.round(v)) // Float64Array [1, 1, 1, 1]
 */
export function blurOperator(sigma: number, shape: readonly number[]): LinearMap {
  if (!(sigma > 0 && sigma < 1e4)) throw new InverseError(`the width of a blur is positive, not ${sigma}`);
  const { channels, rows, columns } = pictureOf(shape);
  return sidesMap(
    rows === 1 ? gaussianRows(1, sigma) : gaussianRows(rows, sigma),
    gaussianRows(columns, sigma),
    channels,
  );
}

const blocks = (n: number, factor: number): Matrix => {
  const entries = new Float64Array((n / factor) * n);
  for (let j = 0; j < n; j++) entries[Math.floor(j / factor) * n + j] = 1 / factor;
  return { rows: n / factor, columns: n, entries };
};

/**
 * The means of blocks of factor x factor pixels: what super-resolution undoes.
 * @example downsampling(2, [4]).apply(Float64Array.of(1, 3, 5, 7)) // Float64Array [2, 6]
 */
export function downsampling(factor: number, shape: readonly number[]): LinearMap {
  const { channels, rows, columns } = pictureOf(shape);
  const down = rows === 1 ? 1 : factor;
  if (!(Number.isInteger(factor) && factor >= 1 && rows % down === 0 && columns % factor === 0))
    throw new InverseError(`${rows} x ${columns} pixels are no whole number of blocks of ${factor}`);
  return sidesMap(blocks(rows, down), blocks(columns, factor), channels);
}

/**
 * Sums along straight lines (the Radon transform) at evenly spaced angles: line s of an angle adds up, over the pixels, the
 * share of each that lies between s - 1/2 and s + 1/2 across the angle, as if its mass sat in a tent two pixels wide.
 * @example radonOperator(3, [4, 4]).outputs // 18
 */
export function radonOperator(angles: number, shape: readonly number[]): LinearMap {
  const { channels, rows, columns } = pictureOf(shape);
  if (channels > 1) throw new InverseError("projections are of pictures with one channel");
  requireCount(angles, 1000, "angles");
  const lines = 2 * Math.ceil(Math.hypot(rows, columns) / 2);
  const [m, n] = [angles * lines, rows * columns];
  if (m * n > 2 ** 27) throw new InverseError(`${angles} angles of ${rows} x ${columns} pixels are too many`);
  const entries = new Float64Array(m * n);
  for (let a = 0; a < angles; a++) {
    const [c, s] = [Math.cos((Math.PI * a) / angles), Math.sin((Math.PI * a) / angles)];
    for (let k = 0; k < n; k++) {
      const [y, x] = [Math.floor(k / columns) - (rows - 1) / 2, (k % columns) - (columns - 1) / 2];
      const place = x * c + y * s + (lines - 1) / 2;
      const line = Math.floor(place);
      const share = place - line;
      if (line >= 0 && line < lines) entries[(a * lines + line) * n + k]! += 1 - share;
      if (line + 1 >= 0 && line + 1 < lines) entries[(a * lines + line + 1) * n + k]! += share;
    }
  }
  return denseMap({ rows: m, columns: n, entries });
}
