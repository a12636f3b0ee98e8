// The hyperbolic tangent: t' = 1 - t^2, and t(x) = 2 s(2 x) - 1 for the logistic function s.
import * as I from "../../numbers/interval/index.ts";
import { intervals } from "../arithmetic.ts";
import { type FunctionOfOneVariable, plain } from "../definition.ts";
import { inflectionAtZero } from "../inflections.ts";
import { riccati } from "../taylor.ts";
import { logisticJet, logisticTaylor } from "./logistic.ts";

const [one, two, minusTwo] = [I.point(1), I.point(2), I.point(-2)];
const slope = (x: number): number => 1 - Math.tanh(x) ** 2;

export const tanh = {
  operator: "Tanh",
  activation: plain({
    apply: (x) => x.tanh(),
    jet: (x, order) => logisticJet(2 * x, order).map((c, k) => (k === 0 ? Math.tanh(x) : 2 ** (k + 1) * c)),
    limits: [-1, 1],
    bounded: true,
    lipschitz: 1,
    smoothness: Number.POSITIVE_INFINITY,
    genericPoint: 0.5,
  }),
  /** By the logistic function, whose small derivatives on the left are known to a part of themselves. */
  taylor: (x, order) =>
    logisticTaylor(I.mul(two, x), order).map((c, k) =>
      k === 0 ? I.sub(I.mul(two, c), one) : I.mul(I.point(2 ** (k + 1)), c),
    ),
  formula: {
    name: "tanh",
    value: Math.tanh,
    derivative: slope,
    second: (x) => -2 * Math.tanh(x) * slope(x),
    enclosure: I.tanh,
    /** By t itself, whose square is known exactly on wide intervals, as the checker has it. */
    taylor: (x, order) => {
      const value = I.tanh(x);
      const fall = I.sub(one, I.squared(value));
      return riccati(intervals, { value, slope: fall, linear: I.mul(minusTwo, value), square: -1 }, order);
    },
    inflections: inflectionAtZero,
    isEven: false,
    isSteep: false,
  },
  curve: {
    name: "Tanh",
    inflection: 0,
    value: Math.tanh,
    slope: (z) => Math.max(0, slope(z)),
    stationary: (lambda) => {
      if (!(lambda > 0) || lambda >= 1) return [0];
      // tanh z = t with 1 - t^2 = lambda: z = log((1 + t) / (1 - t)) / 2, without cancellation
      const z = Math.log(1 + Math.sqrt(1 - lambda)) - Math.log(lambda) / 2;
      return [-z, z];
    },
  },
} satisfies FunctionOfOneVariable;
