// One unit a layer: R(w) = s_yy - 2 s_yx w_1 ... w_L + s_xx (w_1 ... w_L)^2, and how long gradient flow stays near 0.
import { LandscapeError } from "../error.ts";

export interface ScalarChain {
  readonly layers: number;
  readonly xx: number;
  readonly yx: number;
}

/**
 * The time of w' = 2 (s_yx - s_xx w^L) w^(L-1) from `start` until w^L is half of s_yx / s_xx: the integral of
 * 1 / (2 s_yx w^(L-1) (1 - w^L / w*^L)) as a geometric series.
 * @example escapeTime({ layers: 2, xx: 1, yx: 1 }, 0.1).toFixed(4) // "1.1488"
 */
export function escapeTime({ layers, xx, yx }: ScalarChain, start: number): number {
  if (!(yx > 0 && xx > 0)) throw new LandscapeError("the chain needs s_xx > 0 and s_yx > 0");
  const end = (yx / (2 * xx)) ** (1 / layers);
  if (!(start > 0 && start < end))
    throw new LandscapeError(`a start between 0 and ${end.toPrecision(4)}, where the plateau has been left`);
  const ratio = xx / yx;
  let sum = 0;
  // The terms fall as 2^-k: w^L xx / yx is at most 1/2.
  for (let k = 0; k < 60; k++) {
    const exponent = (k - 1) * layers + 2;
    const part = exponent === 0 ? Math.log(end / start) : (end ** exponent - start ** exponent) / exponent;
    sum += ratio ** k * part;
  }
  return sum / (2 * yx);
}

/**
 * How the time grows as the start goes to 0: ln(1 / eps) / (2 s_yx) for two layers, eps^(2 - L) / (2 s_yx (L - 2)) for more.
 * @example leadingEscapeTime({ layers: 3, xx: 1, yx: 1 }, 0.1) // 5
 */
export const leadingEscapeTime = ({ layers, yx }: ScalarChain, start: number): number =>
  layers === 2 ? Math.log(1 / start) / (2 * yx) : start ** (2 - layers) / (2 * yx * (layers - 2));

/** Time until w_1 ... w_L is half of s_yx / s_xx, by Runge and Kutta on all weights; `steps` a unit of the fastest rate. */
export function flowedEscapeTime(chain: ScalarChain, start: number, steps = 200): number {
  const { layers, xx, yx } = chain;
  const slope = (w: Float64Array): Float64Array => {
    const product = w.reduce((p, x) => p * x, 1);
    return w.map((_, l) => 2 * (yx - xx * product) * w.reduce((p, x, k) => (k === l ? p : p * x), 1));
  };
  const moved = (w: Float64Array, by: Float64Array, t: number) => w.map((x, l) => x + t * by[l]!);
  const goal = yx / (2 * xx);
  let w = new Float64Array(layers).fill(start);
  for (let time = 0; ; ) {
    const k1 = slope(w);
    // A step is a small part of what the weight would take to double.
    const h = Math.min(...w.map((x, l) => x / k1[l]!)) / steps;
    const k2 = slope(moved(w, k1, h / 2));
    const k3 = slope(moved(w, k2, h / 2));
    const k4 = slope(moved(w, k3, h));
    const next = w.map((x, l) => x + (h / 6) * (k1[l]! + 2 * k2[l]! + 2 * k3[l]! + k4[l]!));
    const [before, after] = [w, next].map((v) => v.reduce((p, x) => p * x, 1)) as [number, number];
    if (after >= goal) return time + lastStep(before, after, goal, slope, w, next, h);
    [w, time] = [next, time + h];
  }
}

/** Where on the last step the product is the goal: the cubic with its values and slopes at both ends. */
function lastStep(
  before: number,
  after: number,
  goal: number,
  slope: (w: Float64Array) => Float64Array,
  w: Float64Array,
  next: Float64Array,
  h: number,
): number {
  const rate = (v: Float64Array): number => {
    const s = slope(v);
    return v.reduce((sum, x, l) => sum + (s[l]! / x) * v.reduce((p, y) => p * y, 1), 0);
  };
  const [r0, r1] = [h * rate(w), h * rate(next)];
  const at = (t: number): number =>
    before * (1 + 2 * t) * (1 - t) ** 2 +
    r0 * t * (1 - t) ** 2 +
    after * t * t * (3 - 2 * t) +
    r1 * t * t * (t - 1);
  let [low, high] = [0, 1];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (at(middle) < goal) low = middle;
    else high = middle;
  }
  return low * h;
}
