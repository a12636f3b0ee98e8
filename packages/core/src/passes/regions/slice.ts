// Which part of the input space is looked at: a convex polygon in a plane, or a segment.

import { GraphError } from "../../graph/error.ts";
import { compare } from "../../numbers/exact/rational.ts";
import { type Plane, scaledInteger, type Triple } from "./exact-forms.ts";
import { area, clip, crossingsOf, type Extent, Line, type Polygon, signsOf, Vertex } from "./polygon.ts";

/** The points origin + u first + v second with (u, v) in a convex polygon; along a segment only u matters. */
export interface Slice {
  readonly plane: Plane;
  readonly domain: Polygon;
  /** How many directions there are: the inputs that vary, or the plane's two. */
  readonly dimension: 1 | 2;
  /** What u and v are: the numbers of the inputs that vary, if it is they. */
  readonly free: readonly number[];
}

/** Bits after the binary point that hold every finite double. */
const allBits = 1074;

function exactTriple(a: number, b: number, ...constants: readonly number[]): Triple {
  const integer = (x: number) => scaledInteger(x, allBits);
  return [integer(a), integer(b), constants.reduce((sum, c) => sum + integer(c), 0n)];
}

/** The line a u + b v + c - d = 0 of the domain's border; the domain is where it is positive. */
function border(a: number, b: number, c: number, d: number, extent: Extent): Line {
  const size = Math.abs(a) * extent.u + Math.abs(b) * extent.v + Math.abs(c) + Math.abs(d);
  return new Line(a, b, c - d, 2 ** -51 * size, -1, -1, () => exactTriple(a, b, c, -d));
}

function rectangle(left: number, right: number, low: number, high: number): Polygon {
  const extent = { u: Math.max(Math.abs(left), Math.abs(right)), v: Math.max(Math.abs(low), Math.abs(high)) };
  const edges = [
    border(0, 1, 0, low, extent),
    border(-1, 0, right, 0, extent),
    border(0, -1, high, 0, extent),
    border(1, 0, 0, left, extent),
  ];
  const corners = [
    [left, low],
    [right, low],
    [right, high],
    [left, high],
  ] as const;
  const vertices = corners.map(([u, v], k) => new Vertex(u, v, 0, edges[(k + 3) % 4]!, edges[k]!));
  return { vertices, edges };
}

const unitVector = (length: number, axis: number): Float64Array =>
  Float64Array.from({ length }, (_, k) => (k === axis ? 1 : 0));

/**
 * The box of inputs in which one or two vary; the others are fixed (their bounds are the same).
 * @example boxSlice([0, -1, 0.5], [1, 1, 0.5]) // u = x0 in [0, 1], v = x1 in [-1, 1], x2 = 0.5
 */
export function boxSlice(lower: ArrayLike<number>, upper: ArrayLike<number>): Slice {
  const free: number[] = [];
  const origin = Float64Array.from(lower);
  for (let k = 0; k < origin.length; k++) {
    const [from, to] = [lower[k]!, upper[k]!];
    if (!Number.isFinite(from) || !Number.isFinite(to) || from > to)
      throw new GraphError(`input ${k} cannot go from ${from} to ${to}`);
    if (from < to) {
      free.push(k);
      origin[k] = 0;
    }
  }
  if (free.length === 0) throw new GraphError("every input is fixed, so there is nothing to divide");
  if (free.length > 2)
    throw new GraphError(
      `${free.length} inputs vary; regions are drawn in a plane: fix all but two, or give a slice`,
    );
  const [i, j] = free as [number, number?];
  return {
    plane: {
      origin,
      first: unitVector(origin.length, i),
      second: j === undefined ? new Float64Array(origin.length) : unitVector(origin.length, j),
    },
    domain: rectangle(lower[i]!, upper[i]!, j === undefined ? 0 : lower[j]!, j === undefined ? 1 : upper[j]!),
    dimension: j === undefined ? 1 : 2,
    free,
  };
}

type Points = readonly [ArrayLike<number>, ArrayLike<number>, ArrayLike<number>];
interface Sides {
  readonly lower: ArrayLike<number>;
  readonly upper: ArrayLike<number>;
}

/**
 * The plane through three points a, b, c: x = a + u (b - a) + v (c - a), with u and v in [0, 1] (the parallelogram),
 * or, with a box, all of the plane that lies in it. The differences are rounded to doubles.
 * @example planeSlice([[0, 0, 0], [1, 0, 0], [0, 1, 1]])
 */
export function planeSlice([a, b, c]: Points, box?: Sides): Slice {
  const origin = Float64Array.from(a);
  const first = origin.map((x, k) => b[k]! - x);
  const second = origin.map((x, k) => c[k]! - x);
  const plane = { origin, first, second };
  const [i, j] = steepestPair(plane);
  const base = { plane, dimension: 2, free: [] } as const;
  return { ...base, domain: box ? planeInBox(plane, box, i, j) : rectangle(0, 1, 0, 1) };
}

const determinant = ({ first, second }: Plane, i: number, j: number): number =>
  first[i]! * second[j]! - first[j]! * second[i]!;

/** Two inputs that tell the points of the plane apart best. */
function steepestPair(plane: Plane): readonly [number, number] {
  const n = plane.origin.length;
  let best: readonly [number, number] = [0, 0];
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++)
      if (Math.abs(determinant(plane, i, j)) > Math.abs(determinant(plane, ...best))) best = [i, j];
  if (determinant(plane, ...best) === 0)
    throw new GraphError("the three points of the slice lie on a line, so they span no plane");
  return best;
}

function planeInBox(plane: Plane, { lower, upper }: Sides, i: number, j: number): Polygon {
  const { origin, first, second } = plane;
  const reach = (k: number) => Math.max(Math.abs(lower[k]! - origin[k]!), Math.abs(upper[k]! - origin[k]!));
  const bound = (direction: Float64Array) =>
    (Math.abs(direction[j]!) * reach(i) + Math.abs(direction[i]!) * reach(j)) /
    Math.abs(determinant(plane, i, j));
  const size = 2 ** Math.ceil(Math.log2(2 * Math.max(bound(first), bound(second), 2 ** -1000)));
  const extent = { u: size, v: size };
  let polygon: Polygon | undefined = rectangle(-size, size, -size, size);
  for (let k = 0; k < origin.length; k++) {
    const sides = [
      border(first[k]!, second[k]!, origin[k]!, lower[k]!, extent),
      border(-first[k]!, -second[k]!, upper[k]!, origin[k]!, extent),
    ];
    for (const line of sides) polygon = polygon && positivePart(polygon, line, extent);
  }
  if (!polygon || !(area(polygon) > 0))
    throw new GraphError("the plane of the slice meets the box in no area");
  return polygon;
}

function positivePart(polygon: Polygon, line: Line, extent: Extent): Polygon | undefined {
  const signs = signsOf(line, polygon, extent);
  if (!signs.includes(1)) return signs.includes(-1) || compare(line.c, 0) < 0 ? undefined : polygon;
  if (!signs.includes(-1)) return polygon;
  return clip(polygon, line, signs, 1, crossingsOf(polygon, line, signs, extent));
}
