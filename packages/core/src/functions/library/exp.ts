// e^x.
import * as I from "../../numbers/interval/index.ts";
import { intervals, numbers } from "../arithmetic.ts";
import { type FunctionOfOneVariable, plain, type Taylor } from "../definition.ts";
import { type OfPair, pointwise } from "../dual.ts";
import { noInflection } from "../inflections.ts";
import { exponential } from "../taylor.ts";

/** E e^(u + v). */
const moment: OfPair = (k, a, b) => Math.exp((a + b) / 2 + k);

const taylor: Taylor = (x, order) => exponential(intervals, I.exp(x), order);

export const exp = {
  operator: "Exp",
  activation: plain({
    apply: (x) => x.exp(),
    jet: (x, order) => exponential(numbers, Math.exp(x), order),
    limits: [0, Number.POSITIVE_INFINITY],
    bounded: false,
    lipschitz: Number.POSITIVE_INFINITY,
    smoothness: Number.POSITIVE_INFINITY,
    genericPoint: 0,
  }),
  taylor,
  formula: {
    name: "exp",
    value: Math.exp,
    derivative: Math.exp,
    second: Math.exp,
    enclosure: I.exp,
    taylor,
    inflections: noInflection,
    isEven: false,
    isSteep: false,
  },
  curve: {
    name: "Exp",
    isPositive: true,
    inflection: Number.POSITIVE_INFINITY,
    value: Math.exp,
    slope: Math.exp,
    stationary: (lambda) => (lambda > 0 ? [Math.log(lambda)] : []),
  },
  dual: () => pointwise(moment, moment),
} satisfies FunctionOfOneVariable;
