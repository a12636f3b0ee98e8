// Maurey's sampling: k units drawn from a signed measure stand for all of it. In L2(P) the mean squared error is known
// exactly, for independent draws and for one draw from each of k strata.
import type { Random } from "../../numbers/random.ts";
import { drawFrom } from "./draw-index.ts";
import { BarronError, requireCount } from "./error.ts";
import { meanSquare, type Points, type RidgeSum, type RidgeUnit, unitRows } from "./ridge-sum.ts";
import { type Stratum, strata } from "./strata.ts";

/** |mu|: the sum of the sizes of the weights. */
export const totalMass = ({ units }: RidgeSum): number =>
  units.reduce((sum, u) => sum + Math.abs(u.weight), 0);

function requireMass(sum: RidgeSum): number {
  const mass = totalMass(sum);
  if (!(mass > 0)) throw new BarronError("all weights are 0: there is no measure to draw from");
  return mass;
}

const signed = (unit: RidgeUnit, mass: number): RidgeUnit => ({
  ...unit,
  weight: Math.sign(unit.weight) * mass,
});

/** k independent draws: unit j with probability |w_j| / mass, its new weight sgn(w_j) mass / k. */
export function maureySample(sum: RidgeSum, k: number, random: Random): RidgeSum {
  requireCount("the number of units", k);
  const mass = requireMass(sum);
  const draw = drawFrom(sum.units.map((u) => Math.abs(u.weight)));
  return { ...sum, units: Array.from({ length: k }, () => signed(sum.units[draw(random)]!, mass / k)) };
}

/** Draws one unit from each of k strata, weighted by the mass of the stratum (Makovoz); the strata are made once. */
export function stratifiedSampler(sum: RidgeSum, k: number): (random: Random) => RidgeSum {
  requireMass(sum);
  const cells = strata(sum.units, k).map(({ mass, members }) => ({
    mass,
    members,
    draw: drawFrom(members.map((m) => m.share)),
  }));
  return (random) => ({
    ...sum,
    units: cells.map(({ mass, members, draw }) => signed(sum.units[members[draw(random)]!.unit]!, mass)),
  });
}

/** The squared norms that decide how well draws do: E ||V||^2 and ||E V||^2 for V = +-mass g_j. */
export interface SamplingMoments {
  readonly meanSquareOfDraw: number;
  readonly squareOfMean: number;
}

export function samplingMoments(sum: RidgeSum, points: Points): SamplingMoments {
  return momentsOf(sum.units, unitRows(sum, points));
}

function momentsOf(units: readonly RidgeUnit[], rows: readonly Float64Array[]): SamplingMoments {
  const everything = units.map((u, unit) => ({ unit, share: Math.abs(u.weight) }));
  const mass = everything.reduce((total, { share }) => total + share, 0);
  return stratumMoments(units, rows, { mass, members: everything });
}

function stratumMoments(
  units: readonly RidgeUnit[],
  rows: readonly Float64Array[],
  { mass, members }: Stratum,
): SamplingMoments {
  const mean = new Float64Array(rows[0]!.length);
  let squares = 0;
  for (const { unit, share } of members) {
    const row = rows[unit]!;
    const weight = Math.sign(units[unit]!.weight) * share;
    squares += share * meanSquare(row);
    for (let i = 0; i < mean.length; i++) mean[i]! += weight * row[i]!;
  }
  return { meanSquareOfDraw: mass * squares, squareOfMean: meanSquare(mean) };
}

/**
 * E ||f - mean of k draws||^2 = (E ||V||^2 - ||f||^2) / k in L2(P), exactly; the affine part cancels.
 * `rows` are those of `unitRows`.
 */
export function expectedMaureyError(sum: RidgeSum, rows: readonly Float64Array[], k: number): number {
  const { meanSquareOfDraw, squareOfMean } = momentsOf(sum.units, rows);
  return Math.max(0, meanSquareOfDraw - squareOfMean) / k;
}

/** The same for one draw from each of k strata: the sum of their own variances. */
export function expectedStratifiedError(sum: RidgeSum, rows: readonly Float64Array[], k: number): number {
  return strata(sum.units, k).reduce((total, stratum) => {
    const { meanSquareOfDraw, squareOfMean } = stratumMoments(sum.units, rows, stratum);
    return total + Math.max(0, meanSquareOfDraw - squareOfMean);
  }, 0);
}
