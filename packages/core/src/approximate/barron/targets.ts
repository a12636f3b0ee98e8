// The functions that the lemmata on Barron's theorem share, by name, in d variables and of width s.
import { bumpSum, waveSum } from "./combinations.ts";
import { barronFamilies } from "./families.ts";
import type { SpectralFunction } from "./spectral-function.ts";

const towards = (d: number, k: number, size: number): Float64Array =>
  Float64Array.from({ length: d }, (_, i) => (size * Math.cos(1 + i * (k + 1))) / Math.sqrt(d));

const sharedTargets = {
  gaussian: barronFamilies.gaussian,
  odd: barronFamilies.odd,
  packet: (d, s) => barronFamilies.packet(d, s, 2 / s),
  bumps: (d, s) =>
    bumpSum([
      { height: 1, centre: [...towards(d, 0, 0.5)], width: s },
      { height: -0.7, centre: [...towards(d, 1, 0.6)], width: 1.5 * s },
    ]),
  waves: (d, s) =>
    waveSum([
      { weight: 1, omega: towards(d, 1, 2 / s), phase: 0.3 },
      { weight: -0.5, omega: towards(d, 2, 3 / s), phase: 1 },
      { weight: 0.3, omega: towards(d, 3, 5 / s), phase: -2 },
    ]),
  poisson: barronFamilies.poisson,
  matern: barronFamilies.matern,
} as const satisfies Readonly<Record<string, (d: number, s: number) => SpectralFunction>>;

export type BarronTargetName = keyof typeof sharedTargets;

/**
 * A function by name.
 * @example barronTarget("poisson", 3, 1).moment(1) // 3
 */
export const barronTarget = (name: BarronTargetName, d: number, s: number): SpectralFunction =>
  sharedTargets[name](d, s);
