// The error function, whose slope is 2 / sqrt(pi) exp(-x^2).
import type { RealFunction } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { intervals } from "../arithmetic.ts";
import { bend, near, turning } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { inflectionAtZero } from "../inflections.ts";
import { gaussian, integrated } from "../taylor.ts";

const slope = (x: number): number => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x);
const twoOverRootPi = near(2 / Math.sqrt(Math.PI));
const slopeEnclosure: RealFunction = (x) => I.mul(twoOverRootPi, I.exp(I.neg(I.squared(x))));

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
} satisfies FunctionOfOneVariable;
