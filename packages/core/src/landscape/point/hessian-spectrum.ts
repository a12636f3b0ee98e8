// The spectrum of a Hessian that is known by its products: both ends, its trace, how many eigenvalues are negative, density.
import { symmetricEigenvalues } from "../../linear-algebra/eigen.ts";
import { lanczosQuadrature, type Quadrature } from "../../linear-algebra/lanczos-quadrature.ts";
import type { Random } from "../../numbers/random.ts";

export interface SpectrumOptions {
  readonly random: Random;
  /** Up to so many weights the whole matrix is computed; default 300. */
  readonly dense?: number;
  /** Random vectors for the density; default 4. */
  readonly probes?: number;
  /** Products for each of them; default 60. */
  readonly steps?: number;
  /** Eigenvalues this near to 0, relative to the largest in size, count as 0. */
  readonly rounding: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number) => void;
}

export interface HessianSpectrum {
  /** Whole: all eigenvalues; estimated: by stochastic Lanczos quadrature. */
  readonly method: "whole" | "estimated";
  readonly min: number;
  readonly max: number;
  /** An eigenvalue lies within this distance of each end. */
  readonly residual: { readonly min: number; readonly max: number };
  readonly trace: number;
  /** Standard error of the trace; 0 for the whole matrix, absent for a single probe, which shows none. */
  readonly traceError?: number;
  /** Below this an eigenvalue counts as negative: -tolerance. */
  readonly tolerance: number;
  /** Eigenvalues below -tolerance: counted, or estimated. */
  readonly negative: number;
  /** So many are below -tolerance for sure, by interlacing. */
  readonly negativeAtLeast: number;
  /** Eigenvalues with the share of the spectrum that each stands for. */
  readonly points: readonly (readonly [number, number])[];
  readonly products: number;
}

/**
 * The spectrum of a symmetric map on so many numbers.
 * @example (await hessianSpectrum(async (v) => v.map((x, k) => (k - 1) * x), 3, { random: createRandom(1), rounding: 1e-12 })).negative // 1
 */
export async function hessianSpectrum(
  product: (v: Float64Array) => Promise<Float64Array>,
  size: number,
  options: SpectrumOptions,
): Promise<HessianSpectrum> {
  const { dense = 300, rounding } = options;
  return size <= dense
    ? wholeSpectrum(product, size, options)
    : estimated(product, size, { ...options, rounding });
}

async function wholeSpectrum(
  product: (v: Float64Array) => Promise<Float64Array>,
  size: number,
  { rounding, signal, onProgress }: SpectrumOptions,
): Promise<HessianSpectrum> {
  const entries = new Float64Array(size * size);
  for (let k = 0; k < size; k++) {
    signal?.throwIfAborted();
    const unit = new Float64Array(size);
    unit[k] = 1;
    entries.set(await product(unit), k * size);
    onProgress?.((k + 1) / size);
  }
  // Rounding makes the two halves differ a little.
  for (let i = 0; i < size; i++)
    for (let j = 0; j < i; j++) {
      const mean = (entries[i * size + j]! + entries[j * size + i]!) / 2;
      entries[i * size + j] = mean;
      entries[j * size + i] = mean;
    }
  const values = (await symmetricEigenvalues({ rows: size, columns: size, entries })).toSorted();
  const [min, max] = [values[0]!, values.at(-1)!];
  const error = rounding * Math.max(Math.abs(min), Math.abs(max));
  const negative = values.filter((v) => v < -error).length;
  return {
    method: "whole",
    ...{ min, max, residual: { min: error, max: error } },
    trace: values.reduce((sum, v) => sum + v, 0),
    traceError: 0,
    ...{ tolerance: error, negative, negativeAtLeast: negative },
    points: [...values].map((v) => [v, 1 / size] as const),
    products: size,
  };
}

async function estimated(
  product: (v: Float64Array) => Promise<Float64Array>,
  size: number,
  { random, probes = 4, steps = 60, rounding, signal, onProgress }: SpectrumOptions,
): Promise<HessianSpectrum> {
  const runs: Quadrature[] = [];
  let products = 0;
  for (let k = 0; k < probes; k++)
    runs.push(
      await lanczosQuadrature(product, random.split(`probe ${k}`).sphere(size), {
        steps,
        ...(signal ? { signal } : {}),
        onStep: () => onProgress?.(++products / (probes * steps)),
      }),
    );
  const least = runs.reduce((best, run) => (run.nodes[0]! < best.nodes[0]! ? run : best));
  const greatest = runs.reduce((best, run) => (run.nodes.at(-1)! > best.nodes.at(-1)! ? run : best));
  const [min, max] = [least.nodes[0]!, greatest.nodes.at(-1)!];
  const tolerance = rounding * Math.max(Math.abs(min), Math.abs(max));
  const over = (f: (value: number) => number): readonly number[] =>
    runs.map((run) => run.nodes.reduce((sum, v, k) => sum + run.weights[k]! * f(v), 0));
  const traces = over((v) => size * v);
  const trace = mean(traces);
  const negativeAtLeast = Math.max(...runs.map((run) => run.nodes.filter((v) => v < -tolerance).length));
  return {
    method: "estimated",
    ...{ min, max, tolerance, trace, products },
    residual: {
      min: Math.max(tolerance, least.residuals[0]!),
      max: Math.max(tolerance, greatest.residuals.at(-1)!),
    },
    ...(probes > 1 && { traceError: Math.sqrt(mean(traces.map((t) => (t - trace) ** 2)) / (probes - 1)) }),
    // No estimate is below what is known.
    negative: Math.max(negativeAtLeast, Math.round(size * mean(over((v) => (v < -tolerance ? 1 : 0))))),
    negativeAtLeast,
    points: runs
      .flatMap((run) => [...run.nodes].map((v, k) => [v, run.weights[k]! / probes] as const))
      .sort((a, b) => a[0] - b[0]),
  };
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/**
 * The density of a spectrum, each point spread as a Gaussian of this part of its width.
 * @example spectralDensity([[0, 1]], 3, 0.1).length // 3
 */
export function spectralDensity(
  points: HessianSpectrum["points"],
  places = 200,
  spread = 0.01,
): readonly (readonly [number, number])[] {
  const [low, high] = [points[0]![0], points.at(-1)![0]];
  const width = spread * (high - low || 1);
  const [from, to] = [low - 4 * width, high + 4 * width];
  return Array.from({ length: places }, (_, k) => {
    const x = from + ((to - from) * k) / (places - 1);
    const sum = points.reduce((s, [v, share]) => s + share * Math.exp(-(((x - v) / width) ** 2) / 2), 0);
    return [x, sum / (width * Math.sqrt(2 * Math.PI))] as const;
  });
}
