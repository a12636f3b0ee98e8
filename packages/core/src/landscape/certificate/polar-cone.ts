// A cone of the sphere in the polar problem, and a bound on it that is proved, rounding included.
//
// Rays are vectors of doubles as they are, of any length: a cone is cut by the sum of two of its rays, which is computed without
// rounding or not at all, so both halves together are the cone, exactly.
// At v = sum_k t_k r_k, t >= 0, a term with w > 0 is at most its linear interpolation, w relu(<v, x>) <= sum_k t_k w relu(<r_k, x>),
// and one with w < 0 at most w a <v, x> for any a in [0, 1]. So the whole is at most sum_k t_k h_k with
//   h_k = sum_{w_i > 0} w_i relu(<r_k, x_i>) + sum_{w_i < 0} w_i a_i <r_k, x_i>,
// and if <y, r_k> >= h_k for all k, at most <y, v> <= |y|. Any y and any a give a bound; good ones are sought in plain doubles.
import { addUp, mulUp, sqrtUp } from "../../numbers/rounding.ts";
import { shortestAbove } from "./shortest-above.ts";

type Vector = Float64Array;

/** A ray with what the examples see of it. */
export interface Ray {
  readonly at: Vector;
  /** <r, x_i> */
  readonly seen: Vector;
  /** |r|, and the sum of the sizes of its entries, both within a part in 10^14. */
  readonly length: number;
  readonly size: number;
}

export interface Cone {
  readonly rays: readonly Ray[];
  readonly upper: number;
}

const dot = (a: Vector, b: Vector): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
};
const norm = (a: Vector): number => Math.sqrt(dot(a, a));

export const rayOf = (at: Vector, x: readonly Vector[]): Ray => ({
  at,
  seen: Float64Array.from(x, (row) => dot(row, at)),
  length: norm(at),
  size: at.reduce((sum, v) => sum + Math.abs(v), 0),
});

/** The cones between axes: 2^d of them. */
export function* orthants(x: readonly Vector[]): Generator<readonly Ray[]> {
  const d = x[0]!.length;
  const axes = [1, -1].map((sign) =>
    Array.from({ length: d }, (_, k) => {
      const v = new Float64Array(d);
      v[k] = sign;
      return rayOf(v, x);
    }),
  );
  for (let mask = 0; mask < 2 ** d; mask++)
    yield Array.from({ length: d }, (_, k) => axes[(mask >> k) & 1]![k]!);
}

/** The double is the sum, without rounding. */
const isExactSum = (a: number, b: number, sum: number): boolean => sum - a === b && sum - b === a;

/**
 * Both halves, cut by the sum of two rays, the shorter one made about as long by a power of two; none where that sum would be
 * rounded.
 */
export function halves(
  rays: readonly Ray[],
  x: readonly Vector[],
  [i, j]: readonly [number, number] = farthest(rays),
): readonly (readonly Ray[])[] {
  if (i === j) return [];
  const [first, second] = [rays[i]!, rays[j]!];
  const by = 2 ** Math.round(Math.log2(first.length / second.length));
  const scaled = second.at.map((v) => by * v);
  const between = first.at.map((v, k) => v + scaled[k]!);
  if (!between.every((v, k) => isExactSum(first.at[k]!, scaled[k]!, v))) return [];
  const middle = rayOf(between, x);
  return [i, j].map((at) => rays.map((ray, k) => (k === at ? middle : ray)));
}

/** The two rays with the greatest angle. */
export function farthest(rays: readonly Ray[]): readonly [number, number] {
  let [least, i, j] = [2, 0, 0];
  for (let a = 0; a < rays.length; a++)
    for (let b = a + 1; b < rays.length; b++) {
      const cosine = dot(rays[a]!.at, rays[b]!.at) / (rays[a]!.length * rays[b]!.length);
      if (cosine < least) [least, i, j] = [cosine, a, b];
    }
  return [i, j];
}

/** More than what underflow takes from sums of products of numbers below 2, and from the roots of such sums: of 2^-1000 or so. */
export const underflow = 2 ** -480;

export interface PolarSizes {
  /** At least sum_i |w_i| |x_i|, for each output. */
  readonly sums: readonly number[];
  /** The rounding of a value at a vector of length 1, as a part of these sums. */
  readonly part: number;
}

/**
 * For numbers below 2 in size, u = 2^-53: products <r, x_i> are off by d u |r| |x_i|, weighted sums of them by m + 1 more:
 * (d + m + 1) u |r| S at most to first order. We take twice that and 8 u, which covers higher orders and lengths within 10^-14.
 */
export function polarSizes(x: readonly Vector[], q: readonly Vector[]): PolarSizes {
  const [m, d] = [x.length, x[0]!.length];
  const lengths = x.map(norm);
  return {
    sums: q.map(
      (row) => row.reduce((sum, w, i) => sum + Math.abs(w) * lengths[i]!, 0) * (1 + 2 ** -30) + underflow,
    ),
    part: (d + m + 8) * 2 ** -52,
  };
}

/** At least the root of the sum of squares. */
export const normUp = (v: readonly number[]): number =>
  sqrtUp(v.reduce((sum, a) => addUp(sum, mulUp(a, a)), 0));

/** Steps towards a bound that is wanted. */
const towards = 12;

