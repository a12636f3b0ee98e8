// The tangent and the inverse trigonometric functions.
import type { Value } from "../value.ts";
import type { Definitions } from "./definition.ts";
import { constant, greater, less, odd, polynomial, where } from "./expression.ts";

/** pi/2 in parts that have so few bits that small multiples of them are exact (Cody and Waite). */
interface QuarterTurn {
  readonly parts: readonly number[];
  /** Beyond this the multiples are not exact any more; there the runtime's own reduction must do. */
  readonly largest: number;
}
const wide: QuarterTurn = {
  parts: [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21],
  largest: 2 ** 20,
};
const narrow: QuarterTurn = {
  parts: [1.5703125, 4.837512969970703e-4, 7.549789954891882e-8],
  largest: 2 ** 12,
};

/** Coefficients of (atan x - x) / x^3 as a quotient of polynomials in x^2, for |x| <= 0.66 (Moshier, Cephes). */
const atanNumerator = [
  -0.8750608600031904, -16.157537187333652, -75.00855792314705, -122.88666844901361, -64.85021904942025,
];
const atanDenominator = [
  1, 24.858464901423062, 165.02700983169885, 432.88106049129027, 485.3903996359137, 194.5506571482614,
];
/** pi/4 and pi/2 lack these when they are rounded. */
const [lostOfEighth, lostOfQuarter] = [3.061616997868383e-17, 6.123233995736766e-17];

/** atan a for a >= 0: pi/2 - atan(1/a) for a large a, pi/4 + atan((a-1)/(a+1)) for a middle one. */
function arctangent(a: Value): Value {
  const large = greater(a, 1 + Math.SQRT2);
  const middle = greater(a, 0.66);
  const numerator = where(large, -1, where(middle, a.sub(1), a, a), a);
  const denominator = where(large, a, where(middle, a.add(1), 1, a), a);
  const r = numerator.div(denominator);
  const z = r.mul(r);
  const quotient = z.mul(polynomial(z, atanNumerator)).div(polynomial(z, atanDenominator));
  const start = where(large, Math.PI / 2, where(middle, Math.PI / 4, 0, a), a);
  const lost = where(large, lostOfQuarter, where(middle, lostOfEighth, 0, a), a);
  return start.add(r.mul(quotient).add(lost).add(r));
}

/** sqrt(1 - x^2), which does not cancel near 1. */
const cosineOf = (x: Value): Value => {
  const one = constant(x, 1);
  return one.sub(x).mul(one.add(x)).sqrt();
};

export const trigonometric: Definitions = {
  /** x = n pi/2 + r: the tangent is that of r, or -1 over it for odd n. */
  Tan: ([x]) => {
    const { parts, largest } = x!.type.type === "float64" ? wide : narrow;
    const reducible = less(x!.abs(), largest);
    const n = where(reducible, x!, 0, x!)
      .mul(2 / Math.PI)
      .op("Round");
    const r = parts.reduce((rest: Value, part) => rest.sub(n.mul(part)), x!);
    const isOdd = greater(n.sub(n.mul(0.5).op("Floor").mul(2)), 0.5);
    const [sine, cosine] = [r.sin(), r.cos()];
    return where(isOdd, cosine.neg(), sine, r).div(where(isOdd, sine, cosine, r));
  },
  Atan: ([x]) => odd(x!, arctangent),
  /** asin x = 2 atan(x / (1 + sqrt(1 - x^2))). */
  Asin: ([x]) => x!.div(cosineOf(x!).add(1)).op("Atan").mul(2),
  /** acos x = 2 atan sqrt((1 - x) / (1 + x)). */
  Acos: ([x]) => {
    const one = constant(x!, 1);
    return one.sub(x!).div(one.add(x!)).sqrt().op("Atan").mul(2);
  },
};
