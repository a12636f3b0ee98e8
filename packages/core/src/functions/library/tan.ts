// The tangent: y' = 1 + y^2.
import * as I from "../../numbers/interval/index.ts";
import { intervals } from "../arithmetic.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { inflectionsFrom } from "../inflections.ts";
import { riccati } from "../taylor.ts";

const [one, two] = [I.point(1), I.point(2)];

export const tan = {
  operator: "Tan",
  formula: {
    name: "tan",
    value: Math.tan,
    derivative: (x) => 1 + Math.tan(x) ** 2,
    second: (x) => 2 * Math.tan(x) * (1 + Math.tan(x) ** 2),
    enclosure: I.tan,
    taylor: (x, order) => {
      const value = I.tan(x);
      const slope = I.add(one, I.squared(value));
      return riccati(intervals, { value, slope, linear: I.mul(two, value), square: 1 }, order);
    },
    inflections: inflectionsFrom(0),
    isEven: false,
    isSteep: false,
  },
} satisfies FunctionOfOneVariable;
