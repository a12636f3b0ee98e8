// The figure of C3-30: error by number of points, sparse against full grids, and the points of one sparse grid.
import { sparseTail } from "../../approximate/sparse-grid/bound.ts";
import { digitsOf, sparseGrid, sparseGridPoints } from "../../approximate/sparse-grid/grid.ts";
import { sparseInterpolant, sparseValue } from "../../approximate/sparse-grid/interpolant.ts";
import { type MixedTarget, mixedTargets } from "../../approximate/sparse-grid/target.ts";
import type { Figure, Series } from "../../figure/figure.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";

type Point = readonly [number, number];
const dimensions = [2, 4, 6, 10] as const;
const mostPoints = 3000;
const samples = 300;

export function sparseGridFigure(name: keyof typeof mixedTargets, random: Random): Figure {
  const f: MixedTarget = mixedTargets[name];
  return {
    title: `Sparse grids: ${name}`,
    panels: [
      {
        title: "Error by number of points, relative to that of one point",
        x: { label: "points N", scale: "log" },
        y: { label: "sup |f - f_n| at random points", scale: "log" },
        series: dimensions.flatMap((d) => {
          const points = random.split(d).uniform(samples * d);
          return [
            { name: `sparse, d = ${d}`, mark: "line", points: sparseErrors(f, d, points) },
            ...(d < 6 ? [fullGrid(f, d, points)] : []),
          ] satisfies Series[];
        }),
      },
      {
        title: "The proved bound by number of points",
        x: { label: "points N", scale: "log" },
        y: { label: "bound / bound of level 1", scale: "log" },
        series: dimensions.map((d) => ({
          name: `d = ${d}`,
          mark: "line",
          role: "theory",
          points: Array.from(
            { length: 40 },
            (_, n): Point => [
              sparseGridPoints(d, n + 1),
              toNumber(sparseTail(d, n + 1)) / toNumber(sparseTail(d, 1)),
            ],
          ).filter(([N, y]) => N < 1e9 && y > 1e-9),
        })),
      },
      {
        title: "The points of level 6 in the plane",
        x: { label: "x" },
        y: { label: "y" },
        series: [{ name: "321 points", mark: "dots", points: planeGrid(6) }],
      },
    ],
  };
}

function sparseErrors(f: MixedTarget, d: number, points: Float64Array): Point[] {
  const found: Point[] = [];
  for (let level = 1; sparseGridPoints(d, level) <= mostPoints; level++) {
    const interpolant = sparseInterpolant(f, d, level);
    found.push([interpolant.grid.points, greatestError(f, d, points, (x) => sparseValue(interpolant, x))]);
  }
  return relative(found);
}

/** The multilinear interpolant on a full grid of mesh 2^-n. */
function fullGrid(f: MixedTarget, d: number, points: Float64Array): Series {
  const found: Point[] = [];
  for (let level = 1; (2 ** level - 1) ** d <= 30 * mostPoints; level++)
    found.push([(2 ** level - 1) ** d, greatestError(f, d, points, (x) => multilinear(f, 2 ** level, x))]);
  return { name: `full, d = ${d}`, mark: "dots", points: relative(found) };
}

function multilinear(f: MixedTarget, cells: number, x: ArrayLike<number>): number {
  const corner = Array.from(x, (t) => Math.min(cells - 1, Math.floor(t * cells)));
  let total = 0;
  for (let choice = 0; choice < 2 ** corner.length; choice++) {
    const sides = corner.map((_, j) => (choice >> j) & 1);
    const weight = sides.reduce((w, s, j) => {
      const t = x[j]! * cells - corner[j]!;
      return w * (s ? t : 1 - t);
    }, 1);
    total += weight * f.value(sides.map((s, j) => (corner[j]! + s) / cells));
  }
  return total;
}

function greatestError(
  f: MixedTarget,
  d: number,
  points: Float64Array,
  approximation: (x: Float64Array) => number,
): number {
  let most = 0;
  for (let at = 0; at < points.length; at += d) {
    const x = points.subarray(at, at + d);
    most = Math.max(most, Math.abs(approximation(x) - f.value(x)));
  }
  return most;
}

const relative = (found: readonly Point[]): Point[] => found.map(([N, e]) => [N, e / found[0]![1]]);

function planeGrid(level: number): Point[] {
  const { parts } = sparseGrid(2, level);
  return parts.flatMap((part) =>
    Array.from({ length: part.count }, (_, p) => {
      const [x, y] = digitsOf(part, p).map((k, j) => (2 * k + 1) / 2 ** part.levels[j]!);
      return [x!, y!] as const;
    }),
  );
}
