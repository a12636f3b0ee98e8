// Paths through the space of weights: polygons and Bézier curves through or towards given points.
import { LandscapeError } from "../error.ts";

/** t in [0, 1] to weights. */
export type WeightPath = (t: number) => Float64Array;

/** What each of the points weighs at t: they sum to 1. */
export type PathBasis = (count: number, t: number) => readonly number[];

/** Hat functions: the path goes through all points at equal times. */
const hats: PathBasis = (count, t) =>
  Array.from({ length: count }, (_, k) => Math.max(0, 1 - Math.abs((count - 1) * t - k)));

/** Bernstein polynomials: the path goes through the ends, towards the others. */
const bernstein: PathBasis = (count, t) => {
  let row = [1];
  for (let degree = 1; degree < count; degree++)
    row = Array.from(
      { length: degree + 1 },
      (_, k) => (1 - t) * (row[k] ?? 0) + (k > 0 ? t * row[k - 1]! : 0),
    );
  return row;
};

export const pathBases = { polygon: hats, bezier: bernstein } as const;
export type PathKind = keyof typeof pathBases;

/**
 * The path of a kind with these points.
 * @example weightPath("bezier", [Float64Array.of(0), Float64Array.of(1), Float64Array.of(0)])(0.5) // Float64Array [0.5]
 */
export function weightPath(kind: PathKind, points: readonly Float64Array[]): WeightPath {
  if (points.length < 2 || points.some((p) => p.length !== points[0]!.length))
    throw new LandscapeError("a path needs two points or more, with as many weights each");
  return (t) => {
    const shares = pathBases[kind](points.length, t);
    const sum = new Float64Array(points[0]!.length);
    points.forEach((point, k) => {
      const share = shares[k]!;
      if (share !== 0) for (let i = 0; i < sum.length; i++) sum[i]! += share * point[i]!;
    });
    return sum;
  };
}
