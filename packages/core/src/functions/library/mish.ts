// x tanh(softplus x).
import {
  add,
  type Interval,
  mul,
  type RealFunction,
  sigmoid,
  softplus,
  tanh,
} from "../../numbers/interval/index.ts";
import { bend, hump } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { oneMinusSquare, valley, withTails } from "../enclosing.ts";

/**
 * x w with w = tanh(softplus x) = 1 - 2/d, d = u^2 + 2u + 2, u = e^x. The second derivative has the sign of
 * 2 (u + 1) d + x (2 + 2u - 3u^2 - 2u^3), which is 0 at these two places only.
 */
const turns: readonly [Interval, Interval] = [
  { lower: -2.256376396361, upper: -2.25637639636 },
  { lower: 1.490571179485, upper: 1.490571179486 },
];

const value: RealFunction = (x) => mul(x, tanh(softplus(x)));
const slope: RealFunction = (x) => {
  const t = tanh(softplus(x));
  return add(t, mul(x, mul(oneMinusSquare(t), sigmoid(x))));
};

export const mish = {
  operator: "Mish",
  apply: (x) => x.mul(x.op("Softplus").tanh()),
  /** The minimum is from 40-digit arithmetic, to 12 places; the least value is rounded down in the last place given. */
  enclosure: valley(withTails(value), { lower: -1.192431214516, upper: -1.192431214515 }, -0.308843413017251),
  bend: bend("Mish", value, slope, hump(...turns)),
} satisfies FunctionOfOneVariable;
