// How much of the parameter space is left when one of all permuted copies of each network is kept.

import { SymmetryError } from "./error.ts";
import type { SymmetryGroup } from "./group.ts";

/** The weights that a group knows of: those with a floating-point type. */
export const parameterCount = ({ graph, weights }: SymmetryGroup): number =>
  [...weights].reduce((sum, [name]) => {
    const { type, dims } = graph.initializers.get(name)!;
    return sum + (/^b?float/.test(type) ? dims.reduce((n, d) => n * d, 1) : 0);
  }, 0);

/**
 * ln of the volume of one fundamental domain of the permutations in the cube [-bound, bound]^S: S ln(2 bound) - ln |group|.
 * @example effectiveLogVolume(symmetryGroup(network([layer([[1], [1]]), layer([[1, 1]])])), 1).toFixed(2) // "4.16"
 */
export function effectiveLogVolume(group: SymmetryGroup, bound: number): number {
  if (!(bound > 0)) throw new SymmetryError(`weights are bounded by a number above 0, not ${bound}`);
  return parameterCount(group) * Math.log(2 * bound) - group.logPermutations;
}
