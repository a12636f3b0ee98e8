// One representative for all networks that symmetries make of one another.
import type { Graph } from "../../graph/graph.ts";
import { withParameters } from "../apply.ts";
import { type SymmetryGroup, symmetryGroup } from "../group.ts";
import { fingerprints } from "./fingerprint.ts";
import { settle } from "./settle.ts";

export interface CanonicalForm {
  /** The same function (to rounding), with weights that symmetries do not change. */
  readonly graph: Graph;
  readonly group: SymmetryGroup;
  /**
   * Equal for networks that permutations, signs and scales make of one another, unless rounding crosses a border (rare);
   * networks with weights closer than about 1e-3 may share it. Use `compare` for a verdict.
   */
  readonly fingerprint: string;
  /** Equal if only permutations, signs and powers of two, which do not round, lie between two networks. */
  readonly exactFingerprint: string;
  /** False if some freedom is left that nothing fixed (dependent linear units, for instance). */
  readonly isComplete: boolean;
}

/**
 * The canonical form: incoming weights of norm 1, fixed signs, units in the order of fixed sums of their weights.
 * @example canonicalForm(net).fingerprint // 16 hexadecimal digits
 */
export function canonicalForm(source: Graph): CanonicalForm {
  const group = symmetryGroup(source);
  const { parameters, open } = settle(group);
  const graph = withParameters(group, parameters);
  const { coarse, exact } = fingerprints(graph);
  return { graph, group, fingerprint: coarse, exactFingerprint: exact, isComplete: open.length === 0 };
}
