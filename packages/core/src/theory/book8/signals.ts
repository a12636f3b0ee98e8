// Signals and norms that the lemmata of chapter 8 share.
import type { Random } from "../../numbers/random.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { energy } from "../../scattering/energy.ts";
import type { FilterBank } from "../../scattering/filter-bank.ts";
import { haarBank } from "../../scattering/haar.ts";
import { nonExpansive } from "../../scattering/littlewood-paley.ts";
import { morletBank1d } from "../../scattering/morlet-1d.ts";

export const norm = (x: ArrayLike<number>): number => Math.sqrt(energy(x));

export const difference = (x: ArrayLike<number>, y: ArrayLike<number>): Float64Array =>
  Float64Array.from(x, (v, k) => v - y[k]!);

export const distance = (x: ArrayLike<number>, y: ArrayLike<number>): number => norm(difference(x, y));

export const mean = (x: ArrayLike<number>): number => {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k]!;
  return sum / x.length;
};

/** Noise, a step or a few spikes, as it comes: signals on which scattering does different things. */
export function drawnSignal(random: Random, n: number): Float64Array {
  const kind = random.integer(0, 2);
  if (kind === 0) return random.normal(n);
  const at = random.integer(1, n - 1);
  if (kind === 1) return Float64Array.from({ length: n }, (_, u) => (u < at ? 1 : -0.5));
  return Float64Array.from({ length: n }, (_, u) => (u === at || u === 0 ? random.normal() : 0));
}

export const bankNames = ["spline", "haar", "morlet"] as const;

/** A bank of one variable with upper frame bound 1, by name. */
export function bankOf(name: (typeof bankNames)[number], length: number, scale: number): FilterBank {
  if (name === "spline") return battleLemarieBank({ length, scale });
  return name === "haar" ? haarBank({ length, scale }) : nonExpansive(morletBank1d({ length, scale }));
}
