// The natural logarithm.
import type { RealFunction } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { intervals } from "../arithmetic.ts";
import { always, bend } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { noInflection } from "../inflections.ts";
import { integrated, powers } from "../taylor.ts";

/** Lines need finite values. */
const finite: RealFunction = (x) => {
  if (x.lower <= 0) throw new RangeError(`it takes the logarithm of a number that may be ${x.lower}`);
  return I.log(x);
};

export const log = {
  operator: "Log",
  formula: {
    name: "log",
    value: Math.log,
    derivative: (x) => 1 / x,
    second: (x) => -1 / (x * x),
    enclosure: I.log,
    taylor: (x, order) => integrated(intervals, I.log(x), powers(intervals, x, -1, order - 1), order),
    inflections: noInflection,
    isEven: false,
    isSteep: false,
  },
  bend: bend("Log", finite, I.inverse, always(-1)),
} satisfies FunctionOfOneVariable;
