// An upper bound on |sum_i Q_i relu(<v, x_i>)| over a cone, of one output or several.
//
// Each output by itself, both ways, gives the corner of a box, which stays above by a factor however small the cone. So outputs
// are split along the response u at the cone's centre: S = sum_i <u, Q_i> relu(<v, x_i>) and the rest R, |.| <= sqrt(S^2 + |R|^2),
// where R is small near the centre and what it adds is of second order.
import { addUp, mulUp } from "../../numbers/rounding.ts";
import { boundFrom, linearBound, normUp, type PolarSizes, type Ray, underflow } from "./polar-cone.ts";

type Vector = Float64Array;
type Limits = Parameters<typeof linearBound>[4];

/** At least the greatest value at v of length up to 1 in the cone; better bounds than `wanted` are not sought. */
export function coneBound(
  x: readonly Vector[],
  q: readonly Vector[],
  rays: readonly Ray[],
  sizes: PolarSizes,
  wanted = 0,
): number {
  const limits = sizes.sums.map((sum) => ({
    rounding: sizes.part * sum,
    wanted: q.length === 1 ? wanted : 0,
  }));
  const each = normUp(q.map((row, k) => bothWays(x, row, rays, limits[k]!)));
  return q.length === 1 || each <= wanted ? each : Math.min(each, splitBound(x, q, rays, sizes, wanted));
}

const bothWays = (x: readonly Vector[], row: Vector, rays: readonly Ray[], limits: Limits): number =>
  Math.max(0, linearBound(x, row, 1, rays, limits), linearBound(x, row, -1, rays, limits));

/**
 * With total >= sum_i |Q_i| |x_i| over all outputs K: what u, <u, Q_i> and the rest of Q_i lose to rounding is at most (K + 8) 2^-51
 * of |Q_i| each, also <u, rest> and |u| - 1, so twice (K + 8) 2^-50 total is more than they add.
 */
function splitBound(
  x: readonly Vector[],
  q: readonly Vector[],
  rays: readonly Ray[],
  { part, sums }: PolarSizes,
  wanted: number,
): number {
  const outputs = q.length;
  const total = mulUp(sums.reduce(addUp, 0), 1 + 2 ** -30);
  const u = responseAtCentre(x, q, rays);
  if (!u) return Number.POSITIVE_INFINITY;
  const along = new Float64Array(x.length);
  for (let k = 0; k < outputs; k++) for (let i = 0; i < x.length; i++) along[i]! += u[k]! * q[k]![i]!;
  const rest = q.map((row, k) => row.map((w, i) => w - u[k]! * along[i]!));
  const rounding = part * total;
  const first = bothWays(x, along, rays, { rounding, wanted });
  const second = Math.max(0, restBound(x, rest, rays, (outputs + 8) * rounding));
  return addUp(
    mulUp(normUp([first, second]), 1 + (outputs + 8) * 2 ** -50),
    (outputs + 8) * 2 ** -49 * total,
  );
}

/** Of length 1; undefined where there is none. */
function responseAtCentre(
  x: readonly Vector[],
  q: readonly Vector[],
  rays: readonly Ray[],
): Vector | undefined {
  const active = Float64Array.from(x, (_, i) =>
    Math.max(
      0,
      rays.reduce((sum, { seen, length }) => sum + seen[i]! / length, 0),
    ),
  );
  const response = Float64Array.from(q, (row) => row.reduce((sum, w, i) => sum + w * active[i]!, 0));
  const length = Math.hypot(...response);
  return length > 2 ** -400 ? response.map((r) => r / length) : undefined;
}

/**
 * |sum_i R_i relu(<v, x_i>)| is convex where nothing bends, so at most the interpolation of its values at the rays. A term that bends
 * is a <v, x> and what is left, (1 - a) <v, x>^+ + a <v, x>^-, convex and not negative, for any a in [0, 1].
 */
export function restBound(
  x: readonly Vector[],
  rest: readonly Vector[],
  rays: readonly Ray[],
  rounding: number,
): number {
  const heights = new Float64Array(rays.length);
  const sums = rays.map(() => new Float64Array(rest.length));
  for (let i = 0; i < x.length; i++) {
    let [up, down] = [0, 0];
    for (const { seen, length } of rays) {
      up = Math.max(up, seen[i]! / length);
      down = Math.max(down, -seen[i]! / length);
    }
    if (!(up > 0)) continue;
    const slope = up / (up + down);
    let square = 0;
    for (const row of rest) square += row[i]! * row[i]!;
    const size = Math.sqrt(square);
    for (let k = 0; k < rays.length; k++) {
      const z = rays[k]!.seen[i]!;
      for (let o = 0; o < rest.length; o++) sums[k]![o]! += slope * rest[o]![i]! * z;
      if (down > 0) heights[k]! += size * (z > 0 ? (1 - slope) * z : -slope * z);
    }
  }
  for (const [k, sum] of sums.entries())
    heights[k]! += Math.sqrt(sum.reduce((s, v) => s + v * v, 0)) + rounding * rays[k]!.length + underflow;
  return boundFrom(heights, rays).bound;
}
