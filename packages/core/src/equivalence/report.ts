// What there is to say about the symmetries of a network, as plain data.
import type { SymmetryGroup } from "./group.ts";

export interface SymmetryReport {
  /** log10 of the number of permutations. */
  readonly log10Permutations: number;
  /** Signs that can be chosen. */
  readonly signs: number;
  /** Dimension of the continuous part. */
  readonly dimension: number;
  /** Classes of units that go together, in the order of the weights. */
  readonly classes: readonly {
    readonly units: number;
    /** As many independent copies of the symmetry, one for each head or group. */
    readonly copies: number;
    readonly permutations: boolean;
    readonly scales: number;
    readonly signs: number;
    readonly matrices: boolean;
    readonly weights: readonly string[];
  }[];
  /** Operators that no rule reads: no symmetry is claimed of what they touch. */
  readonly unread: readonly string[];
}

/** The classes with a symmetry, and how large the group is. */
export function symmetryReport(group: SymmetryGroup): SymmetryReport {
  return {
    log10Permutations: group.logPermutations / Math.LN10,
    signs: group.signs,
    dimension: group.dimension,
    classes: group.classes
      .filter((c) => c.permutes || c.linear || c.rank.magnitude + c.rank.sign > 0)
      .map((c) => ({
        units: c.size,
        copies: c.fibres,
        permutations: c.permutes,
        scales: c.rank.magnitude,
        signs: c.rank.sign,
        matrices: c.linear,
        weights: c.weights,
      })),
    unread: [...new Set(group.unread)],
  };
}
