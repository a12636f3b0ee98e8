// The error function, whose slope is 2 / sqrt(pi) exp(-x^2).
import { angle } from "../../numbers/angle.ts";
import type { RealFunction } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { intervals } from "../arithmetic.ts";
import { bend, near, turning } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import type { Dual } from "../dual.ts";
import { inflectionAtZero } from "../inflections.ts";
import { gaussian, integrated } from "../taylor.ts";

const slope = (x: number): number => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x);
const twoOverRootPi = near(2 / Math.sqrt(Math.PI));
const slopeEnclosure: RealFunction = (x) => I.mul(twoOverRootPi, I.exp(I.neg(I.squared(x))));

/** E f f = (2 / pi) arcsin(2 k / sqrt(p)), p = (1 + 2 a) (1 + 2 b), and E f' f' = (4 / pi) (p - 4 k^2)^(-1/2). */
const dual: Dual = ({ k, from, count, a, aFrom, aStep, b, bFrom, value, slope }) => {
  for (let j = 0; j < count; j++) {
    const c = 2 * k[from + j]!;
    const root = Math.sqrt((1 + 2 * a[aFrom + j * aStep]!) * (1 + 2 * b[bFrom + j]!) - c * c);
    value[from + j] = (2 / Math.PI) * angle(c, root);
    slope[from + j] = 4 / Math.PI / root;
  }
  return 0;
};

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
