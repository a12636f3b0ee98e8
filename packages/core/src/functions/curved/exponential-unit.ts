// alpha (e^(x / width) - 1) up to 0, then gamma x: Elu, Selu and Celu.
import {
  div,
  exp,
  expm1,
  hull,
  type Interval,
  inverse,
  mul,
  point,
  type RealFunction,
} from "../../numbers/interval/index.ts";
import type { Bend } from "../bends.ts";
import { bend } from "./curvature.ts";
import { itself, joinedAt, times } from "./enclosing.ts";

/** alpha, width and gamma above 0. */
export const exponentialUnit = (name: string, alpha: Interval, width: number, gamma: number): Bend =>
  bend(
    name,
    (x) => (x.lower >= 0 ? mul(point(gamma), x) : mul(alpha, expm1(div(x, point(width))))),
    (x) => {
      const left = (upper: number): Interval =>
        mul(div(alpha, point(width)), exp(div({ lower: Math.min(x.lower, upper), upper }, point(width))));
      if (x.lower > 0) return point(gamma);
      return x.upper < 0 ? left(x.upper) : hull(left(0), point(gamma));
    },
    () => ({ turns: [point(0)], ways: [1, 0] }),
  );

/** alpha (e^x - 1) below 0, x above; alpha may be any number. */
export const eluEnclosure = (alpha: number): RealFunction => joinedAt(0, times(alpha, expm1), itself);

/** alpha (e^(x / alpha) - 1) below 0, x above. */
export const celuEnclosure = (alpha: number): RealFunction =>
  joinedAt(
    0,
    times(alpha, (x) => expm1(mul(x, inverse(point(alpha))))),
    itself,
  );
