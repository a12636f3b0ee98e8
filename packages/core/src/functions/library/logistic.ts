// s(x) = 1 / (1 + e^-x): s' = s - s^2 = s(x) s(-x).
import type { Interval } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { intervals, numbers } from "../arithmetic.ts";
import { type FunctionOfOneVariable, type Jet, plain } from "../definition.ts";
import { inflectionAtZero } from "../inflections.ts";
import { riccati } from "../taylor.ts";

/** From e^-|x|, so that nothing cancels or overflows in either tail. */
export function logisticValue(x: number): number {
  const e = Math.exp(-Math.abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}
const slope = (x: number): number => logisticValue(x) * logisticValue(-x);

/** With s(-x) for 1 - s(x), which would cancel. */
export function logisticJet(x: number, order: number): Jet {
  const value = logisticValue(x);
  if (order === 0) return [value];
  return riccati(numbers, { value, slope: slope(x), linear: 1 - 2 * value, square: -1 }, order);
}

const [one, minusTwo] = [I.point(1), I.point(-2)];
export function logisticTaylor(x: Interval, order: number): readonly Interval[] {
  const value = I.sigmoid(x);
  const growth = I.mul(value, I.sub(one, value));
  const linear = I.add(one, I.mul(minusTwo, value));
  return riccati(intervals, { value, slope: growth, linear, square: -1 }, order);
}

export const logistic = {
  operator: "Sigmoid",
  activation: plain({
    apply: (x) => x.sigmoid(),
    jet: logisticJet,
    limits: [0, 1],
    bounded: true,
    lipschitz: 1 / 4,
    smoothness: Number.POSITIVE_INFINITY,
    genericPoint: 1,
  }),
  taylor: logisticTaylor,
  formula: {
    name: "sigmoid",
    value: logisticValue,
    derivative: slope,
    second: (x) => slope(x) * (logisticValue(-x) - logisticValue(x)),
    enclosure: I.sigmoid,
    taylor: logisticTaylor,
    inflections: inflectionAtZero,
    isEven: false,
    isSteep: false,
  },
  curve: {
    name: "Sigmoid",
    isPositive: true,
    inflection: 0,
    value: logisticValue,
    slope,
    /** Where s (1 - s) = lambda. */
    stationary: (lambda) => {
      if (!(lambda > 0) || lambda > 0.25) return [0];
      const s = 0.5 + Math.sqrt(0.25 - lambda);
      const z = Math.log(s * s) - Math.log(lambda); // s / (1 - s) = s^2 / lambda, without cancellation
      return [-z, z];
    },
  },
} satisfies FunctionOfOneVariable;
