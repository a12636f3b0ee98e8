// The polar problem of two-layer ReLU networks: max over |v| = 1 of |sum_i Q_i relu(<v, x_i>)|, the neuron that the data
// ask for most. NP-hard in many dimensions: bounded from both sides.
//
// The sphere is cut into simplicial cones. On a cone with rays r_k a term with q > 0 is at most its linear interpolation at
// the rays (relu is convex), one with q < 0 at most q a <v, x> for any a in [0, 1]; so the sum is at most <g, v>, and |g| is
// minimized over all a. Cones without a kink of a positive term are thereby exact.
import { Heap } from "../../numbers/heap.ts";
import { LandscapeError } from "../error.ts";

export interface PolarOptions {
  /** Ends when the bounds are within this, relative to the upper one; default 1e-9. */
  readonly tolerance?: number;
  /** Cones to look at, at most; default 20,000. */
  readonly cones?: number;
  /** Ends as soon as the upper bound is no greater. */
  readonly enough?: number;
  readonly signal?: AbortSignal;
}

export interface PolarBounds {
  /** Attained by `neuron`. */
  readonly lower: number;
  /** Proved, rounding included. */
  readonly upper: number;
  /** v of norm 1. */
  readonly neuron: Float64Array;
  /** The value of each output there: the direction of the neuron's output weights. */
  readonly response: Float64Array;
  readonly cones: number;
}

type Vector = Float64Array;

const dot = (a: Vector, b: Vector): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
};
const norm = (a: Vector): number => Math.sqrt(dot(a, a));
const unit = (a: Vector): Vector => {
  const length = norm(a);
  return length > 0 ? a.map((x) => x / length) : a;
};

/** sum_i Q_ki relu(<v, x_i>) for each output k. */
function responseOf(x: readonly Vector[], q: readonly Vector[], v: Vector): Vector {
  const active = x.map((row) => Math.max(0, dot(row, v)));
  return Float64Array.from(q, (row) => active.reduce((sum, z, i) => sum + row[i]! * z, 0));
}

interface Cone {
  readonly rays: readonly Vector[];
  readonly upper: number;
  /** How often it was halved. */
  readonly depth: number;
}

/**
 * Bounds on max |sum_i Q_i relu(<v, x_i>)| over unit vectors v; `q` has one row an output, one number an example.
 * @example reluPolar([Float64Array.of(2)], [Float64Array.of(3)]).lower // 6
 */
export function reluPolar(
  x: readonly Vector[],
  q: readonly Vector[],
  { tolerance = 1e-9, cones: most = 20_000, enough = 0, signal }: PolarOptions = {},
): PolarBounds {
  const d = x[0]?.length ?? 0;
  if (d === 0 || q.length === 0) throw new LandscapeError("the polar problem needs examples and outputs");
  const slackAt = roundingOf(x, q);
  const slack = slackAt(0);
  let [lower, neuron] = [-1, unitVector(d, 0, 1)];
  const tryAt = (v: Vector): void => {
    const value = norm(responseOf(x, q, v));
    if (value > lower) [lower, neuron] = [value, v];
  };
  const open = new Heap<Cone>((cone) => -cone.upper);
  let looked = 0;
  const push = (rays: readonly Vector[], known: number, depth: number): void => {
    looked++;
    const centre = unit(rays.reduce((sum, r) => sum.map((s, k) => s + r[k]!), new Float64Array(d)));
    tryAt(climbed(x, q, centre));
    const upper = Math.min(known, coneBound(x, q, rays, centre) + slackAt(depth));
    if (upper > lower) open.push({ rays, upper, depth });
  };
  for (const rays of orthants(d)) push(rays, Number.POSITIVE_INFINITY, 0);
  const isDone = (upper: number): boolean =>
    upper <= lower * (1 + tolerance) + 2 * slack || upper <= enough || looked >= most;
  for (;;) {
    if (looked % 256 < 2) signal?.throwIfAborted();
    const upper = Math.max(lower, -open.least, 0);
    if (open.items.length === 0 || isDone(upper)) {
      const whole = open.items.length === 0 ? Math.max(lower, 0) + slack : upper;
      return {
        lower: Math.max(0, lower - slack),
        upper: whole,
        neuron,
        response: responseOf(x, q, neuron),
        cones: looked,
      };
    }
    const { rays, upper: known, depth } = open.pop()!;
    // Halves reach out of a cone by the rounding of the ray between them.
    const outside = known + slackAt(1) - slack;
    for (const half of halves(rays)) push(half, outside, depth + 1);
  }
}

/**
 * What rounding may take from a bound on a cone that was halved so often, as a part of S = sum_i |q_i| |x_i|, u = 2^-53: a vector
 * of length 1 is sum_k t_k r_k with sum_k t_k <= d.
 * - products <r_k, x_i> are off by d u |x_i|: signs that are taken for others cost d d u S, values at the rays (d + m + 1) u S
 *   each, d (d + m + 1) u S together;
 * - sums of slopes are off by (m + 1) u S and (m + 2) u S;
 * - a ray between two others is off by (d + 4) u, and what lies between halves is that far from them, each time.
 * That is (2 d^2 + d m + d + 2 m + 3 + depth (d + 4)) u S; we take twice as much. What depends on the slope's own length is added
 * where it is known.
 */
