// How each kind of node is made of ReLUs: stored weights, units, what the block errs by, and what rounding adds.

import * as I from "../numbers/interval/index.ts";
import { type Interval, magnitude } from "../numbers/interval/index.ts";
import { productUp, sumUp } from "../numbers/rounding.ts";
import { type Arithmetic, summand, sumRounding } from "./precision.ts";
import type { ReluSpline } from "./spline/certified.ts";

export interface PlanCosts {
  readonly units: number;
  readonly localError: number;
  readonly rounding: number;
}

/** out = bias + sum_k weights[k] args[k]. */
export interface AffinePlan extends PlanCosts {
  readonly kind: "affine" | "polynomial";
  readonly args: readonly number[];
  readonly weights: readonly number[];
  readonly bias: number;
}
export interface ExactPlan extends PlanCosts {
  readonly kind: "exact";
}
/** t = scale u + shift; out = gain F(t) + linear u + constant, with F(t) about t^2. */
export interface SquarePlan extends PlanCosts {
  readonly kind: "square";
  readonly levels: number;
  readonly scale: number;
  readonly shift: number;
  readonly gain: number;
  readonly linear: number;
  readonly constant: number;
}
/** p, q = scales[0] u +- scales[1] v + shifts; out = gain (F(p) - F(q)) + linear[0] u + linear[1] v + constant. */
export interface ProductPlan extends PlanCosts {
  readonly kind: "product";
  readonly levels: number;
  readonly scales: readonly [number, number];
  readonly shifts: readonly [number, number];
  readonly gain: number;
  readonly linear: readonly [number, number];
  readonly constant: number;
}
export interface SplinePlan extends PlanCosts {
  readonly kind: "spline";
  readonly shifts: readonly number[];
  readonly spline: ReluSpline;
  /** Bounds how much the value may change over a distance e of the argument. */
  readonly growth: (e: number) => number;
}
export interface VariablePlan extends PlanCosts {
  readonly kind: "variable";
}
export type Plan = VariablePlan | AffinePlan | ExactPlan | SquarePlan | ProductPlan | SplinePlan;

export const widened = ({ lower, upper }: Interval, e: number): Interval =>
  I.add({ lower, upper }, { lower: -e, upper: e });
const middleOf = ({ lower, upper }: Interval): number =>
  lower === upper ? lower : lower + (upper - lower) / 2;

/** A weighted sum; `ranges` are those of the computed arguments. */
export function affinePlan(
  node: {
    readonly args: readonly number[];
    readonly coefficients: readonly Interval[];
    readonly constant: Interval;
  },
  ranges: readonly Interval[],
  arithmetic: Arithmetic,
  truncation?: number,
): AffinePlan {
  const { round, tiny } = arithmetic;
  const { args, coefficients, constant } = node;
  const weights = coefficients.map((c) => round(middleOf(c)));
  const bias = summand(round(middleOf(constant)));
  let localError = magnitude(I.sub(constant, I.point(bias)));
  let size = Math.abs(bias);
  weights.forEach((w, k) => {
    const most = magnitude(ranges[k]!);
    localError = sumUp(localError, productUp(magnitude(I.sub(coefficients[k]!, I.point(w))), most));
    size = sumUp(size, productUp(Math.abs(w), most));
  });
  const isCopy = bias === 0 && weights.length === 1 && weights[0] === 1;
  const isConstant = weights.length === 0;
  return {
    kind: truncation === undefined ? "affine" : "polynomial",
    args,
    weights,
    bias,
    units: 0,
    localError: sumUp(localError, truncation ?? 0),
    rounding:
      isCopy || isConstant
        ? 0
        : sumUp(sumRounding(weights.length + 2, size, arithmetic), productUp(tiny, weights.length + 2)),
  };
}

/** abs is exact even in floating point; max and min subtract and add once. */
export function exactPlan(
  op: "abs" | "max" | "min",
  ranges: readonly Interval[],
  arithmetic: Arithmetic,
): ExactPlan {
  const [a, b] = ranges.map(magnitude);
  // The difference rounds by u (a + b), the sum by u times the result.
  const { u, tiny, largest } = arithmetic;
  if (op === "abs")
    return { kind: "exact", units: 1, localError: 0, rounding: a! < largest ? 0 : Number.POSITIVE_INFINITY };
  const sizes = productUp(sumUp(a!, b!, Math.max(a!, b!)), 1 + 8 * u);
  return {
    kind: "exact",
    units: 1,
    localError: 0,
    rounding: sumUp(sumRounding(1, sizes, arithmetic), 4 * tiny),
  };
}
