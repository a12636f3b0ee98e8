// How far a piecewise-linear function is from a smooth one: every local extremum of the difference is found.
import { toNumber } from "../../numbers/exact/rational.ts";
import type { PiecewiseLinear } from "../../passes/pieces.ts";
import { cuts, type Target } from "./target.ts";

export interface SplineError {
  /** Extremes of S - f, and of |S - f|. */
  readonly least: number;
  readonly greatest: number;
  readonly sup: number;
  /** Points among which all the extremes are. */
  readonly points: readonly number[];
}

/**
 * The extremes of S - f. Where f' is monotone, S - f is stationary at most once, where f' is the slope of S.
 * @example splineError({ knots: [0, 1], values: [0, 1] }, targets.square).sup // 0.25
 */
export function splineError(s: PiecewiseLinear, f: Target): SplineError {
  const [knots, values] = [s.knots.map(toNumber), s.values.map(toNumber)];
  let [least, greatest] = [Infinity, -Infinity];
  const points: number[] = [];
  for (let k = 0; k + 1 < knots.length; k++) {
    const [from, to] = [knots[k]!, knots[k + 1]!];
    const slope = (values[k + 1]! - values[k]!) / (to - from);
    const parts = cuts([from, to], f.inflections);
    const stationary = parts.slice(1).map((end, j) => solve((x) => f.derivative(x) - slope, parts[j]!, end));
    for (const x of [...parts, ...stationary]) {
      const gap = (x === to ? values[k + 1]! : values[k]! + slope * (x - from)) - f.value(x);
      least = Math.min(least, gap);
      greatest = Math.max(greatest, gap);
      points.push(x);
    }
  }
  return { least, greatest, sup: Math.max(-least, greatest), points };
}

/** The zero of a monotone function by bisection; an end where there is none. */
function solve(g: (x: number) => number, from: number, to: number): number {
  const sign = Math.sign(g(from));
  if (sign * Math.sign(g(to)) >= 0) return from;
  let [low, high] = [from, to];
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (Math.sign(g(middle)) === sign) low = middle;
    else high = middle;
  }
  return low;
}
