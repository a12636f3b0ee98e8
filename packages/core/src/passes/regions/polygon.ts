// Convex polygons whose edges lie on lines of known affine form, split by lines without a wrong decision:
// a sign is computed in floating point with a bound on its error, and exactly where the bound does not tell.
import { toNumber } from "../../numbers/exact/rational.ts";
import { unitRoundoff } from "../../numbers/floating-point.ts";
import type { Triple } from "./exact-forms.ts";

/** The zero line of a u + b v + c. `error` bounds |computed - true form| on the whole domain. */
export class Line {
  /** The line that turned out to be the same one, where several forms vanish together. */
  same: Line | undefined;
  #exact: Triple | undefined;
  readonly #exactly: () => Triple;

  constructor(
    readonly a: number,
    readonly b: number,
    readonly c: number,
    readonly error: number,
    /** The stage and unit that bend here; -1 for an edge of the domain. */
    readonly stage: number,
    readonly unit: number,
    exactly: () => Triple,
  ) {
    this.#exactly = exactly;
  }

  /** The true form, times a positive number. */
  get exact(): Triple {
    this.#exact ??= this.#exactly();
    return this.#exact;
  }

  get representative(): Line {
    return this.same ? this.same.representative : this;
  }
}

/** Homogeneous coordinates u = X / W, v = Y / W with W > 0. */
export type Homogeneous = readonly [bigint, bigint, bigint];

/** The point where two lines meet; (u, v) is within `delta` of it in each coordinate. */
export class Vertex {
  #exact: Homogeneous | undefined;

  constructor(
    readonly u: number,
    readonly v: number,
    readonly delta: number,
    readonly p: Line,
    readonly q: Line,
  ) {}

  get exact(): Homogeneous {
    this.#exact ??= intersection(this.p.exact, this.q.exact);
    return this.#exact;
  }
}

function intersection([a, b, c]: Triple, [d, e, f]: Triple): Homogeneous {
  const w = a * e - b * d;
  const [x, y] = [b * f - c * e, c * d - a * f];
  return w < 0n ? [-x, -y, -w] : [x, y, w];
}

/** Edge k goes from vertex k to vertex k + 1, counterclockwise. */
export interface Polygon {
  readonly vertices: readonly Vertex[];
  readonly edges: readonly Line[];
}

/** How large coordinates get: |u| <= u, |v| <= v on the whole domain. */
export interface Extent {
  readonly u: number;
  readonly v: number;
}

export const valueAt = ({ a, b, c }: Line, { u, v }: { readonly u: number; readonly v: number }): number =>
  a * u + b * v + c;

/** A bound on |computed value at the computed vertex - true value at the true vertex|. */
function valueError({ a, b, c, error }: Line, delta: number, extent: Extent): number {
  const [slopeU, slopeV] = [Math.abs(a), Math.abs(b)];
  const size = slopeU * extent.u + slopeV * extent.v + Math.abs(c);
  return 1.001 * (error + (slopeU + slopeV) * delta) + 4 * unitRoundoff * size;
}

/** The true sign of a line's form at a vertex: -1, 0 or 1. */
export function signAt(line: Line, vertex: Vertex, extent: Extent): number {
  const value = valueAt(line, vertex);
  if (Math.abs(value) > valueError(line, vertex.delta, extent)) return value > 0 ? 1 : -1;
  const p = line.representative;
  if (p === vertex.p.representative || p === vertex.q.representative) return 0;
  const [a, b, c] = line.exact;
  const [x, y, w] = vertex.exact;
  const exact = a * x + b * y + c * w;
  return exact > 0n ? 1 : exact < 0n ? -1 : 0;
}

/** How well a vertex must be known, relative to the domain and to the edge that it divides; else it is computed exactly. */
const [toDomain, toEdge] = [2 ** -20, 2 ** -12];

/**
 * The point where two lines meet. At the true point the computed forms are at most their errors, so that it is off
 * by at most |inverse of the two gradients| times these errors; near-parallel lines have a large inverse.
 */
