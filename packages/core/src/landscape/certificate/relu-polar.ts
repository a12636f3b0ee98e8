// The polar problem of two-layer ReLU networks: max over |v| = 1 of |sum_i Q_i relu(<v, x_i>)|, the neuron that the data
// ask for most. NP-hard in many dimensions: bounded from both sides.
//
// The sphere is cut into simplicial cones with a proved bound on each (polar-cone.ts); the ones with the greatest bounds are cut
// again. Cones without a kink of a positive term are exact.
import { Heap } from "../../numbers/heap.ts";
import { createRandom } from "../../numbers/random.ts";
import { LandscapeError } from "../error.ts";
import { type Cone, coneBound, halves, orthants, polarSizes, type Ray, underflow } from "./polar-cone.ts";
import { scaledPolar } from "./polar-scale.ts";
import { wholeBound } from "./polar-whole.ts";

export interface PolarOptions {
  /** Ends when the bounds are within this, relative to the upper one; default 1e-9. */
  readonly tolerance?: number;
  /** Cones to look at, at most; default 20,000. Where the first ones are more already, there are none. */
  readonly cones?: number;
  /** Ends as soon as the upper bound is no greater. */
  readonly enough?: number;
  readonly signal?: AbortSignal;
  /** After a few hundred cones each: the share of those that may be looked at. */
  readonly onProgress?: (share: number, cones: number) => void;
}

export interface PolarBounds {
  /** Proved, and attained by `neuron` but for rounding. */
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
/** Of length 1, however small: 0 stays 0. */
const unit = (a: Vector): Vector => {
  const most = a.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  if (most === 0) return a;
  const near = a.map((v) => v / most);
  const length = norm(near);
  return near.map((v) => v / length);
};

/** sum_i Q_ki relu(<v, x_i>) for each output k. */
function responseOf(x: readonly Vector[], q: readonly Vector[], v: Vector): Vector {
  const active = x.map((row) => Math.max(0, dot(row, v)));
  return Float64Array.from(q, (row) => active.reduce((sum, z, i) => sum + row[i]! * z, 0));
}

/** Places to climb from besides the cones' centres. */
const starts = 60;

/**
 * Bounds on max |sum_i Q_i relu(<v, x_i>)| over unit vectors v; `q` has one row an output, one number an example.
 * @example reluPolar([Float64Array.of(2)], [Float64Array.of(3)]).lower // 6
 */
export function reluPolar(
  given: readonly Vector[],
  pulls: readonly Vector[],
  { tolerance = 1e-9, cones: most = 20_000, enough = 0, signal, onProgress }: PolarOptions = {},
): PolarBounds {
  const d = given[0]?.length ?? 0;
  if (d === 0 || pulls.length === 0) throw new LandscapeError("the polar problem needs examples and outputs");
  if (!given.every((row) => row.every(Number.isFinite)) || !pulls.every((row) => row.every(Number.isFinite)))
    throw new LandscapeError(
      "the polar problem needs finite numbers: those of the data or weights are too great",
    );
  const { x, q, up, down } = scaledPolar(given, pulls);
  const sizes = polarSizes(x, q);
  const slack = sizes.part * norm(Float64Array.from(sizes.sums)) + underflow;
  let [lower, neuron] = [-1, unitVector(d)];
  const climbFrom = (start: Vector): void => {
    const from = unit(start);
    // What is far below is left where it is.
    if (norm(responseOf(x, q, from)) < 0.8 * lower) return;
    const v = climbed(x, q, from);
    const value = norm(responseOf(x, q, v));
    if (value > lower) [lower, neuron] = [value, v];
  };
  const random = createRandom("polar");
  climbFrom(unitVector(d));
  for (let k = 0; k < starts; k++) {
    const row = x[Math.floor((k * x.length) / starts)]!;
    climbFrom(k % 3 === 0 ? random.sphere(d) : k % 3 === 1 ? row : row.map((v) => -v));
  }
  const whole = wholeBound(x, q, sizes);
  const open = new Heap<Cone>((cone) => -cone.upper);
  // Cones that cannot be cut without rounding.
  let [looked, closed] = [0, 0];
  const push = (rays: readonly Ray[], known: number): void => {
    looked++;
    climbFrom(
      rays.reduce((sum, { at, length }) => sum.map((s, k) => s + at[k]! / length), new Float64Array(d)),
    );
    const upper = Math.min(known, coneBound(x, q, rays, sizes));
    if (upper > lower) open.push({ rays, upper });
  };
  if (2 ** d <= most) for (const rays of orthants(x)) push(rays, whole);
  const isDone = (upper: number): boolean =>
    looked === 0 || looked >= most || upper <= lower * (1 + tolerance) + 2 * slack || up(upper) <= enough;
  for (;;) {
    if (looked % 256 < 2) {
      signal?.throwIfAborted();
      onProgress?.(looked / most, looked);
    }
    const upper = looked === 0 ? whole : Math.max(closed, -open.least, lower + slack);
    if (open.items.length === 0 || isDone(upper))
      return {
        lower: Math.max(0, down(lower / (1 + (d + 4) * 2 ** -52) - slack)),
        upper: up(upper),
        neuron,
        response: responseOf(given, pulls, neuron),
        cones: looked,
      };
    const { rays, upper: known } = open.pop()!;
    const both = halves(rays, x);
    if (both.length === 0) closed = Math.max(closed, known);
    for (const half of both) push(half, known);
  }
}

const unitVector = (d: number): Vector => Float64Array.from({ length: d }, (_, c) => (c === 0 ? 1 : 0));

/** A few steps v <- sum of what is active, kept while they rise. */
function climbed(x: readonly Vector[], q: readonly Vector[], start: Vector): Vector {
  let [v, value] = [start, norm(responseOf(x, q, start))];
  for (let step = 0; step < 40; step++) {
    const response = unit(responseOf(x, q, v));
    const pull = new Float64Array(v.length);
    x.forEach((row, i) => {
      if (dot(row, v) <= 0) return;
      const weight = q.reduce((sum, out, k) => sum + response[k]! * out[i]!, 0);
      for (let c = 0; c < pull.length; c++) pull[c]! += weight * row[c]!;
    });
    const whole = unit(pull);
    let [next, better] = [v, value];
    for (let share = 1; share > 0.05 && !(better > value * (1 + 1e-15)); share /= 2) {
      next = unit(v.map((w, c) => (1 - share) * w + share * whole[c]!));
      better = norm(responseOf(x, q, next));
    }
    if (!(better > value * (1 + 1e-15))) break;
    [v, value] = [next, better];
  }
  return v;
}
