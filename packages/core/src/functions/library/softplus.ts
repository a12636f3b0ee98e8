// ln(1 + e^x), whose slope is the logistic function.
import * as I from "../../numbers/interval/index.ts";
import { intervals, numbers } from "../arithmetic.ts";
import { type FunctionOfOneVariable, plain } from "../definition.ts";
import { integrated } from "../taylor.ts";
import { logisticJet, logisticTaylor, logisticValue } from "./logistic.ts";

const value = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

export const softplus = {
  operator: "Softplus",
  activation: plain({
    /** One operator: a sum of bent functions would have no derivative at 0, though this one has. */
    apply: (x) => x.op("Softplus"),
    jet: (x, order) =>
      order === 0 ? [value(x)] : integrated(numbers, value(x), logisticJet(x, order - 1), order),
    limits: [0, Number.POSITIVE_INFINITY],
    bounded: false,
    lipschitz: 1,
    smoothness: Number.POSITIVE_INFINITY,
    genericPoint: 1,
  }),
  taylor: (x, order) => integrated(intervals, I.softplus(x), logisticTaylor(x, order), order),
  enclosure: I.softplus,
  curve: {
    name: "Softplus",
    isPositive: true,
    inflection: Number.POSITIVE_INFINITY,
    value,
    slope: logisticValue,
    stationary: (lambda) => (lambda > 0 && lambda < 1 ? [Math.log(lambda) - Math.log1p(-lambda)] : []),
  },
} satisfies FunctionOfOneVariable;
