// One representative for all networks that symmetries make of one another.
import type { Graph } from "../../graph/graph.ts";
import { withParameters } from "../apply.ts";
import { type SymmetryGroup, symmetryGroup } from "../group.ts";
import { normalForm } from "../normal/normal-form.ts";
import { fingerprints } from "./fingerprint.ts";
import { settle } from "./settle.ts";

export interface CanonicalForm {
  /** The same function (to rounding), with weights that symmetries do not change. */
  readonly graph: Graph;
  readonly group: SymmetryGroup;
  /**
   * Equal for networks that permutations, signs and scales make of one another, also where exporters write them
   * differently, as far as `normalForm` knows their ways; unless rounding crosses a border (rare). Networks with weights
   * closer than about 1e-3 may share it. Use `compare` for a verdict.
   */
  readonly fingerprint: string;
  /** Equal if only permutations, signs and powers of two, which do not round, lie between two networks. */
  readonly exactFingerprint: string;
  /** False if some freedom is left that nothing fixed (dependent linear units, for instance). */
  readonly isComplete: boolean;
}

function settled(source: Graph) {
  const group = symmetryGroup(source);
  const { parameters, open } = settle(group);
  return { group, graph: withParameters(group, parameters), isComplete: open.length === 0 };
}

const cache = new WeakMap<Graph, ReturnType<typeof settled>>();

/** The canonical form of the normal form: what fingerprints are taken of. */
export function canonicalNormalForm(source: Graph): ReturnType<typeof settled> {
  const known = cache.get(source) ?? settled(normalForm(source));
  cache.set(source, known);
  return known;
}

/**
 * The canonical form: incoming weights of norm 1, fixed signs, units in the order of fixed sums of their weights.
 * @example canonicalForm(net).fingerprint // 16 hexadecimal digits
 */
export function canonicalForm(source: Graph): CanonicalForm {
  const { group, graph, isComplete } = settled(source);
  const { coarse, exact } = fingerprints(canonicalNormalForm(source).graph);
  return { graph, group, fingerprint: coarse, exactFingerprint: exact, isComplete };
}
