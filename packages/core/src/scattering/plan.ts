// What a scattering transform computes: its grid, its filter banks, its paths.
import { battleLemarieBank } from "./battle-lemarie.ts";
import { ScatteringError } from "./error.ts";
import type { FilterBank } from "./filter-bank.ts";
import { type Geometry, geometry, type Padding } from "./geometry.ts";
import { morletBank1d } from "./morlet-1d.ts";
import { morletBank2d } from "./morlet-2d.ts";
import { type Path, paths } from "./paths.ts";
import { polarBank } from "./polar.ts";

export interface ScatteringOptions {
  /** Of one signal: [samples], or [rows, columns]. */
  readonly shape: readonly number[];
  /** J: averages, unless said otherwise, are 2^J samples wide. */
  readonly scale: number;
  /** Q: wavelets an octave of the first order, in one dimension (the second order has one); default: 1. */
  readonly quality?: number;
  /** L: angles in half a turn, in two dimensions; default: 8. */
  readonly angles?: number;
  /** How many times a modulus is taken: 0, 1 or 2 (the default). */
  readonly order?: number;
  /** T: over how many samples the averages go; default: 2^J. */
  readonly average?: number;
  /** Outputs 2^oversampling times finer; default: 0. */
  readonly oversampling?: number;
  /** "morlet" (the default), or the unitary bank: "spline" (Battle-Lemarie, or polar in two dimensions). */
  readonly bank?: "morlet" | "spline";
  /** "reflect" (the default), or "none": the signal is periodic. */
  readonly padding?: Padding;
}

export interface ScatteringPlan {
  readonly geometry: Geometry;
  readonly order: number;
  /** T. */
  readonly average: number;
  readonly oversampling: number;
  /** One an order. */
  readonly banks: readonly FilterBank[];
  readonly paths: readonly Path[];
}

/**
 * Grid, banks and paths of a transform.
 * @example scatteringPlan({ shape: [32, 32], scale: 3 }).paths.length // 217
 */
export function scatteringPlan(options: ScatteringOptions): ScatteringPlan {
  const { scale, order = 2, oversampling = 0, average = 2 ** scale } = options;
  if (![0, 1, 2].includes(order)) throw new ScatteringError(`the order is 0, 1 or 2, not ${order}`);
  const place = geometry(options);
  const banks = filterBanks(options, place.grid, average, order);
  return { geometry: place, order, average, oversampling, banks, paths: paths(banks, order) };
}

function filterBanks(
  { shape, scale, quality, angles, bank = "morlet" }: ScatteringOptions,
  grid: readonly number[],
  average: number,
  order: number,
): readonly FilterBank[] {
  if (bank === "spline" && average !== 2 ** scale)
    throw new ScatteringError("the low-pass filter of a spline bank is at 2^J: leave the average out");
  if (shape.length === 2) {
    if (quality !== undefined) throw new ScatteringError("pictures have angles, not a quality");
    const plane = {
      shape: grid as readonly [number, number],
      scale,
      ...(angles === undefined ? {} : { angles }),
    };
    const only = bank === "spline" ? polarBank(plane) : morletBank2d({ ...plane, average });
    return Array.from({ length: Math.max(1, order) }, () => only);
  }
  if (angles !== undefined) throw new ScatteringError("signals of one variable have a quality, not angles");
  const line = { length: grid[0]!, scale };
  if (bank === "spline") {
    if (quality !== undefined && quality !== 1)
      throw new ScatteringError("spline banks have one wavelet an octave: leave the quality out");
    const only = battleLemarieBank(line);
    return Array.from({ length: Math.max(1, order) }, () => only);
  }
  const first = morletBank1d({ ...line, average, ...(quality === undefined ? {} : { quality }) });
  if (order < 2) return [first];
  return [first, quality === undefined || quality === 1 ? first : morletBank1d({ ...line, average })];
}
