// Charts of a curve: tangent coordinates around centres, and the function to approximate in each of them.
import { ConstructError } from "../../functions/error.ts";
import type { Random } from "../../numbers/random.ts";

/** Around a centre c of a curve in R^d: the coordinate u = <tangent, x - c>, and what tells near points from far ones. */
export interface CurveChart {
  readonly centre: Float64Array;
  readonly tangent: Float64Array;
  /** Orthonormal vectors e_k, the tangent first; the chart's distance is sum_k |<e_k, x - c>|. */
  readonly frame: readonly Float64Array[];
  /** f(u) = g at the point of the chart with coordinate u, for |u| <= reach. */
  readonly local: (u: number) => number;
  /** The chart is used where its distance is below `outer`; there |u| <= reach. */
  readonly reach: number;
  /** sup |f''| for |u| <= reach. */
  readonly second: number;
}

/** sum_k a_k sin(k theta) + b_k cos(k theta). */
export interface TrigonometricSum {
  readonly sines: readonly number[];
  readonly cosines: readonly number[];
}

/** The value at an angle. */
export const trigonometricValue = ({ sines, cosines }: TrigonometricSum, theta: number): number =>
  sines.reduce((sum, a, k) => sum + a * Math.sin((k + 1) * theta), 0) +
  cosines.reduce((sum, b, k) => sum + b * Math.cos((k + 1) * theta), 0);

/** sum_k k^order (|a_k| + |b_k|), which no derivative of this order exceeds. */
export const trigonometricSize = ({ sines, cosines }: TrigonometricSum, order: number): number =>
  [sines, cosines].flat().length === 0
    ? 0
    : [sines, cosines].reduce(
        (sum, list) => sum + list.reduce((s, a, k) => s + (k + 1) ** order * Math.abs(a), 0),
        0,
      );

/** The unit circle in the plane of two orthonormal vectors of R^d. */
export interface EmbeddedCircle {
  readonly plane: readonly [Float64Array, Float64Array];
}

/** The circle in a random plane of R^d. */
export function embeddedCircle(dimension: number, random: Random): EmbeddedCircle {
  if (!(Number.isSafeInteger(dimension) && dimension >= 2))
    throw new ConstructError(`a circle needs two dimensions, not ${dimension}`);
  const first = random.sphere(dimension);
  let second = random.sphere(dimension);
  // Twice: what rounding leaves of the first vector goes the second time.
  for (let pass = 0; pass < 2; pass++) {
    const inner = second.reduce((s, x, c) => s + x * first[c]!, 0);
    second = second.map((x, c) => x - inner * first[c]!);
    const length = Math.hypot(...second);
    second = second.map((x) => x / length);
  }
  return { plane: [first, second] };
}

/** cos(theta) e_1 + sin(theta) e_2. */
export const circlePoint = ({ plane: [a, b] }: EmbeddedCircle, theta: number): Float64Array =>
  a.map((x, c) => Math.cos(theta) * x + Math.sin(theta) * b[c]!);

/** D(phi) = sin phi + 1 - cos phi, the chart's distance at the angle phi <= pi / 2 from its centre. */
export const circleDistance = (phi: number): number => Math.sin(phi) + 2 * Math.sin(phi / 2) ** 2;

/** The angle at which that distance is reached: sin phi - cos phi = sqrt(2) sin(phi - pi/4). */
export const circleAngle = (distance: number): number => Math.PI / 4 + Math.asin((distance - 1) / Math.SQRT2);

/**
 * p charts of the circle, evenly spread. In a chart u = sin phi and f(u) = g(theta_i + asin u), so that
 * f'' = g'' / cos^2 phi + g' sin phi / cos^3 phi.
 */
export function circleCharts(
  circle: EmbeddedCircle,
  g: TrigonometricSum,
  { count, inner, outer }: { readonly count: number; readonly inner: number; readonly outer: number },
): readonly CurveChart[] {
  if (!(0 < inner && inner < outer && outer < 2))
    throw new ConstructError(
      `radii of charts of the circle have 0 < inner < outer < 2, not ${inner} and ${outer}`,
    );
  if (!(circleDistance(Math.PI / count) <= inner))
    throw new ConstructError(
      `${count} charts of radius ${inner} do not cover the circle: ${circleDistance(Math.PI / count).toPrecision(4)} is needed`,
    );
  const phi = circleAngle(outer);
  const second =
    trigonometricSize(g, 2) / Math.cos(phi) ** 2 +
    (trigonometricSize(g, 1) * Math.sin(phi)) / Math.cos(phi) ** 3;
  return Array.from({ length: count }, (_, i) => {
    const theta = (2 * Math.PI * i) / count;
    const tangent = circlePoint(circle, theta + Math.PI / 2);
    const centre = circlePoint(circle, theta);
    return {
      centre,
      tangent,
      frame: [tangent, centre],
      local: (u) => trigonometricValue(g, theta + Math.asin(Math.max(-1, Math.min(1, u)))),
      reach: Math.sin(phi),
      second,
    };
  });
}
