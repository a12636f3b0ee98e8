// 0 up to -3, x (x + 3) / 6 from there to 3, then x: least, -3/8, at -3/2.
import {
  add,
  div,
  hull,
  type Interval,
  mul,
  point,
  type RealFunction,
} from "../../numbers/interval/index.ts";
import { bend } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { itself, joinedAt, valley } from "../enclosing.ts";

const [zero, one, two, three, six] = [point(0), point(1), point(2), point(3), point(6)];
const parabola: RealFunction = (x) => div(mul(x, add(x, three)), six);

const slope: RealFunction = (x) => {
  const parts: Interval[] = [];
  if (x.lower <= -3) parts.push(zero);
  if (x.upper >= 3) parts.push(one);
  if (x.upper >= -3 && x.lower <= 3) {
    const inside = { lower: Math.max(-3, x.lower), upper: Math.min(3, x.upper) };
    parts.push(div(add(mul(two, inside), three), six));
  }
  return parts.reduce(hull);
};

export const hardSwish = {
  operator: "HardSwish",
  enclosure: joinedAt(-3, () => zero, joinedAt(3, valley(parabola, point(-1.5), -0.375), itself)),
  bend: bend(
    "HardSwish",
    (x) => (x.upper <= -3 ? zero : x.lower >= 3 ? x : parabola(x)),
    slope,
    () => ({ turns: [point(-3), three], ways: [0, 1, 0] }),
  ),
} satisfies FunctionOfOneVariable;