function meeting(line: Line, edge: Line, length: number, extent: Extent): Vertex {
  const [minusX, minusY] = [line.b * edge.c, line.c * edge.b];
  const [plusX, plusY] = [line.c * edge.a, line.a * edge.c];
  const [ae, bd] = [line.a * edge.b, line.b * edge.a];
  const determinant = ae - bd;
  const certain = Math.abs(determinant) - 4 * unitRoundoff * (Math.abs(ae) + Math.abs(bd));
  const size = Math.max(extent.u, extent.v);
  if (certain > 0) {
    const [u, v] = [(minusX - minusY) / determinant, (plusX - plusY) / determinant];
    const spread = (p: number, q: number) => Math.abs(p) * edge.error + Math.abs(q) * line.error;
    const rounding =
      Math.abs(minusX) +
      Math.abs(minusY) +
      Math.abs(plusX) +
      Math.abs(plusY) +
      2 * size * Math.abs(determinant);
    const delta =
      (1.01 * (Math.max(spread(line.b, edge.b), spread(line.a, edge.a)) + 4 * unitRoundoff * rounding)) /
        certain +
      4 * unitRoundoff * size * ((Math.abs(ae) + Math.abs(bd)) / certain);
    if (delta < Math.min(toDomain * size, toEdge * length)) return new Vertex(u, v, delta, line, edge);
  }
  const [x, y, w] = intersection(line.exact, edge.exact);
  const near = (n: bigint) => toNumber({ numerator: n, denominator: w });
  return new Vertex(near(x), near(y), 2 * unitRoundoff * size, line, edge);
}

/** The signs of a line's form at the vertices. */
export const signsOf = (line: Line, polygon: Polygon, extent: Extent): Int8Array =>
  Int8Array.from(polygon.vertices, (vertex) => signAt(line, vertex, extent));

/** The part of a polygon where the line's form times `side` is positive. Some sign must be `side`, some its opposite. */
export function clip(
  polygon: Polygon,
  line: Line,
  signs: Int8Array,
  side: 1 | -1,
  crossings: readonly (Vertex | undefined)[],
): Polygon {
  const vertices: Vertex[] = [];
  const edges: Line[] = [];
  const count = signs.length;
  for (let k = 0; k < count; k++) {
    const [here, next] = [signs[k]! * side, signs[k + 1 === count ? 0 : k + 1]! * side];
    if (here > 0 || (here === 0 && next > 0)) {
      vertices.push(polygon.vertices[k]!);
      edges.push(polygon.edges[k]!);
    } else if (here === 0 && signs[k === 0 ? count - 1 : k - 1]! * side > 0) {
      vertices.push(polygon.vertices[k]!);
      edges.push(line);
    }
    if (here > 0 && next < 0) {
      vertices.push(crossings[k]!);
      edges.push(line);
    } else if (here < 0 && next > 0) {
      vertices.push(crossings[k]!);
      edges.push(polygon.edges[k]!);
    }
  }
  return { vertices, edges };
}

/** Where a line crosses the edges between their ends; undefined for an edge that it does not cross there. */
export const crossingsOf = (polygon: Polygon, line: Line, signs: Int8Array, extent: Extent) =>
  polygon.edges.map((edge, k): Vertex | undefined => {
    const next = k + 1 === signs.length ? 0 : k + 1;
    if (signs[k]! * signs[next]! >= 0) return undefined;
    const [from, to] = [polygon.vertices[k]!, polygon.vertices[next]!];
    const length = Math.max(Math.abs(to.u - from.u), Math.abs(to.v - from.v));
    return meeting(line, edge, length, extent);
  });

/** Twice the area of a triangle is a cross product; the polygon's is the sum of those from its first vertex. */
export function area({ vertices }: Polygon): number {
  let twice = 0;
  const o = vertices[0]!;
  for (let k = 2; k < vertices.length; k++) {
    const [p, q] = [vertices[k - 1]!, vertices[k]!];
    twice += (p.u - o.u) * (q.v - o.v) - (p.v - o.v) * (q.u - o.u);
  }
  return twice / 2;
}
