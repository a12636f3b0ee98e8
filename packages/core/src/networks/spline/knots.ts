// Where to put the knots of a spline: fixed (uniform), or free (dense where the function bends).
import { ConstructError } from "../../functions/error.ts";
import { integral } from "./quadrature.ts";
import { cuts, type Segment, type Target } from "./target.ts";

function requirePieces(pieces: number): void {
  if (!Number.isSafeInteger(pieces) || pieces < 1)
    throw new ConstructError(`a spline has a whole number of pieces, at least 1, not ${pieces}`);
}

/**
 * a + j (b - a) / n for j = 0..n.
 * @example uniformKnots([0, 1], 4) // [0, 0.25, 0.5, 0.75, 1]
 */
export function uniformKnots([from, to]: Segment, pieces: number): readonly number[] {
  requirePieces(pieces);
  return Array.from({ length: pieces + 1 }, (_, j) => (from * (pieces - j) + to * j) / pieces);
}

/** A part between inflections, x = from + (to - from) s(u) with s(u) = 3u² - 2u³: it takes the root out of its ends. */
interface Part {
  readonly x: (u: number) => number;
  readonly density: (u: number) => number;
  /** The integral up to each of the panels' ends. */
  readonly sums: readonly number[];
}

const panels = 16;

/** Integrates sqrt|f''| up to a point, and finds the point where that integral has a given value. */
export interface RootCurvature {
  /** The integral over the whole segment. */
  readonly total: number;
  /** The x with integral `share` * total between the segment's start and x. */
  at(share: number): number;
}

/**
 * The integral of sqrt|f''|, by Gauss quadrature between inflections.
 * @example rootCurvature(targets.cube, [0, 1]).at(0.125) // 0.25
 */
export function rootCurvature(f: Target, on: Segment): RootCurvature {
  const ends = cuts(
    on,
    [...f.inflections, ...f.bends].sort((a, b) => a - b),
  );
  let total = 0;
  const parts = ends.slice(1).map((to, k): Part => {
    const [from, length] = [ends[k]!, to - ends[k]!];
    const x = (u: number): number => (u >= 1 ? to : from + length * u * u * (3 - 2 * u));
    const density = (u: number): number => Math.sqrt(Math.abs(f.second(x(u)))) * length * 6 * u * (1 - u);
    const sums = [total];
    for (let p = 0; p < panels; p++) {
      total += integral(density, p / panels, (p + 1) / panels);
      sums.push(total);
    }
    return { x, density, sums };
  });
  return { total, at: (share) => locate(parts, Math.min(1, Math.max(0, share)) * total) };
}

/** Newton's method for the integral, with bisection where it would leave the panel. */
function locate(parts: readonly Part[], sum: number): number {
  const { x, density, sums } = parts.find((part) => part.sums.at(-1)! >= sum) ?? parts.at(-1)!;
  const p = Math.max(0, Math.min(panels - 1, sums.findIndex((s) => s >= sum) - 1));
  const start = p / panels;
  let [low, high, u] = [start, start + 1 / panels, start + 0.5 / panels];
  for (let step = 0; step < 60; step++) {
    const gap = sums[p]! + integral(density, start, u) - sum;
    if (gap < 0) low = u;
    else high = u;
    const newton = u - gap / density(u);
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - u) < 1e-16) break;
    u = next;
  }
  return x(u);
}

/**
 * Knots between which the integral of sqrt|f''| is the same: n pieces have sup error about (1/8) (that of all / n)^2.
 * @example freeKnots(targets.square, [0, 1], 4) // about [0, 0.25, 0.5, 0.75, 1]
 */
export function freeKnots(f: Target, on: Segment, pieces: number): readonly number[] {
  requirePieces(pieces);
  const curvature = rootCurvature(f, on);
  const inner = Array.from({ length: pieces - 1 }, (_, j) => curvature.at((j + 1) / pieces));
  const knots = [on[0], ...inner, on[1]];
  // Where f is affine any knots will do; they only have to increase.
  return curvature.total > 0 && knots.every((x, j) => j === 0 || x > knots[j - 1]!)
    ? knots
    : uniformKnots(on, pieces);
}
