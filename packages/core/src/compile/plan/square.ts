// Squares by folds and products by two squares: stored weights, and what they err by.
import { polarization, squareGap } from "../../networks/circuit/identities.ts";
import { gamma } from "../../numbers/floating-point.ts";
import * as I from "../../numbers/interval/index.ts";
import { type Interval, magnitude } from "../../numbers/interval/index.ts";
import { productUp, sumUp } from "../../numbers/rounding.ts";
import type { ProductPlan, SquarePlan } from "../plan.ts";
import { type Arithmetic, summand, sumRounding } from "../precision.ts";

/**
 * What rounding does to F on [-1, 1], whatever the number of folds: s_j is off by u (2^-1 + ... + 2^-j), in all 2 u; the
 * sum from the smallest term up rounds by u (8/3) 4^-j at the term j, in all u; the constant by 1.5 u when it is added.
 */
const chainRounding = (u: number): number => gamma(8, u);

interface Frame {
  readonly centre: number;
  readonly radius: number;
}

/** A centre and a radius with (range - centre) / radius well inside [-1, 1], whatever rounding does. */
function frame({ lower, upper }: Interval, { round, u, tiny }: Arithmetic): Frame {
  const centre = round(lower + (upper - lower) / 2);
  const half = magnitude(I.sub({ lower, upper }, I.point(centre)));
  const radius = half * (1 + 32 * u) + 32 * u * Math.abs(centre) + 2 ** 20 * tiny;
  const rounded = round(radius);
  return { centre, radius: rounded >= radius ? rounded : round(radius * (1 + 2 ** -22)) };
}

/** Of m folds the first takes |t|, the others interpolate its square; F lies half of their gap below: 4^-m / 2 on [-1, 1]. */
const foldError = (levels: number): number => squareGap(levels - 1) / 2;
/** F's constant sum_j 4^-j + 4^-m / 2, below 1/2, has 2 m + 1 bits: what storing it costs. */
const constantError = (levels: number, u: number): number => (2 ** (-2 * levels - 1) >= u ? 0 : u);
const mostLevels = 40;
/**
 * The folds for an error at most delta.
 * @example levelsFor(4 ** -5 / 2) // 5
 */
export const levelsFor = (delta: number): number =>
  Math.max(0, Math.min(mostLevels, Math.ceil(Math.log(0.5 / delta) / Math.log(4) - 1e-12)));

type SquareWeights = Pick<SquarePlan, "scale" | "shift" | "gain" | "linear" | "constant">;
type ProductWeights = Pick<ProductPlan, "scales" | "shifts" | "gain" | "linear" | "constant">;

/** |gain (scale u + shift)^2 + linear u + constant - u^2| for |u| <= most, coefficient by coefficient. */
function squareDefect({ scale, shift, gain, linear, constant }: SquareWeights, most: number): number {
  const [g, a, b] = [gain, scale, shift].map(I.point) as [Interval, Interval, Interval];
  const ga = I.mul(g, a);
  return sumUp(
    productUp(magnitude(I.sub(I.mul(ga, a), I.point(1))), most, most),
    productUp(magnitude(I.add(I.mul(I.mul(I.point(2), ga), b), I.point(linear))), most),
    magnitude(I.add(I.mul(g, I.squared(b)), I.point(constant))),
  );
}

/** u^2 on the range of the computed argument, with an error of about delta. */
export function squarePlan(range: Interval, delta: number, arithmetic: Arithmetic): SquarePlan {
  const { round, u, tiny } = arithmetic;
  const { centre, radius } = frame(range, arithmetic);
  const scale = round(1 / radius);
  const [shift, gain] = [summand(round(0 - centre * scale)), round(radius * radius)];
  const weights = {
    scale,
    shift,
    gain,
    linear: round(2 * centre),
    constant: summand(round(0 - centre * centre)),
  };
  const levels = levelsFor(delta / gain);
  const most = magnitude(range);
  const inside = magnitude(I.add(I.mul(I.point(scale), range), I.point(shift)));
  const sizes = sumUp(productUp(Math.abs(scale), most), Math.abs(shift));
  const argument = sumUp(productUp(gamma(2, u), sizes), 4 * tiny);
  const terms = sumUp(
    productUp(2, gain),
    productUp(Math.abs(weights.linear), most),
    Math.abs(weights.constant),
  );
  const approximation = productUp(gain, sumUp(foldError(levels), constantError(levels, u)));
  return {
    kind: "square",
    levels,
    ...weights,
    units: levels,
    localError: inside <= 1 ? sumUp(squareDefect(weights, most), approximation) : Number.POSITIVE_INFINITY,
    rounding:
      sumUp(inside, argument) <= 1
        ? sumUp(
            productUp(gain, sumUp(productUp(3, argument), chainRounding(u))),
            sumRounding(5, terms, arithmetic),
            8 * tiny,
          )
        : Number.POSITIVE_INFINITY,
  };
}

