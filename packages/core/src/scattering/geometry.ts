// Where a signal lies on its periodic grid: what is padded, which samples of the output are kept.
import { ScatteringError } from "./error.ts";
import { inverseFourier } from "./fourier.ts";
import { gaussian } from "./morlet-1d.ts";

/** "reflect" continues the signal by its mirror image, as Kymatio does; "none" takes it as periodic. */
export type Padding = "reflect" | "none";

export interface Geometry {
  readonly shape: readonly number[];
  readonly padding: Padding;
  /** The periodic grid that the filters live on. */
  readonly grid: readonly number[];
  /** Samples in front of the signal, an axis each. */
  readonly before: readonly number[];
  /** Outputs keep every 2^stride-th sample of the grid. */
  readonly stride: number;
  /** The first sample of the output, and how many there are, an axis each. */
  readonly first: readonly number[];
  readonly output: readonly number[];
}

export interface GeometryOptions {
  readonly shape: readonly number[];
  readonly scale: number;
  readonly average?: number;
  readonly padding?: Padding;
  /** Outputs 2^oversampling times finer than T; default: 0. */
  readonly oversampling?: number;
}

/**
 * The grid of a transform, by the rules of Kymatio.
 * @example geometry({ shape: [32, 32], scale: 3 }).grid // [48, 48]
 */
export function geometry(options: GeometryOptions): Geometry {
  const { shape, scale, average = 2 ** scale, padding = "reflect", oversampling = 0 } = options;
  checkOptions(options, average);
  const grid = padding === "none" ? shape : paddedGrid(shape, scale, average);
  const before = shape.map((n, axis) => Math.floor((grid[axis]! - n) / 2));
  const wanted = Math.max(0, Math.floor(Math.log2(average)) - oversampling);
  const stride = Math.min(wanted, ...grid.map(twos));
  const first = before.map((b) => Math.ceil(b / 2 ** stride));
  const output = shape.map((n, axis) =>
    shape.length === 1
      ? Math.ceil((before[axis]! + n) / 2 ** stride) - first[axis]!
      : Math.floor(n / 2 ** stride),
  );
  return { shape, padding, grid, before, stride, first, output };
}

function checkOptions({ shape, scale, padding, oversampling = 0 }: GeometryOptions, average: number): void {
  if (shape.length !== 1 && shape.length !== 2)
    throw new ScatteringError(`signals have one or two axes here, not ${shape.length}`);
  if (!(Number.isInteger(oversampling) && oversampling >= 0))
    throw new ScatteringError(`oversampling is a whole number of octaves, not ${oversampling}`);
  const least = Math.min(...shape);
  if (!(Number.isFinite(average) && average >= 1))
    throw new ScatteringError(`the average is over at least one sample, not ${average}`);
  if (average > least)
    throw new ScatteringError(`an average over ${average} samples does not fit a signal of ${least}`);
  if (shape.length === 2 && padding !== "none" && 2 ** scale > least)
    throw new ScatteringError(`the scale 2^${scale} does not fit a picture of ${shape.join(" x ")}`);
}

/** How often 2 divides n. */
function twos(n: number): number {
  let [count, rest] = [0, n];
  for (; rest % 2 === 0 && rest > 0; count++) rest /= 2;
  return count;
}

function paddedGrid(shape: readonly number[], scale: number, average: number): readonly number[] {
  if (shape.length === 2)
    return shape.map((n) => (Math.floor((n + 2 ** scale) / 2 ** scale) + 1) * 2 ** scale);
  const [n] = shape as readonly [number];
  if (n < 2) throw new ScatteringError(`a signal of ${n} sample has nothing to reflect`);
  const wanted = Math.ceil(Math.log2(n + 2 * 3 * lowPassSupport(n, average)));
  // A mirror image is at most n - 1 samples long.
  const most = Math.floor(Math.log2(3 * n - 2));
  return [2 ** Math.min(wanted, most)];
}

/** Outside of it the low-pass filter has less than a thousandth of its weight on either side, or half of the grid. */
function lowPassSupport(n: number, average: number): number {
  const { re } = gaussian(n, 0.1 / average);
  const time = inverseFourier({ re, im: new Float64Array(n) }).re;
  const half = Math.floor(n / 2);
  let [tail, support] = [0, half];
  for (let t = half - 1; t >= 0; t--) {
    tail += Math.abs(time[t]!);
    if (tail > 1e-3) break;
    support = t + 1;
  }
  return support;
}

/**
 * Which sample of the signal each point of an axis of the grid shows: mirror images, without their edge.
 * @example sources(3, 7, 2, "reflect") // [2, 1, 0, 1, 2, 1, 0]
 */
export function sources(n: number, grid: number, before: number, padding: Padding): readonly number[] {
  const period = Math.max(1, 2 * n - 2);
  return Array.from({ length: grid }, (_, k) => {
    const at = k - before;
    if (padding === "none") return at;
    const folded = ((at % period) + period) % period;
    return folded < n ? folded : period - folded;
  });
}
