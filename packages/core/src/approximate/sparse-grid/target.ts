// Functions on [0, 1]^d that vanish on the boundary, with enclosures of their values and a bound of D^(2,...,2) f.
import {
  add,
  cos,
  exp,
  type Interval,
  interval,
  mul,
  mulUp,
  nextUp,
  point,
  sin,
  sub,
} from "../../numbers/interval/index.ts";

/** A function with bounded mixed derivatives: an element of the Korobov space X^{2,inf}. */
export interface MixedTarget {
  /** In LaTeX. */
  readonly formula: string;
  value(x: ArrayLike<number>): number;
  /** An interval that holds f(x). */
  enclose(x: ArrayLike<number>): Interval;
  /** At least sup |D^(2,...,2) f| in so many dimensions. */
  mixed(dimension: number): number;
}

const pi = interval(Math.PI, nextUp(Math.PI)); // Math.PI is below pi
const one = point(1);
const parabola = (x: number): Interval => mul(point(4 * x), sub(one, point(x)));

function powerUp(base: number, exponent: number): number {
  let power = 1;
  for (let k = 0; k < exponent; k++) power = mulUp(power, base);
  return power;
}

/** prod_j g(x_j), where |g''| <= curvature. */
export const productTarget = (
  formula: string,
  g: (x: number) => number,
  enclosed: (x: number) => Interval,
  curvature: number,
): MixedTarget => ({
  formula,
  value: (x) => {
    let product = 1;
    for (let j = 0; j < x.length; j++) product *= g(x[j]!);
    return product;
  },
  enclose: (x) => Array.from(x, enclosed).reduce((p, t) => mul(p, t), one),
  mixed: (dimension) => powerUp(curvature, dimension),
});

export const mixedTargets = {
  /** |g''| <= pi^2. */
  sine: productTarget(
    String.raw`\prod_j \sin \pi x_j`,
    (x) => Math.sin(Math.PI * x),
    (x) => (x === 0 || x === 1 ? point(0) : sin(mul(pi, point(x)))),
    mulUp(pi.upper, pi.upper),
  ),
  /** g'' = -8. */
  parabola: productTarget(String.raw`\prod_j 4 x_j (1 - x_j)`, (x) => 4 * x * (1 - x), parabola, 8),
  /** g'' = -(3 x + x^2) e^x, greatest at 1. */
  exponential: productTarget(
    String.raw`\prod_j x_j (1 - x_j) e^{x_j}`,
    (x) => x * (1 - x) * Math.exp(x),
    (x) => mul(mul(point(x), sub(one, point(x))), exp(point(x))),
    mulUp(4, nextUp(Math.E)),
  ),
  /**
   * No product: the real part of prod_j g(x_j), g(x) = 4 x (1 - x) e^{ix}; |g''|^2 = 128 - 48 u + u^2 with
   * u = 4 x (1 - x), so |g''| <= 8 sqrt 2.
   */
  wave: {
    formula: String.raw`\cos(x_1 + \dots + x_d) \prod_j 4 x_j (1 - x_j)`,
    value: (x) => {
      let [sum, product] = [0, 1];
      for (let j = 0; j < x.length; j++) {
        sum += x[j]!;
        product *= 4 * x[j]! * (1 - x[j]!);
      }
      return product * Math.cos(sum);
    },
    enclose: (x) => {
      const coordinates = Array.from(x);
      const sum = coordinates.reduce((s, t) => add(s, point(t)), point(0));
      return coordinates.map(parabola).reduce((p, t) => mul(p, t), cos(sum));
    },
    mixed: (dimension) => powerUp(nextUp(8 * Math.SQRT2), dimension),
  },
} as const satisfies Readonly<Record<string, MixedTarget>>;
