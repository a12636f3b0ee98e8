// The arctangent, whose slope is 1 / (1 + x^2).
import type { Value } from "../../graph/value.ts";
import * as I from "../../numbers/interval/index.ts";
import { intervals, numbers } from "../arithmetic.ts";
import { type FunctionOfOneVariable, plain, type Taylor } from "../definition.ts";
import { inFloat32 } from "../float32.ts";
import { inflectionAtZero } from "../inflections.ts";
import { scaledPoint } from "../scaled-point.ts";
import { integrated, reciprocalOfQuadratic } from "../taylor.ts";

const [one, two] = [I.point(1), I.point(2)];

const taylor: Taylor = (x, order) => {
  const slope = reciprocalOfQuadratic(intervals, I.add(one, I.squared(x)), I.mul(two, x), order - 1);
  return integrated(intervals, I.atan(x), slope, order);
};

export const arctan = {
  operator: "Atan",
  activation: plain({
    /** y + sin(theta - y), from y = sin(theta), three times: the error d becomes d - sin d, at most 0.571, 0.031, 5e-6, 2e-17. */
    apply: inFloat32("Atan", (x) => {
      const { length, ...point } = scaledPoint(x, 1);
      const [sine, cosine] = [point.sine.div(length), point.cosine.div(length)];
      const step = (y: Value): Value => y.add(sine.mul(y.cos()).sub(cosine.mul(y.sin())));
      return step(step(step(sine)));
    }),
    jet: (x, order) =>
      integrated(numbers, Math.atan(x), reciprocalOfQuadratic(numbers, 1 + x * x, 2 * x, order - 1), order),
    limits: [-Math.PI / 2, Math.PI / 2],
    bounded: true,
    lipschitz: 1,
    smoothness: Number.POSITIVE_INFINITY,
    genericPoint: 0.5,
  }),
  taylor,
  formula: {
    name: "atan",
    value: Math.atan,
    derivative: (x) => 1 / (1 + x * x),
    second: (x) => (-2 * x) / (1 + x * x) ** 2,
    enclosure: I.atan,
    taylor,
    inflections: inflectionAtZero,
    isEven: false,
    isSteep: false,
  },
  curve: {
    name: "Atan",
    inflection: 0,
    value: Math.atan,
    slope: (z) => 1 / (1 + z * z),
    stationary: (lambda) => {
      const z = lambda > 0 && lambda < 1 ? Math.sqrt(1 / lambda - 1) : 0;
      return [-z, z];
    },
  },
} satisfies FunctionOfOneVariable;
