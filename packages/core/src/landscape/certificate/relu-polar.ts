// The polar problem of two-layer ReLU networks: max over |v| = 1 of |sum_i Q_i relu(<v, x_i>)|, the neuron that the data
// ask for most. NP-hard in many dimensions: bounded from both sides.
//
// The sphere is cut into simplicial cones with a proved bound on each (polar-cone.ts); the ones with the greatest bounds are cut
// again. Cones without a kink of a positive term are exact.
import { Heap } from "../../numbers/heap.ts";
import { createRandom } from "../../numbers/random.ts";
import { LandscapeError } from "../error.ts";
import { coneBound } from "./cone-bound.ts";
import { cutPair } from "./cut-pair.ts";
import { climbed, dot, norm, onKinks, responseOf, unit } from "./polar-climb.ts";
import { type Cone, halves, orthants, polarSizes, type Ray, underflow } from "./polar-cone.ts";
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

/** Places to climb from besides the cones' centres. */
const starts = 60;
/** Places that are lower than the best by no more, as a part of it, are tried on their kinks. */
const nearBest = 1e-2;
/** One less the cosine: places as near to the best have its kinks. */
const sameAngle = 1e-4;

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
    const top = climbed(x, q, from);
    const reached = norm(responseOf(x, q, top));
    const isNew = reached > lower * (1 - nearBest) && dot(top, neuron) < 1 - sameAngle;
    const v = isNew ? onKinks(x, q, top) : top;
    const value = norm(responseOf(x, q, v));
    if (value > lower) [lower, neuron] = [value, v];
  };
  const random = createRandom("polar");
  climbFrom(unitVector(d));
  for (let k = 0; k < starts; k++) {
    const row = x[Math.floor((k * x.length) / starts)]!;
    climbFrom(k % 3 === 0 ? random.sphere(d) : k % 3 === 1 ? row : row.map((v) => -v));
  }
  const weights = Float64Array.from(x, (_, i) => Math.hypot(...q.map((row) => row[i]!)));
  const whole = wholeBound(x, q, sizes);
  const open = new Heap<Cone>((cone) => -cone.upper);
  // Cones that cannot be cut without rounding.
  let [looked, closed, cuts] = [0, 0, 0];
  const push = (rays: readonly Ray[], known: number): void => {
    looked++;
    climbFrom(
      rays.reduce((sum, { at, length }) => sum.map((s, k) => s + at[k]! / length), new Float64Array(d)),
    );
    const upper = Math.min(known, coneBound(x, q, rays, sizes, lower * (1 + tolerance / 2)));
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
    // Now and then by angle, since cones that are long and thin have poor bounds.
    const cut = ++cuts % 4 === 0 ? [] : halves(rays, x, cutPair(rays, q, weights, lower));
    const both = cut.length > 0 ? cut : halves(rays, x);
    if (both.length === 0) closed = Math.max(closed, known);
    for (const half of both) push(half, known);
  }
}

const unitVector = (d: number): Vector => Float64Array.from({ length: d }, (_, c) => (c === 0 ? 1 : 0));
