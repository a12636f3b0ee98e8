// x / (1 + |x|) = sign(x) (1 - 1 / (1 + |x|)), which increases.
import { add, div, type Interval, point, type RealFunction } from "../../numbers/interval/index.ts";

export const softsignEnclosure: RealFunction = ({ lower, upper }) => ({
  lower: at(lower).lower,
  upper: at(upper).upper,
});

function at(x: number): Interval {
  if (Math.abs(x) === Number.POSITIVE_INFINITY) return point(Math.sign(x));
  const quotient = div(point(x), add(point(1), point(Math.abs(x))));
  return { lower: Math.max(-1, quotient.lower), upper: Math.min(1, quotient.upper) };
}