/**
 * |gain (p^2 - q^2) + linear . (u, v) + constant - u v| for |u| <= mostX, |v| <= mostY, coefficient by coefficient:
 * p^2 - q^2 = (2 b v + sp - sq) (2 a u + sp + sq).
 */
function productDefect(weights: ProductWeights, mostX: number, mostY: number): number {
  const { scales, shifts, gain, linear, constant } = weights;
  const [g, a, b, sp, sq] = [gain, ...scales, ...shifts].map(I.point) as Interval[] as [
    Interval,
    Interval,
    Interval,
    Interval,
    Interval,
  ];
  const two = I.point(2);
  const [difference, sum] = [I.sub(sp, sq), I.add(sp, sq)];
  const [ga, gb] = [I.mul(two, I.mul(g, a)), I.mul(two, I.mul(g, b))];
  return sumUp(
    productUp(magnitude(I.sub(I.mul(I.mul(two, ga), b), I.point(1))), mostX, mostY),
    productUp(magnitude(I.add(I.mul(ga, difference), I.point(linear[0]))), mostX),
    productUp(magnitude(I.add(I.mul(gb, sum), I.point(linear[1]))), mostY),
    magnitude(I.add(I.mul(g, I.mul(difference, sum)), I.point(constant))),
  );
}

function productWeights(x: Frame, y: Frame, round: (x: number) => number): ProductWeights {
  const exact = polarization(x.radius, y.radius);
  const scales = [round(exact.scales[0]), round(exact.scales[1])] as const;
  const [atX, atY] = [x.centre * scales[0], y.centre * scales[1]];
  return {
    scales,
    shifts: [summand(round(0 - (atX + atY))), summand(round(atY - atX))],
    gain: round(exact.gain),
    linear: [y.centre, x.centre],
    constant: summand(round(0 - x.centre * y.centre)),
  };
}

/** u v on the ranges of the computed arguments, with an error of about delta. */
export function productPlan(
  left: Interval,
  right: Interval,
  delta: number,
  arithmetic: Arithmetic,
): ProductPlan {
  const { round, u, tiny } = arithmetic;
  const weights = productWeights(frame(left, arithmetic), frame(right, arithmetic), round);
  const { scales, shifts, gain, linear, constant } = weights;
  const levels = levelsFor(delta / gain / 2);
  const [mostX, mostY] = [magnitude(left), magnitude(right)];
  const [ax, by] = [I.mul(I.point(scales[0]), left), I.mul(I.point(scales[1]), right)];
  const p = magnitude(I.add(I.add(ax, by), I.point(shifts[0])));
  const q = magnitude(I.add(I.sub(ax, by), I.point(shifts[1])));
  const inside = Math.max(p, q);
  const sizes = sumUp(magnitude(ax), magnitude(by), Math.abs(shifts[0]), Math.abs(shifts[1]));
  const argument = sumUp(productUp(gamma(3, u), sizes), 8 * tiny);
  const [atX, atY] = [productUp(Math.abs(linear[0]), mostX), productUp(Math.abs(linear[1]), mostY)];
  const terms = sumUp(productUp(4, gain), atX, atY, Math.abs(constant));
  const approximation = productUp(gain, 2 * foldError(levels));
  return {
    kind: "product",
    levels,
    ...weights,
    units: 2 * levels,
    localError:
      inside <= 1 ? sumUp(productDefect(weights, mostX, mostY), approximation) : Number.POSITIVE_INFINITY,
    rounding:
      sumUp(inside, argument) <= 1
        ? sumUp(
            productUp(2, gain, sumUp(productUp(3, argument), chainRounding(u))),
            sumRounding(6, terms, arithmetic),
            16 * tiny,
          )
        : Number.POSITIVE_INFINITY,
  };
}
