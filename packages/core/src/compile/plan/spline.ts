// A function of one variable by folds and a spline: the cheapest way to a given error, and its certificate.

import type { Univariate } from "../../functions/univariate.ts";
import { gamma } from "../../numbers/floating-point.ts";
import * as I from "../../numbers/interval/index.ts";
import { type Interval, magnitude } from "../../numbers/interval/index.ts";
import { productUp, sumUp } from "../../numbers/rounding.ts";
import { type Folding, foldings } from "../fold.ts";
import type { SplinePlan } from "../plan.ts";
import { type Arithmetic, sumRounding } from "../precision.ts";
import { type ReluSpline, reluSpline, splineBound, splineSlopes } from "../spline/certified.ts";
import { fitPolygon } from "../spline/fit.ts";

/** The integral of sqrt|f''| / 4: a best spline has about that many pieces, divided by sqrt(delta). */
export function splineCost(f: Univariate, { lower, upper }: Interval): number {
  if (!(upper > lower)) return 0;
  const panels = 256;
  const half = upper / 2 - lower / 2; // the whole width may be greater than all doubles
  let sum = 0;
  for (let k = 0; k < panels; k++) {
    const s = (k + 0.5) / panels;
    const way = half * s * s * (3 - 2 * s); // takes singular ends apart
    const x = Math.min(upper, lower + way + way);
    sum += Math.sqrt(Math.abs(f.second(x))) * 6 * s * (1 - s);
  }
  return half * (sum / panels / 2);
}

/** The folding with the fewest units at this error. */
function cheapest(f: Univariate, range: Interval, delta: number, arithmetic: Arithmetic): Folding {
  const cost = ({ shifts, curve, range: on }: Folding): number =>
    shifts.length + splineCost(curve, on) / Math.sqrt(delta);
  const [plain, ...folded] = foldings(f, range, arithmetic);
  const useful = folded.filter(({ defect }) => defect < delta / 2);
  return useful.reduce((best, other) => (cost(other) < cost(best) ? other : best), plain!);
}

/** f on the range of the exact argument, to about delta; an error says why there is no such spline. `computed` is the range of the computed one. */
export function splinePlan(
  f: Univariate,
  range: Interval,
  computed: Interval,
  delta: number,
  arithmetic: Arithmetic,
): SplinePlan {
  const { shifts, curve, range: on, defect } = cheapest(f, range, delta, arithmetic);
  const polygon = fitPolygon(curve, on.lower, on.upper, delta - defect);
  const spline = reluSpline(polygon, arithmetic);
  const slopes = splineSlopes(spline);
  const steepest = shifts.length > 0 ? slopes.all : slopes.outer;
  return {
    kind: "spline",
    shifts,
    spline,
    units: shifts.length + spline.knots.length,
    localError: sumUp(splineBound(spline, curve, on), defect),
    rounding: splineRounding(spline, shifts, computed, slopes.all, arithmetic),
    growth: growthOf(f, range, steepest),
  };
}

/** Any order of the sum, with or without fused multiply-add; folds pass their rounding on by the spline's slopes. */
function splineRounding(
  { offset, slope, knots, changes, pivot }: ReluSpline,
  shifts: readonly number[],
  computed: Interval,
  steepest: number,
  arithmetic: Arithmetic,
): number {
  const { u, tiny } = arithmetic;
  let [z, folds] = [computed, 0];
  for (const shift of shifts) {
    const moved = I.sub(z, I.point(shift));
    folds = sumUp(folds, productUp(gamma(1, u), magnitude(moved)), tiny);
    z = I.abs(moved);
    z = { lower: Math.max(0, I.sub(I.point(z.lower), I.point(folds)).lower), upper: sumUp(z.upper, folds) };
  }
  let size = sumUp(Math.abs(offset), productUp(Math.abs(slope), magnitude(z)));
  let weights = 0;
  changes.forEach((c, j) => {
    const [x, left, right] = [I.point(knots[j]!), I.point(z.lower), I.point(z.upper)];
    const most = Math.max(0, (j < pivot ? I.sub(x, left) : I.sub(right, x)).upper);
    size = sumUp(size, productUp(Math.abs(c), most));
    weights = sumUp(weights, Math.abs(c));
  });
  const terms = changes.length + 6;
  const lost = productUp(tiny, sumUp(terms, weights));
  return sumUp(sumRounding(terms, size, arithmetic), productUp(steepest, folds), lost);
}

/**
 * Over a distance e, f changes by at most its steepest slope times e. A function that is steep at an end of its domain
 * (a root at 0, an arc at 1) changes most at an end of the range, by less than that. Outside of the range the spline's
 * outer pieces go on with their slopes.
 */
function growthOf(f: Univariate, range: Interval, steepest: number): (e: number) => number {
  const lipschitz = magnitude(f.taylor(range, 1)[1]!);
  const direct = (e: number): number => productUp(Math.max(lipschitz, steepest), e);
  if (!f.isSteep) return direct;
  const { lower, upper } = range;
  const change = (from: number, to: number): number =>
    magnitude(I.sub(f.enclosure(I.point(to)), f.enclosure(I.point(from))));
  return (e) => {
    if (e === 0) return 0;
    const right = Math.min(upper, I.add(I.point(lower), I.point(e)).upper);
    const left = Math.max(lower, I.sub(I.point(upper), I.point(e)).lower);
    const atEnds = Math.max(change(lower, right), change(left, upper));
    return Math.min(direct(e), sumUp(atEnds, productUp(steepest, e)));
  };
}
