// A bank of two variables that keeps norms exactly: spline bands in the radius times spline windows in the angle.
import { splineScaling } from "./battle-lemarie.ts";
import { ScatteringError } from "./error.ts";
import { angularFrequency, type FilterBank, type Wavelet } from "./filter-bank.ts";
import { checkBank } from "./morlet-1d.ts";

export interface PolarOptions {
  readonly shape: readonly [number, number];
  /** J: the scales are 2^0 .. 2^(J-1). */
  readonly scale: number;
  /** K: angles in half a turn, at least 4 for a window to stay in a half-plane; default: 6. */
  readonly angles?: number;
}

/**
 * The cubic B-spline with knots at the whole numbers: its translates by these add up to 1.
 * @example cubicSpline(2) // 0
 */
export function cubicSpline(t: number): number {
  const u = Math.abs(t);
  if (u >= 2) return 0;
  return u >= 1 ? (2 - u) ** 3 / 6 : 2 / 3 - u * u + u ** 3 / 2;
}

/**
 * The polar-separable unitary bank.
 * @example polarBank({ shape: [32, 32], scale: 3 }).wavelets.length // 18
 */
export function polarBank({ shape, scale, angles = 6 }: PolarOptions): FilterBank {
  for (const length of shape) checkBank(length, scale);
  if (!(Number.isInteger(angles) && angles >= 4))
    throw new ScatteringError(
      `a polar bank needs at least 4 angles, not ${angles}: wider windows leave their half-plane`,
    );
  const points = gridPoints(shape);
  const wavelets: Wavelet[] = [];
  for (let j = 0; j < scale; j++) {
    const band = points.map(({ radius }) => ring(j, radius));
    for (let theta = 0; theta < angles; theta++) {
      const angle = (Math.PI * theta) / angles;
      const re = Float64Array.from(points, ({ direction, isOnEdge }, k) =>
        Math.sqrt(Math.max(0, band[k]! * share(direction - angle, angles, isOnEdge))),
      );
      wavelets.push({ j, theta, angle, xi: 0.375 * 2 ** -j, re });
    }
  }
  const lowPass = {
    re: Float64Array.from(points, ({ radius }) => Math.sqrt(splineScaling(2 ** scale * radius))),
  };
  return { kind: "polar", shape, scale, average: 2 ** scale, lowPass, wavelets };
}

/** What is between the scaling functions of two neighbouring scales: these telescope. The finest has all the rest. */
const ring = (j: number, radius: number): number =>
  (j === 0 ? 1 : splineScaling(2 ** j * radius)) - splineScaling(2 ** (j + 1) * radius);

interface GridPoint {
  readonly radius: number;
  readonly direction: number;
  /** On a line of frequency pi the grid cannot tell a sign: such a line counts for both directions. */
  readonly isOnEdge: boolean;
}

function gridPoints([rows, columns]: readonly [number, number]): readonly GridPoint[] {
  return Array.from({ length: rows * columns }, (_, at) => {
    const [k, l] = [Math.floor(at / columns), at % columns];
    const [p, q] = [angularFrequency(k, rows), angularFrequency(l, columns)];
    const isOnEdge = 2 * k === rows || 2 * l === columns;
    return { radius: Math.hypot(p, q), direction: Math.atan2(q, p), isOnEdge };
  });
}

/** Windows of half a turn's angles and their opposites add up to 2, so that half the sum of both is 1. */
function share(difference: number, angles: number, isOnEdge: boolean): number {
  const window = (angle: number): number => {
    const turn = angle / (2 * Math.PI);
    return cubicSpline((angles / Math.PI) * (turn - Math.round(turn)) * 2 * Math.PI);
  };
  return isOnEdge ? window(difference) + window(difference + Math.PI) : 2 * window(difference);
}
