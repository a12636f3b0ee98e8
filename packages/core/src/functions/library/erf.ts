// The error function, whose slope is 2 / sqrt(pi) exp(-x^2).
import type { RealFunction } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { intervals } from "../arithmetic.ts";
import { bend, near, turning } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { dualOf } from "../dual.ts";
import { inflectionAtZero } from "../inflections.ts";
import { angle } from "../pair-formula.ts";
import { gaussian, integrated } from "../taylor.ts";

const slope = (x: number): number => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x);
const twoOverRootPi = near(2 / Math.sqrt(Math.PI));
const slopeEnclosure: RealFunction = (x) => I.mul(twoOverRootPi, I.exp(I.neg(I.squared(x))));

/** E f f = (2 / pi) arcsin(2 k / sqrt(p)), p = (1 + 2 a) (1 + 2 b), and E f' f' = (4 / pi) (p - 4 k^2)^(-1/2). */
const dual = dualOf((of, k, a, b) => {
  const { number, plus, times } = of;
  const [c, p, q] = [plus(k, k), plus(number(1), plus(a, a)), plus(number(1), plus(b, b))];
  const rest = of.root(of.minus(times(p, q), times(c, c)));
  return {
    value: times(number(2 / Math.PI), angle(of, c, rest, times(of.root(p), of.root(q)))),
    slope: of.over(number(4 / Math.PI), rest),
  };
});

export const erf = {
  operator: "Erf",
  formula: {
    name: "erf",
    /** To about 1e-16, from its enclosure. */
    value: (x) => {
      const { lower, upper } = I.erf(I.point(x));
      return (lower + upper) / 2;
    },
    derivative: slope,
    second: (x) => -2 * x * slope(x),
    enclosure: I.erf,
    taylor: (x, order) =>
      integrated(intervals, I.erf(x), gaussian(intervals, slopeEnclosure(x), x, 2, order - 1), order),
    inflections: inflectionAtZero,
    isEven: false,
    isSteep: false,
  },
  bend: bend("Erf", I.erf, slopeEnclosure, turning(1)),
  dual: () => dual,
} satisfies FunctionOfOneVariable;
