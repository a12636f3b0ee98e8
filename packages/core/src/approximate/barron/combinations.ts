// Sums of known functions: finitely many waves, and mixtures of shifted bumps. Barron's constant is subadditive.

import { dot } from "../../linear-algebra/dot.ts";
import { drawFrom } from "./draw-index.ts";
import { BarronError } from "./error.ts";
import { barronFamilies } from "./families.ts";
import {
  euclideanLength,
  type MomentOrder,
  type SpectralFunction,
  type WeightedWave,
} from "./spectral-function.ts";

const orders = [0, 1, 2] as const;

/**
 * sum_k weight_k cos(<omega_k, x> + phase_k); weights of any sign, frequencies different. C = sum |weight_k| |omega_k|.
 * @example waveSum([{ weight: 2, omega: Float64Array.of(3, 4), phase: 0 }]).moment(1) // 10
 */
export function waveSum(waves: readonly WeightedWave[], formula = "Σ aₖ cos(⟨ωₖ,x⟩ + θₖ)"): SpectralFunction {
  if (waves.length === 0) throw new BarronError("a sum of waves needs a wave");
  const atoms = waves.map(({ weight, omega, phase }) => ({
    weight: Math.abs(weight),
    omega,
    phase: weight < 0 ? phase + Math.PI : phase,
  }));
  const d = atoms[0]!.omega.length;
  const uneven = atoms.find(({ omega }) => omega.length !== d);
  if (uneven) throw new BarronError(`frequencies of ${d} and of ${uneven.omega.length} variables in one sum`);
  const shares = orders.map((order) => atoms.map((a) => a.weight * euclideanLength(a.omega) ** order));
  const draws = orders.map((order) => drawFrom(shares[order]!));
  const slope = new Float64Array(d);
  for (const { weight, omega, phase } of atoms)
    for (let i = 0; i < d; i++) slope[i]! -= weight * Math.sin(phase) * omega[i]!;
  return {
    dimension: d,
    formula,
    value: (x) =>
      atoms.reduce((sum, { weight, omega, phase }) => sum + weight * Math.cos(dot(omega, x) + phase), 0),
    slope,
    moment: (order) => shares[order]!.reduce((sum, share) => sum + share, 0),
    draw: (order, random) => atoms[draws[order]!(random)]!,
    tight: true,
    atoms,
    bandwidth: atoms.reduce((most, { omega }) => Math.max(most, euclideanLength(omega)), 0),
  };
}

/** height exp(-|x - centre|^2 / 2 width^2). */
export interface Bump {
  readonly height: number;
  readonly centre: readonly number[];
  readonly width: number;
}

/**
 * A sum of bumps. Each is a Gaussian with the phase -<omega, centre>; the constants add up to an upper bound, which
 * interference of the phases may undercut.
 */
export function bumpSum(bumps: readonly Bump[]): SpectralFunction {
  const first = bumps[0];
  if (!first) throw new BarronError("a sum of bumps needs a bump");
  const d = first.centre.length;
  const parts = bumps.map((bump) => ({ ...bump, gaussian: barronFamilies.gaussian(d, bump.width) }));
  const shares = (order: MomentOrder) =>
    parts.map(({ height, gaussian }) => Math.abs(height) * gaussian.moment(order));
  const draws = orders.map((order) => drawFrom(shares(order)));
  const from = (x: ArrayLike<number>, centre: readonly number[]) => Array.from(x, (v, i) => v - centre[i]!);
  const slope = Float64Array.from({ length: d }, (_, i) =>
    parts.reduce((sum, { height, centre, width, gaussian }) => {
      return sum + (height * gaussian.value(centre) * centre[i]!) / width ** 2;
    }, 0),
  );
  return {
    dimension: d,
    formula: "Σ aⱼ exp(-|x-mⱼ|²/2sⱼ²)",
    value: (x) => parts.reduce((sum, p) => sum + p.height * p.gaussian.value(from(x, p.centre)), 0),
    slope,
    moment: (order) => shares(order).reduce((sum, share) => sum + share, 0),
    draw(order, random) {
      const { height, centre, gaussian } = parts[draws[order]!(random)]!;
      const { omega } = gaussian.draw(order, random);
      return { omega, phase: (height < 0 ? Math.PI : 0) - dot(omega, centre) };
    },
    tight: bumps.length === 1,
    transform(omega) {
      let [re, im] = [0, 0];
      for (const { height, centre, gaussian } of parts) {
        const size = height * gaussian.transform!(omega)[0];
        re += size * Math.cos(dot(omega, centre));
        im -= size * Math.sin(dot(omega, centre));
      }
      return [re, im];
    },
    bandwidth: Math.max(...parts.map(({ gaussian }) => gaussian.bandwidth)),
  };
}
