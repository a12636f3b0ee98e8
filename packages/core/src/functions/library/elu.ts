// Exponential units, alpha (e^(x / width) - 1) up to 0, then gamma x: Elu, Selu and Celu.
import {
  div,
  exp,
  expm1,
  hull,
  type Interval,
  inverse,
  mul,
  point,
  type RealFunction,
} from "../../numbers/interval/index.ts";
import { numbers } from "../arithmetic.ts";
import type { Bend } from "../bends.ts";
import { bend } from "../curvature.ts";
import type { Curve } from "../curves.ts";
import { type FunctionOfOneVariable, type Jet, plain } from "../definition.ts";
import { itself, joinedAt, times } from "../enclosing.ts";
import { inFloat32 } from "../float32.ts";
import { exponential } from "../taylor.ts";
import { lineJet, twoSided } from "../two-sided.ts";

const leftJet = (x: number, order: number): Jet =>
  exponential(numbers, Math.exp(x), order).with(0, Math.expm1(x));

/** e^m - 1 = 2 t / (1 - t) with t = tanh(m / 2), which loses no digits near 0. */
const apply = inFloat32("Elu", (x) => {
  const t = x.min(0).mul(0.5).tanh();
  return x.relu().add(t.mul(2).div(t.neg().add(1)));
});

/** e^x - 1 up to 0, then x. */
export const elu = {
  activation: {
    ...plain({
      apply,
      jet: twoSided(1, leftJet, lineJet(1)),
      limits: [-1, Number.POSITIVE_INFINITY],
      bounded: false,
      lipschitz: 1,
      smoothness: 1,
      genericPoint: -1,
    }),
    read: ({ op, attribute }) => (op === "Elu" && attribute("alpha") === 1 ? 1 : undefined),
  },
} satisfies FunctionOfOneVariable;

/** lambda (max(x, 0) + alpha (e^min(x, 0) - 1)), the constants of Klambauer et al. (2017). */
export const applySelu = inFloat32("Selu", (x) =>
  x
    .relu()
    .add(apply(x.min(0)).mul(1.6732632423543772))
    .mul(1.0507009873554805),
);

/** x from 0 on, alpha (e^x - 1) before; convex for 0 <= alpha <= 1. */
export const eluCurve = (alpha: number): Curve => ({
  name: `Elu ${alpha}`,
  inflection: Number.POSITIVE_INFINITY,
  value: (z) => (z > 0 ? z : alpha * Math.expm1(z)),
  slope: (z) => (z > 0 ? 1 : alpha * Math.exp(z)),
  stationary: (lambda) => (lambda > 0 && lambda < alpha ? [Math.log(lambda / alpha), 0] : [0]),
});

/** alpha, width and gamma above 0. */
export const exponentialUnit = (name: string, alpha: Interval, width: number, gamma: number): Bend =>
  bend(
    name,
    (x) => (x.lower >= 0 ? mul(point(gamma), x) : mul(alpha, expm1(div(x, point(width))))),
    (x) => {
      const left = (upper: number): Interval =>
        mul(div(alpha, point(width)), exp(div({ lower: Math.min(x.lower, upper), upper }, point(width))));
      if (x.lower > 0) return point(gamma);
      return x.upper < 0 ? left(x.upper) : hull(left(0), point(gamma));
    },
    () => ({ turns: [point(0)], ways: [1, 0] }),
  );

/** alpha (e^x - 1) below 0, x above; alpha may be any number. */
export const eluEnclosure = (alpha: number): RealFunction => joinedAt(0, times(alpha, expm1), itself);

/** alpha (e^(x / alpha) - 1) below 0, x above. */
export const celuEnclosure = (alpha: number): RealFunction =>
  joinedAt(
    0,
    times(alpha, (x) => expm1(mul(x, inverse(point(alpha))))),
    itself,
  );
