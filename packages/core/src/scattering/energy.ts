// Where the energy of a signal goes: |x|^2 = sum over |p| < m of |S[p] x|^2 + sum over |p| = m of |U[p] x|^2 for a unitary
// bank and all paths; at most that for a bank with upper frame bound 1.
import type { FilterBank } from "./filter-bank.ts";
import { type PropagateOptions, propagate } from "./propagate.ts";

export interface EnergyLedger {
  /** |x|^2 */
  readonly input: number;
  /** The sum of |S[p] x|^2 over the paths of each order. */
  readonly averaged: readonly number[];
  /** R(m): the sum of |U[p] x|^2 over the paths of order m, what goes on from there. */
  readonly propagated: readonly number[];
  /** |x|^2 - sum_{n < m} averaged[n] - propagated[m] for each m: rounding, for a unitary bank and all paths. */
  readonly missing: readonly number[];
  /** sum over m of |U[order m] x|, the norm in the deformation bound. */
  readonly depthNorm: number;
}

/**
 * The energies of each order up to one.
 * @example energyLedger([1, 2, 0, 0, 3, 0, 1, 1], battleLemarieBank({ length: 8, scale: 2 })).input // 16
 */
export function energyLedger(
  x: ArrayLike<number>,
  bank: FilterBank,
  options: PropagateOptions = {},
): EnergyLedger {
  const orders = (options.order ?? 2) + 1;
  const [averaged, propagated] = [new Float64Array(orders), new Float64Array(orders)];
  for (const path of propagate(x, bank, options)) {
    averaged[path.wavelets.length]! += energy(path.averaged);
    propagated[path.wavelets.length]! += energy(path.propagated);
  }
  const input = propagated[0]!;
  let spent = 0;
  const missing = Array.from(propagated, (rest, m) => {
    const left = input - spent - rest;
    spent += averaged[m]!;
    return left;
  });
  return {
    ...{ input, averaged: [...averaged], propagated: [...propagated], missing },
    depthNorm: propagated.reduce((sum, rest) => sum + Math.sqrt(rest), 0),
  };
}

/**
 * |x|^2
 * @example energy([3, 4]) // 25
 */
export function energy(values: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k]! ** 2;
  return sum;
}
