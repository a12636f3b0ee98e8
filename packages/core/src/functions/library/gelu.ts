// x P(x), with the distribution function P of a standard normal number, and its approximation by tanh. Minima and turns
// without a closed form are from 40-digit arithmetic, to 12 places; the least values are rounded down in the last place.
import {
  add,
  erf,
  exp,
  type Interval,
  mul,
  neg,
  point,
  type RealFunction,
  squared,
  tanh,
} from "../../numbers/interval/index.ts";
import { bend, hump, near } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { dualOf } from "../dual.ts";
import { oneMinusSquare, valley, withTails } from "../enclosing.ts";
import { angle } from "../pair-formula.ts";

const [half, one, three] = [point(0.5), point(1), point(3)];
const rootOfHalf = near(Math.SQRT1_2);
/** P(X <= x) and the density of a standard normal number. */
const normal: RealFunction = (x) => mul(half, add(one, erf(mul(rootOfHalf, x))));
const density: RealFunction = (x) => mul(near(1 / Math.sqrt(2 * Math.PI)), exp(neg(mul(half, squared(x)))));
const rootOf2 = near(Math.SQRT2);

const value: RealFunction = (x) => mul(x, normal(x));

/**
 * By Stein's lemma, with d = (1 + a) (1 + b) - k^2 and S = E P(u) P(v) = 1/4 + arctan(k / sqrt(d)) / (2 pi):
 * E f f = k S + (a b + k^2 (1 / (1 + a) + 1 / (1 + b) - 1)) / (2 pi sqrt(d)),
 * E f' f' = S + k (1 / (1 + a) + 1 / (1 + b) + 1 / d) / (2 pi sqrt(d)).
 */
const dual = dualOf((of, k, a, b) => {
  const { number, plus, times } = of;
  const one = number(1);
  const [p, q, square] = [plus(one, a), plus(one, b), times(k, k)];
  const rest = of.root(of.minus(times(p, q), square));
  const turn = angle(of, k, rest, times(of.root(p), of.root(q)));
  const both = plus(number(0.25), times(turn, number(1 / (2 * Math.PI))));
  // One division serves both quotients by sqrt(d), and each variance has its own.
  const inverse = of.over(one, rest);
  const part = times(inverse, number(1 / (2 * Math.PI)));
  const inverses = plus(of.over(one, p), of.over(one, q));
  const inner = plus(times(a, b), times(square, of.minus(inverses, one)));
  return {
    value: plus(times(k, both), times(inner, part)),
    slope: plus(both, times(times(k, plus(inverses, times(inverse, inverse))), part)),
  };
});

/** The second derivative is density (2 - x^2). */
export const gelu = {
  apply: (x) => x.op("Gelu"),
  enclosure: valley(withTails(value), { lower: -0.751791524694, upper: -0.751791524693 }, -0.169971207479904),
  bend: bend("Gelu", value, (x) => add(normal(x), mul(x, density(x))), hump(neg(rootOf2), rootOf2)),
  dual: () => dual,
} satisfies FunctionOfOneVariable;

const cubicFactor = near(0.044715);
const tanhFactor = near(Math.sqrt(2 / Math.PI));
/** p = sqrt(2/pi) (x + 0.044715 x^3) and p'. */
const inner: RealFunction = (x) => mul(tanhFactor, mul(x, add(one, mul(cubicFactor, squared(x)))));
const innerSlope: RealFunction = (x) => mul(tanhFactor, add(one, mul(three, mul(cubicFactor, squared(x)))));
/** Where the second derivative, (1 - t^2) (p' + x p''/2 - x t p'^2) with t = tanh p, is 0: an even function of x. */
const turn: Interval = { lower: 1.41850400879, upper: 1.418504008791 };

const tanhValue: RealFunction = (x) => mul(mul(half, x), add(one, tanh(inner(x))));
const tanhSlope: RealFunction = (x) => {
  const t = tanh(inner(x));
  return mul(half, add(add(one, t), mul(x, mul(oneMinusSquare(t), innerSlope(x)))));
};

/** x (1 + tanh p) / 2. */
export const tanhGelu = {
  apply: (x) => {
    if (x.type.type === "float32") return x.op("Gelu", [], { approximate: "tanh" });
    const halved = x.mul(0.5);
    const p = x
      .mul(x)
      .mul(0.044715)
      .add(1)
      .mul(x)
      .mul(Math.sqrt(2 / Math.PI));
    return halved.mul(p.tanh().add(1));
  },
  enclosure: valley(
    withTails(tanhValue),
    { lower: -0.752461422072, upper: -0.752461422071 },
    -0.170040750571255,
  ),
  bend: bend("Gelu (tanh)", tanhValue, tanhSlope, hump(neg(turn), turn)),
} satisfies FunctionOfOneVariable;
