// Comparisons and logic: true, false, or, as the interval from 0 to 1, undecided; and the choice by them.

import type { Node } from "../../graph/graph.ts";
import { type DataType, dataTypes } from "../../graph/tensor.ts";
import { hull, type Interval, max, min, point } from "../../numbers/interval/index.ts";
import type { Rules } from "../pass.ts";
import { combined, truncated } from "./elementwise.ts";
import { roundedTo } from "./float-cast.ts";
import { broadcastTo, firstDims, type Inputs, type IntervalTensor, isIntegral, mapped } from "./tensor.ts";

const [no, yes, undecided] = [point(0), point(1), { lower: 0, upper: 1 }];

const truth =
  (decide: (x: Interval, y: Interval) => Interval) =>
  ([x, y]: Inputs, _: unknown, node: Node): IntervalTensor =>
    combined(x!, y!, firstDims(node, [x, y]), decide, "bool");

const less = (x: Interval, y: Interval): Interval =>
  x.upper < y.lower ? yes : x.lower >= y.upper ? no : undecided;
const atMost = (x: Interval, y: Interval): Interval =>
  x.upper <= y.lower ? yes : x.lower > y.upper ? no : undecided;
const equal = (x: Interval, y: Interval): Interval => {
  if (x.upper < y.lower || x.lower > y.upper) return no;
  return x.lower === x.upper && y.lower === y.upper ? yes : undecided;
};
const not = (x: Interval): Interval => ({ lower: 1 - x.upper, upper: 1 - x.lower });
const differs = (x: Interval, y: Interval): Interval => not(equal(x, y));

/** To floats, rounded if they are narrower; integers lose their fraction, and truth is not zero. */
export function cast(x: IntervalTensor, type: DataType): IntervalTensor {
  if (type === "bool") return x.type === "bool" ? x : { ...mapped(x, (a) => differs(a, no)), type };
  if (!/^u?int(8|16|32|64)$/.test(type)) return roundedTo(x, type);
  return { ...(isIntegral(x) ? x : mapped(x, truncated)), type };
}

const isInfinite = (x: Interval, end: number): Interval => {
  if (x.lower === end && x.upper === end) return yes;
  return x.lower === end || x.upper === end ? undecided : no;
};

export const comparisons: Rules<IntervalTensor> = {
  Less: truth(less),
  LessOrEqual: truth(atMost),
  Greater: truth((x, y) => less(y, x)),
  GreaterOrEqual: truth((x, y) => atMost(y, x)),
  Equal: truth(equal),
  Not: ([x]) => mapped(x!, not),
  And: truth(min),
  Or: truth(max),
  Xor: truth(differs),
  /** A real function has numbers only. */
  IsNaN: ([x]) => ({ ...mapped(x!, () => no), type: "bool" }),
  IsInf: ([x], { detect_negative, detect_positive }) => ({
    ...mapped(x!, (a) =>
      max(
        detect_positive ? isInfinite(a, Number.POSITIVE_INFINITY) : no,
        detect_negative ? isInfinite(a, Number.NEGATIVE_INFINITY) : no,
      ),
    ),
    type: "bool",
  }),
  Where: ([condition, x, y], _, node) => {
    const dims = firstDims(node, [condition, x, y]);
    const decides = broadcastTo(condition!, dims);
    let at = 0;
    return combined(x!, y!, dims, (a, b) => {
      const k = at++;
      if (decides.lower[k] === 1) return a;
      return decides.upper[k] === 0 ? b : hull(a, b);
    });
  },
  Cast: ([x], { to }) => cast(x!, dataTypes[to] ?? "undefined"),
  CastLike: ([x, like]) => cast(x!, like!.type),
};
