// Reductions by sums, and the average of several tensors.
import type { Value } from "../value.ts";
import type { Definition, Definitions } from "./definition.ts";
import { root, where } from "./expression.ts";

type Reduction = Definition<"ReduceL1">;

/** after(sum of before(x)). */
const bySum =
  (before: (x: Value) => Value, after: (sum: Value) => Value = (sum) => sum): Reduction =>
  ([x, axes], attributes) =>
    after(before(x!).op("ReduceSum", [axes], attributes));

const square = (x: Value): Value => x.mul(x);
const itself = (x: Value): Value => x;

export const reduction: Definitions = {
  ReduceL1: bySum((x) => x.abs()),
  ReduceL2: bySum(square, (sum) => root(sum)),
  ReduceSumSquare: bySum(square),
  ReduceLogSum: bySum(itself, (sum) => sum.log()),
  /** m + log(sum of exp(x - m)) with m the maximum; an infinite one is left out. */
  ReduceLogSumExp: ([x, axes], attributes) => {
    const finite = (m: Value) => where(m.op("IsInf"), 0, m, x!);
    const shift = finite(x!.op("ReduceMax", [axes], { ...attributes, keepdims: 1 }));
    const sum = x!.sub(shift).exp().op("ReduceSum", [axes], attributes);
    return sum.log().add(finite(x!.op("ReduceMax", [axes], attributes)));
  },
  Mean: ([first, ...others]) => others.reduce((sum: Value, x) => sum.add(x!), first!).div(1 + others.length),
};