function roundingOf(x: readonly Vector[], q: readonly Vector[]): (depth: number) => number {
  const sizes = x.map((row) => norm(row));
  const sums = q.map((row) => row.reduce((sum, w, i) => sum + Math.abs(w) * sizes[i]!, 0));
  const [m, d] = [x.length, x[0]!.length];
  const whole = Math.sqrt(sums.reduce((sum, s) => sum + s * s, 0));
  return (depth) => (2 * d * d + d * m + 2 * d + 2 * m + 8 + depth * (d + 4)) * 2 ** -52 * whole;
}

const unitVector = (d: number, k: number, sign: number): Vector => {
  const v = new Float64Array(d);
  v[k] = sign;
  return v;
};

function* orthants(d: number): Generator<readonly Vector[]> {
  for (let mask = 0; mask < 2 ** d; mask++)
    yield Array.from({ length: d }, (_, k) => unitVector(d, k, (mask >> k) & 1 ? 1 : -1));
}

/** Cut in the middle of the widest pair of rays. */
function halves(rays: readonly Vector[]): readonly (readonly Vector[])[] {
  let [least, i, j] = [2, 0, 0];
  for (let a = 0; a < rays.length; a++)
    for (let b = a + 1; b < rays.length; b++) {
      const cosine = dot(rays[a]!, rays[b]!);
      if (cosine < least) [least, i, j] = [cosine, a, b];
    }
  if (i === j) return [];
  const middle = unit(rays[i]!.map((r, k) => r + rays[j]![k]!));
  const replaced = (at: number) => rays.map((r, k) => (k === at ? middle : r));
  return [replaced(i), replaced(j)];
}

/** A few steps v <- sum of what is active, kept while they rise. */
function climbed(x: readonly Vector[], q: readonly Vector[], start: Vector): Vector {
  let [v, value] = [start, norm(responseOf(x, q, start))];
  for (let step = 0; step < 8; step++) {
    const response = unit(responseOf(x, q, v));
    const pull = new Float64Array(v.length);
    x.forEach((row, i) => {
      if (dot(row, v) <= 0) return;
      const weight = q.reduce((sum, out, k) => sum + response[k]! * out[i]!, 0);
      for (let c = 0; c < pull.length; c++) pull[c]! += weight * row[c]!;
    });
    const next = unit(pull);
    const better = norm(responseOf(x, q, next));
    if (!(better > value * (1 + 1e-15))) break;
    [v, value] = [next, better];
  }
  return v;
}

/** An upper bound on the cone: of each output both ways, joined. */
function coneBound(
  x: readonly Vector[],
  q: readonly Vector[],
  rays: readonly Vector[],
  centre: Vector,
): number {
  const at = rays.map((ray) => x.map((row) => dot(row, ray)));
  const radius = Math.max(...rays.map((ray) => angleBetween(ray, centre))) + angleRounding(centre.length, 0);
  const inverse = inverseOf(rays);
  const bounds = q.map((row) =>
    Math.max(
      0,
      linearBound(x, row, 1, { rays, at, inverse, centre, radius }),
      linearBound(x, row, -1, { rays, at, inverse, centre, radius }),
    ),
  );
  return Math.sqrt(bounds.reduce((sum, b) => sum + b * b, 0));
}

interface ConeFacts {
  readonly rays: readonly Vector[];
  /** at[k][i] = <r_k, x_i> */
  readonly at: readonly (readonly number[])[];
  /** Columns of the inverse of the matrix with rows r_k. */
  readonly inverse: readonly Vector[];
  readonly centre: Vector;
  /** The greatest angle between a ray and the centre. */
  readonly radius: number;
}

