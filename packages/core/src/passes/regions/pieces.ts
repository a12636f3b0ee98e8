// The regions on a segment as the pieces of a piecewise-linear function.
import type { Regions } from "./regions.ts";

/** On [from, to] output k is values[k] + slopes[k] (u - from). */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly slopes: Float64Array;
  readonly values: Float64Array;
}

/** Slopes that differ by less than this, relative to the steepest, count as one piece. */
const slopeTolerance = 1e-12;

/**
 * The linear pieces along a segment (regions with the same slopes are joined), from left to right.
 * @example segmentPieces(await planeRegions(square(2), boxSlice([0], [1]))).length // 4
 */
export function segmentPieces({ regions }: Pick<Regions, "regions">): readonly Piece[] {
  const steepest = regions.reduce((most, { map }) => Math.max(most, ...map.a.map(Math.abs)), 0);
  const ordered = regions
    .map(({ corners, map }) => {
      const from = Math.min(...corners.map(([u]) => u));
      const to = Math.max(...corners.map(([u]) => u));
      return { from, to, slopes: map.a, values: map.c.map((c, k) => c + map.a[k]! * from) };
    })
    .sort((p, q) => p.from - q.from);
  const pieces: Piece[] = [];
  for (const piece of ordered) {
    const last = pieces.at(-1);
    const same = last?.slopes.every(
      (slope, k) => Math.abs(slope - piece.slopes[k]!) <= slopeTolerance * steepest,
    );
    if (last && same) pieces[pieces.length - 1] = { ...last, to: piece.to };
    else pieces.push(piece);
  }
  return pieces;
}
