// x tanh(softplus x).
import {
  add,
  type Interval,
  mul,
  point,
  sigmoid,
  softplus,
  sub,
  tanh,
} from "../../numbers/interval/index.ts";
import { bend, hump } from "./curvature.ts";
import { valley, withTails } from "./enclosing.ts";

const one = point(1);

/**
 * x w with w = tanh(softplus x) = 1 - 2/d, d = u^2 + 2u + 2, u = e^x. The second derivative has the sign of
 * 2 (u + 1) d + x (2 + 2u - 3u^2 - 2u^3), which is 0 at these two places only.
 */
const turns: readonly [Interval, Interval] = [
  { lower: -2.256376396361, upper: -2.25637639636 },
  { lower: 1.490571179485, upper: 1.490571179486 },
];
export const mish = bend(
  "Mish",
  (x) => mul(x, tanh(softplus(x))),
  (x) => {
    const t = tanh(softplus(x));
    const fall = mul(sub(one, t), add(one, t));
    return add(t, mul(x, mul(fall, sigmoid(x))));
  },
  hump(...turns),
);

/** The minimum is from 40-digit arithmetic, to 12 places; the least value is rounded down in the last place given. */
export const mishEnclosure = valley(
  withTails(mish.value),
  { lower: -1.192431214516, upper: -1.192431214515 },
  -0.308843413017251,
);
