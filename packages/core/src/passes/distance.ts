// How far a piecewise-linear function is from another one, or from a polynomial: exactly, or between exact bounds.
import type { Exact } from "../numbers/exact/rational.ts";
import type { Enclosure } from "../numbers/interval/exact.ts";
import type { Polynomial } from "../numbers/polynomial/polynomial.ts";
import { type Gap, gapBetween } from "./distance/gap.ts";
import { type Measure, type Range, RangeMeasure, SizeIntegral, SquareIntegral } from "./distance/measures.ts";
import type { PiecewiseLinear } from "./pieces.ts";

export interface Distance {
  /** Infimum and supremum of f - g, and supremum of |f - g|; values at single points count. */
  readonly least: Enclosure;
  readonly greatest: Enclosure;
  readonly sup: Enclosure;
  /** The integral of |f - g|. */
  readonly l1: Enclosure;
  /** The integral of (f - g)^2: rational, and exact unless its denominator would have over 10^5 bits. */
  readonly squaredL2: Enclosure;
  /** The essential supremum of |f' - g'|. */
  readonly slope: Enclosure;
}

export interface DistanceOptions {
  /** How wide an enclosure may be, relative to the supremum (for least and greatest too) or the integral. */
  readonly tolerance?: number;
}

/** Roots are isolated to these fractions of a piece, in turn, until the enclosures are narrow enough. */
const resolutions = [2 ** -30, 2 ** -60, 2 ** -120, 2 ** -240];

/** The results of some measures, each taken at the first resolution at which it is sharp. */
function measured<R extends readonly unknown[]>(
  gap: Gap,
  tolerance: number,
  makers: { readonly [K in keyof R]: (resolution: number) => Measure<R[K]> },
): R {
  const results: unknown[] = makers.map(() => undefined);
  let open = makers.map((_, k) => k);
  for (const resolution of resolutions) {
    const measures = open.map((k) => makers[k]!(resolution));
    for (const piece of gap.pieces()) for (const measure of measures) measure.add(piece);
    measures.forEach((measure, n) => {
      results[open[n]!] = measure.result;
    });
    open = open.filter((_, n) => !measures[n]!.isSharp(tolerance));
    if (open.length === 0) break;
  }
  return results as unknown as R;
}

/**
 * The distances between f and g over the interval of f's knots.
 * @example distance(linearPieces(square(1), 0, 1), [0, 0, 1]).sup // 1/16, exactly
 */
export function distance(
  f: PiecewiseLinear,
  g: PiecewiseLinear | Polynomial,
  { tolerance = 1e-15 }: DistanceOptions = {},
): Distance {
  const gap = gapBetween(f, g);
  const [range, l1, squaredL2, slope] = measured<[Range, Enclosure, Enclosure, Range]>(gap, tolerance, [
    (resolution) => new RangeMeasure(resolution, 0, gap.points),
    (resolution) => new SizeIntegral(resolution),
    () => new SquareIntegral(),
    (resolution) => new RangeMeasure(resolution, 1),
  ]);
  return { ...range, l1, squaredL2, slope: slope.sup };
}

/** The supremum of |f - g| alone. `supDistance(f, g)` is `distance(f, g).sup`. */
export function supDistance(
  f: PiecewiseLinear,
  g: PiecewiseLinear | Polynomial,
  { tolerance = 1e-15 }: DistanceOptions = {},
): Enclosure {
  const gap = gapBetween(f, g);
  const [{ sup }] = measured<[Range]>(gap, tolerance, [(r) => new RangeMeasure(r, 0, gap.points)]);
  return sup;
}

/** The integral of |f - g| alone. `l1Distance(f, g)` is `distance(f, g).l1`. */
export function l1Distance(
  f: PiecewiseLinear,
  g: PiecewiseLinear | Polynomial,
  { tolerance = 1e-15 }: DistanceOptions = {},
): Enclosure {
  const [l1] = measured<[Enclosure]>(gapBetween(f, g), tolerance, [(r) => new SizeIntegral(r)]);
  return l1;
}

/** c0 + c1 x + c2 x^2. */
export type Quadratic = readonly [Exact, Exact, Exact];

/** The distances to a quadratic that are always rational. */
export interface QuadraticDistance {
  readonly least: Exact;
  readonly greatest: Exact;
  readonly sup: Exact;
  readonly squaredL2: Exact;
  readonly slope: Exact;
}

/**
 * Exact distances between a piecewise-linear function and a quadratic.
 * @example distanceToQuadratic(linearPieces(square(1), 0, 1), [0, 0, 1]).sup // 1/16
 */
export function distanceToQuadratic(f: PiecewiseLinear, q: Quadratic): QuadraticDistance {
  const gap = gapBetween(f, q);
  const [{ least, greatest, sup }, squaredL2, slope] = measured<[Range, Enclosure, Range]>(gap, 0, [
    (resolution) => new RangeMeasure(resolution, 0, gap.points),
    () => new SquareIntegral({ always: true }),
    (resolution) => new RangeMeasure(resolution, 1),
  ]);
  return {
    least: least.lower,
    greatest: greatest.lower,
    sup: sup.lower,
    squaredL2: squaredL2.lower,
    slope: slope.sup.lower,
  };
}

export type { Enclosure, Polynomial };
