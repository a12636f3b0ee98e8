// What deforming a signal does to its scattering coefficients and to other descriptions, and signals from coefficients.

import { createRandom } from "@lemmata/core/numbers";
import {
  battleLemarieBank,
  deformationSize,
  type FilterBank,
  firstSectors,
  gridFourier,
  polarBank,
  propagate,
  type Scattered,
  type Sector,
  type SynthesisOptions,
  secondSectors,
  statistics,
  synthesize,
} from "@lemmata/core/scattering";
import { deformed, displacement } from "../../scatter/deform.ts";
import type { Settings } from "../../scatter/settings.ts";
import type { Job } from "../protocol.ts";

export interface ScatterInput {
  /** A signal, or a picture row by row. */
  readonly x: Float64Array;
  readonly shape: readonly number[];
  readonly settings: Settings;
}

/** The coefficients of one path: their mean, and along the signal. */
export interface PathValues {
  readonly wavelets: readonly number[];
  readonly mean: number;
  readonly values: Float64Array;
}

export interface ScatterOutput {
  readonly moved: Float64Array;
  /** Of the signal and of the moved one. */
  readonly paths: readonly [readonly PathValues[], readonly PathValues[]];
  /** The disk of frequencies, for a picture: sectors of order 1 and 2. */
  readonly sectors?: readonly [readonly Sector[], readonly Sector[]];
  /** |x - y| / |x| for the samples, the moduli of the Fourier transform, and the coefficients. */
  readonly changes: { readonly samples: number; readonly fourier: number; readonly scattering: number };
  /** K(tau), sup |tau'| and sup |tau| in the theorem. */
  readonly size: number;
  readonly slope: number;
  readonly displacement: number;
  /** Shares of |x|^2 in each order. */
  readonly energies: readonly number[];
}

const bankOf = (shape: readonly number[], scale: number): FilterBank =>
  shape.length === 1
    ? battleLemarieBank({ length: shape[0]!, scale })
    : polarBank({ shape: [shape[0]!, shape[1]!], scale, angles: 6 });

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k]! - b[k]!) ** 2;
  return Math.sqrt(sum);
};
const norm = (a: ArrayLike<number>): number => distance(a, new Float64Array(a.length));

const valuesOf = (all: readonly Scattered[]): readonly PathValues[] =>
  all.map(({ wavelets, averaged }) => ({
    ...{ wavelets, values: averaged },
    mean: averaged.reduce((sum, v) => sum + v, 0) / averaged.length,
  }));

function moduli(shape: readonly number[], x: Float64Array): Float64Array {
  const { re, im } = gridFourier(shape, x);
  return re.map((v, k) => Math.hypot(v, im[k]!));
}

export const scatterSignal: Job<ScatterInput, ScatterOutput> = async ({ x, shape, settings }, { signal }) => {
  const { scale } = settings;
  const bank = bankOf(shape, scale);
  const rows = shape.length === 1 ? 1 : shape[0]!;
  const moved = deformed(x, rows, settings);
  const before = propagate(x, bank);
  signal.throwIfAborted();
  const after = propagate(moved, bank);
  const size = norm(x) || 1;
  const [Fx, Fy] = [moduli(shape, x), moduli(shape, moved)];
  const energies = [0, 0, 0];
  for (const { wavelets, averaged } of before) energies[wavelets.length]! += norm(averaged) ** 2 / size ** 2;
  const found = deformationSize(displacement(shape.at(-1)!, settings), scale);
  return {
    ...{ moved, paths: [valuesOf(before), valuesOf(after)], energies },
    ...(shape.length === 2 && { sectors: [firstSectors(bank), secondSectors(bank)] as const }),
    changes: {
      samples: distance(moved, x) / size,
      fourier: distance(Fx, Fy) / (norm(Fx) || 1),
      scattering:
        Math.hypot(...before.map(({ averaged }, k) => distance(averaged, after[k]!.averaged))) / size,
    },
    ...{ size: found.size, slope: found.gradient, displacement: found.displacement },
  };
};

export interface ResynthesisOutput {
  readonly x: Float64Array;
  readonly before: number;
  readonly after: number;
  readonly constraints: number;
  readonly steps: number;
}

/** What is shown on the way. */
export interface ResynthesisStep {
  readonly x: Float64Array;
}

const steps = 120;

/** A signal with the coefficients of the deformed one, by descent from noise. */
export const resynthesize: Job<ScatterInput, ResynthesisOutput> = async (
  { x, shape, settings },
  { signal, progress, partial },
) => {
  const rows = shape.length === 1 ? 1 : shape[0]!;
  const moved = deformed(x, rows, settings);
  const mean = moved.reduce((sum, v) => sum + v, 0) / moved.length;
  const deviation = Math.sqrt(moved.reduce((sum, v) => sum + (v - mean) ** 2, 0) / moved.length) || 1;
  const options: SynthesisOptions = {
    ...{ shape, scale: settings.scale, bank: "spline", padding: "none", iterations: steps },
    ...{ averages: settings.averages, ...(shape.length === 2 && { angles: 6 }) },
    ...(settings.averages === "local" && { oversampling: 1 }),
  };
  const standard = moved.map((v) => (v - mean) / deviation);
  const back = (z: Float64Array): Float64Array => z.map((v) => mean + deviation * v);
  const wanted = await statistics(standard, options);
  const found = await synthesize(wanted, createRandom("noise of a synthesis").normal(x.length), {
    ...options,
    async onStep(_, step, z) {
      signal.throwIfAborted();
      progress(step / steps, `step ${step}`);
      if (step % 4 === 0) partial({ x: back(z) } satisfies ResynthesisStep);
      // The page's wish to stop is heard between steps.
      await new Promise((resolve) => setTimeout(resolve));
    },
  });
  const { before, after, constraints, values } = found;
  return { x: back(found.x), before, after, constraints, steps: values.length - 1 };
};
