// The inverses of the hyperbolic functions.
import type { RealFunction } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { always, bend, turning } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { oneMinusSquare, reciprocalRoot } from "../enclosing.ts";

const one = I.point(1);

export const asinh = {
  operator: "Asinh",
  enclosure: I.asinh,
  bend: bend("Asinh", I.asinh, (x) => I.inverse(I.sqrt(I.add(one, I.squared(x)))), turning(1)),
} satisfies FunctionOfOneVariable;

export const acosh = {
  operator: "Acosh",
  enclosure: I.acosh,
  bend: bend("Acosh", I.acosh, (x) => reciprocalRoot(I.mul(I.sub(x, one), I.add(x, one))), always(-1)),
} satisfies FunctionOfOneVariable;

/** Lines need finite values: -1 and 1 are outside of the domain. */
const finiteAtanh: RealFunction = (x) => {
  const y = I.atanh(x);
  if (!Number.isFinite(y.lower) || !Number.isFinite(y.upper))
    throw new RangeError(`it is infinite between ${x.lower} and ${x.upper}`);
  return y;
};

export const atanh = {
  operator: "Atanh",
  enclosure: I.atanh,
  bend: bend("Atanh", finiteAtanh, (x) => I.inverse(oneMinusSquare(x)), turning(-1)),
} satisfies FunctionOfOneVariable;
