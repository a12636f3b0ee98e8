// Functions made of exp and log, exact to a few units in the last place also where their formulas cancel.
import type { Value } from "../value.ts";
import type { Definitions } from "./definition.ts";
import { constant, greater, less, odd, where } from "./expression.ts";

/** exp(x) - 1 for x <= 0 (or small): with t = tanh(x/2) it is 2t / (1 - t), which does not cancel. */
export function expMinus1(x: Value): Value {
  const t = x.mul(0.5).tanh();
  return t.mul(2).div(constant(x, 1).sub(t));
}

/** exp(x) - 1 for x >= 0: exp(x) (1 - exp(-x)). */
export const expMinus1Above0 = (x: Value): Value => x.exp().mul(expMinus1(x.neg()).neg());

/**
 * log(1 + u) for u >= 0: log w + (u - (w - 1)) / w, where w is 1 + u as rounded.
 * The second term is what the rounding took away; its own derivative is 0, so that of the sum is 1 / w.
 */
export function log1Plus(u: Value): Value {
  // An infinite u would make the correction NaN; beyond 2^53 there is none anyway.
  const v = u.min(2 ** 60);
  const w = v.add(1);
  return u
    .add(1)
    .log()
    .add(v.sub(w.sub(1)).div(w));
}

/** (exp(x/2)^2 + sign exp(-x/2)^2) / 2: exp(x) itself would overflow a little too early. */
function halfSum(x: Value, sign: 1 | -1): Value {
  const grown = x.mul(0.5).exp();
  const shrunk = x.mul(-0.5).exp();
  return grown
    .mul(0.5)
    .mul(grown)
    .add(shrunk.mul(0.5 * sign).mul(shrunk));
}

/** The function for moderate a; for large ones log(2a), which it then equals and which does not overflow. */
function orLogOfTwice(a: Value, moderate: (a: Value) => Value): Value {
  const large = greater(a, 2 ** 30);
  return where(large, a.max(1).log().add(Math.LN2), moderate(where(large, 2, a, a)), a);
}

export const exponential: Definitions = {
  /** Near 0, where the difference of exponentials cancels: 2t / ((1 - t)(1 + t)) with t = tanh(x/2). */
  Sinh: ([x]) => {
    const near = less(x!.abs(), 1);
    const t = where(near, x!, 0, x!).mul(0.5).tanh();
    const one = constant(x!, 1);
    const small = t.mul(2).div(one.sub(t).mul(one.add(t)));
    return where(near, small, halfSum(x!, -1), x!);
  },
  Cosh: ([x]) => halfSum(x!, 1),
  /** asinh a = log(1 + a + a^2 / (1 + sqrt(1 + a^2))). */
  Asinh: ([x]) =>
    odd(x!, (a) => orLogOfTwice(a, (b) => log1Plus(b.add(b.mul(b).div(b.mul(b).add(1).sqrt().add(1)))))),
  /** acosh(1 + t) = log(1 + t + sqrt(t) sqrt(t + 2)). */
  Acosh: ([x]) =>
    orLogOfTwice(x!, (a) => {
      const t = a.sub(1);
      return log1Plus(t.add(t.sqrt().mul(t.add(2).sqrt())));
    }),
  Atanh: ([x]) => odd(x!, (a) => log1Plus(a.mul(2).div(constant(a, 1).sub(a))).mul(0.5)),
};
