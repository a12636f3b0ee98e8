// Ranges of units by interval arithmetic, which is exact where no sum or product is rounded.

import type { SparseMatrix } from "../../graph/sparse.ts";
import { addDown, addUp, mulDown, mulUp } from "../../numbers/rounding.ts";
import { eachEntry } from "./sparse-parts.ts";
import type { UnitChain } from "./unit-chain.ts";

interface UnitRange {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** What layer l reads, on the box. */
export function readRange({ layers, box }: UnitChain, l: number): UnitRange {
  if (l === 0) return box!;
  const { lower, upper } = layers[l - 1]!;
  return { lower: lower.map((v) => Math.max(0, v)), upper: upper.map((v) => Math.max(0, v)) };
}

/** Bounds of M x + m for x in a range, rounded outward. */
export function imageRange(matrix: SparseMatrix, m: Float64Array, range: UnitRange): UnitRange {
  const [lower, upper] = [m.slice(), m.slice()];
  eachEntry(matrix, (r, c, w) => {
    const [low, high] = w > 0 ? [range.lower[c]!, range.upper[c]!] : [range.upper[c]!, range.lower[c]!];
    lower[r] = addDown(lower[r]!, mulDown(w, low));
    upper[r] = addUp(upper[r]!, mulUp(w, high));
  });
  return { lower, upper };
}