/** max over the cone of <g, v>, sign sum_i q_i relu(<v, x_i>) <= <g, v> there. */
function linearBound(
  x: readonly Vector[],
  q: Vector,
  sign: number,
  { rays, at, inverse, centre, radius }: ConeFacts,
): number {
  const d = centre.length;
  const g = new Float64Array(d);
  const interpolated = new Float64Array(d);
  const atRays = new Float64Array(d);
  const bent: number[] = [];
  for (let i = 0; i < x.length; i++) {
    const weight = sign * q[i]!;
    if (weight === 0) continue;
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let k = 0; k < d; k++) {
      const z = at[k]![i]!;
      if (z < low) low = z;
      if (z > high) high = z;
    }
    if (high <= 0) continue;
    if (low >= 0) for (let c = 0; c < d; c++) g[c]! += weight * x[i]![c]!;
    else if (weight > 0) for (let k = 0; k < d; k++) atRays[k]! += weight * Math.max(0, at[k]![i]!);
    else bent.push(i);
  }
  for (let k = 0; k < d; k++) for (let c = 0; c < d; c++) interpolated[c]! += atRays[k]! * inverse[k]![c]!;
  // What rounding left of the interpolation at the rays: v = sum_k t_k r_k has sum_k t_k <= 1 / cos(radius).
  const unseen = (d + 2) * 2 ** -52 * norm(interpolated); // of the product itself, however thin the cone
  const missed = rays.reduce(
    (most, ray, k) => Math.max(most, atRays[k]! - dot(interpolated, ray) + unseen),
    0,
  );
  for (let c = 0; c < d; c++) g[c]! += interpolated[c]!;
  const choices = [centred, shortest].map((choose) => choose(x, q, sign, bent, g, centre));
  const least = Math.min(...choices.map((slope) => reached(slope, centre, radius)));
  return missed === 0 ? least : least + missed / Math.max(1e-3, Math.cos(radius));
}

type Choice = (
  x: readonly Vector[],
  q: Vector,
  sign: number,
  bent: readonly number[],
  g: Vector,
  centre: Vector,
) => Vector;

/** The slope of each concave term as it is at the centre. */
const centred: Choice = (x, q, sign, bent, g, centre) => {
  const sum = g.slice();
  for (const i of bent)
    if (dot(x[i]!, centre) > 0) for (let c = 0; c < sum.length; c++) sum[c]! += sign * q[i]! * x[i]![c]!;
  return sum;
};

/** Slopes in [0, 1] that make the vector short, one after the other. */
const shortest: Choice = (x, q, sign, bent, g) => {
  const sum = g.slice();
  const slopes = new Float64Array(bent.length);
  for (let sweep = 0; sweep < 20; sweep++) {
    let moved = 0;
    for (let b = 0; b < bent.length; b++) {
      const row = x[bent[b]!]!;
      const weight = sign * q[bent[b]!]!; // below 0
      const square = dot(row, row);
      if (square === 0) continue;
      const best = slopes[b]! - dot(sum, row) / (weight * square);
      const next = Math.min(1, Math.max(0, best));
      const change = next - slopes[b]!;
      if (change === 0) continue;
      slopes[b] = next;
      moved = Math.max(moved, Math.abs(change));
      for (let c = 0; c < sum.length; c++) sum[c]! += change * weight * row[c]!;
    }
    if (moved < 1e-13) break;
  }
  // Once more, without what so many corrections have left behind.
  sum.set(g);
  for (let b = 0; b < bent.length; b++) {
    const part = slopes[b]! * sign * q[bent[b]!]!;
    for (let c = 0; c < sum.length; c++) sum[c]! += part * x[bent[b]!]![c]!;
  }
  return sum;
};

/** Of unit vectors, by their distance: the arc cosine of a product near 1 has half of the digits only. */
const angleBetween = (a: Vector, b: Vector): number =>
  2 * Math.asin(Math.min(1, norm(a.map((x, k) => x - b[k]!)) / 2));
/** The distance is off by (d + 8) 2^-53 or less, and the arc sine of its half is as steep as 1 / cos(angle / 2). */
const angleRounding = (d: number, angle: number): number =>
  ((d + 8) * 2 ** -52) / Math.max(2 ** -20, Math.cos(angle / 2));

/** max of <g, v> over unit vectors within an angle of the centre: all of |g| if g is. */
function reached(g: Vector, centre: Vector, radius: number): number {
  const length = norm(g);
  if (length === 0) return 0;
  const direction = g.map((x) => x / length);
  const seen = angleBetween(direction, centre);
  const angle = seen - angleRounding(g.length, seen);
  const rounding = (g.length + 8) * 2 ** -52 * length;
  return rounding + (angle <= radius ? length : length * Math.cos(Math.min(Math.PI, angle - radius)));
}

/** Row k is the column k of the inverse of the matrix with these rows. */
function inverseOf(rays: readonly Vector[]): readonly Vector[] {
  const d = rays.length;
  const a = rays.map((ray, i) => [...ray, ...Array.from({ length: d }, (_, j) => (i === j ? 1 : 0))]);
  for (let c = 0; c < d; c++) {
    let best = c;
    for (let r = c + 1; r < d; r++) if (Math.abs(a[r]![c]!) > Math.abs(a[best]![c]!)) best = r;
    [a[c], a[best]] = [a[best]!, a[c]!];
    const pivot = a[c]![c]!;
    for (let k = c; k < 2 * d; k++) a[c]![k]! /= pivot;
    for (let r = 0; r < d; r++) {
      const factor = a[r]![c]!;
      if (r === c || factor === 0) continue;
      for (let k = c; k < 2 * d; k++) a[r]![k]! -= factor * a[c]![k]!;
    }
  }
  return Array.from({ length: d }, (_, k) => Float64Array.from(a, (row) => row[d + k]!));
}