/** At least sign sum_i q_i relu(<v, x_i>) for all v of length up to 1 in the cone; better ones than `wanted` are not sought. */
export function linearBound(
  x: readonly Vector[],
  q: Vector,
  sign: number,
  rays: readonly Ray[],
  { rounding, wanted }: { readonly rounding: number; readonly wanted: number },
): number {
  const d = rays.length;
  const fixed = new Float64Array(d);
  const bent: number[] = [];
  for (let i = 0; i < x.length; i++) {
    const weight = sign * q[i]!;
    if (weight === 0) continue;
    let [isOn, isOff] = [true, true];
    for (const { seen } of rays) {
      if (seen[i]! > 0) isOff = false;
      else if (seen[i]! < 0) isOn = false;
    }
    if (isOff) continue;
    if (weight > 0 || isOn)
      for (let k = 0; k < d; k++) {
        const z = rays[k]!.seen[i]!;
        fixed[k]! += weight * (weight > 0 && z < 0 ? 0 : z);
      }
    else bent.push(i);
  }
  const heights = (slopes: Vector | undefined): Vector => {
    const h = fixed.slice();
    bent.forEach((i, b) => {
      const share = slopes![b]! * sign * q[i]!;
      if (share !== 0) for (let k = 0; k < d; k++) h[k]! += share * rays[k]!.seen[i]!;
    });
    for (let k = 0; k < d; k++) h[k]! += rounding * rays[k]!.length + underflow;
    return h;
  };
  if (bent.length === 0) return boundFrom(heights(undefined), rays).bound;
  let slopes = slopesAt(x, bent, centreOf(rays));
  let best = Number.POSITIVE_INFINITY;
  // A slope is best as the term's own where the greatest value is; there it is looked for again.
  for (let again = 0; again < 3; again++) {
    const { bound, y } = boundFrom(heights(slopes), rays);
    const isLittle = !(bound < best * (1 - 1e-6)) && again > 0;
    best = Math.min(best, bound);
    if (best <= wanted) return best;
    if (isLittle) break;
    slopes = shortened(x, q, sign, bent, slopes, y);
  }
  if (best > far * wanted) return best;
  // In a small cone the greatest value stays where it is while slopes move far: steps as long as what is wanted asks for. The bound
  // is convex in the slopes, with <y, w_b x_b> / |y| as its slope.
  for (let step = 0; step < towards; step++) {
    const { bound, y } = boundFrom(heights(slopes), rays);
    best = Math.min(best, bound);
    const length = norm(y);
    if (best <= wanted || length === 0) return best;
    const slope = Float64Array.from(bent, (i) => (sign * q[i]! * dot(x[i]!, y)) / length);
    const square = dot(slope, slope);
    if (square === 0) return best;
    const share = (bound - wanted) / square;
    slopes = slopes.map((a, b) => Math.min(1, Math.max(0, a - share * slope[b]!)));
  }
  return best;
}

/** Bounds that are greater by this factor are not brought down to what is wanted. */
const far = 1.2;

const centreOf = (rays: readonly Ray[]): Vector => {
  const sum = new Float64Array(rays.length);
  for (const { at, length } of rays) for (let c = 0; c < sum.length; c++) sum[c]! += at[c]! / length;
  return sum;
};

const slopesAt = (x: readonly Vector[], bent: readonly number[], v: Vector): Vector =>
  Float64Array.from(bent, (i) => (dot(x[i]!, v) > 0 ? 1 : 0));

/** Slopes in [0, 1] that make y + sum_b (a_b - a'_b) w_b x_b short, one after the other. */
function shortened(
  x: readonly Vector[],
  q: Vector,
  sign: number,
  bent: readonly number[],
  before: Vector,
  y: Vector,
): Vector {
  const slopes = before.slice();
  const sum = y.slice();
  for (let sweep = 0; sweep < 6; sweep++) {
    let moved = 0;
    for (let b = 0; b < bent.length; b++) {
      const row = x[bent[b]!]!;
      const weight = sign * q[bent[b]!]!; // below 0
      const square = dot(row, row);
      if (square === 0) continue;
      const next = Math.min(1, Math.max(0, slopes[b]! - dot(sum, row) / (weight * square)));
      const change = next - slopes[b]!;
      if (!(change !== 0)) continue;
      slopes[b] = next;
      moved = Math.max(moved, Math.abs(change));
      for (let c = 0; c < sum.length; c++) sum[c]! += change * weight * row[c]!;
    }
    if (moved < 1e-9) break;
  }
  return slopes;
}

/**
 * At least sum_k t_k h_k for all v = sum_k t_k r_k, t >= 0, of length up to 1: |y| for the shortest y that was found, and what <y, r_k> is short of h_k: a vector of length 1 in an orthant is sum_k t_k r_k
 * with sum_k t_k |r_k|_1 = |v|_1 <= sqrt(d).
 */
export function boundFrom(
  heights: Vector,
  rays: readonly Ray[],
): { readonly bound: number; readonly y: Vector } {
  const d = rays.length;
  let best: { readonly bound: number; readonly y: Vector } = {
    bound: Number.POSITIVE_INFINITY,
    y: new Float64Array(d),
  };
  for (const y of shortestAbove(
    heights,
    rays.map(({ at }) => at),
  )) {
    const length = norm(y);
    let short = 0;
    rays.forEach(({ at, size, length: own }, k) => {
      const allowed = (d + 4) * 2 ** -52 * (Math.abs(heights[k]!) + length * own);
      short = Math.max(short, (heights[k]! - dot(y, at) + allowed) / size);
    });
    const bound = (length + short * Math.sqrt(d)) * (1 + (d + 16) * 2 ** -52) + underflow;
    if (bound < best.bound) best = { bound, y };
  }
  return best;
}
