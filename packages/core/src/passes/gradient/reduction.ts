// Gradients of reductions along axes, of running sums and of the greatest k.
// Conventions: ReduceMax and ReduceMin share a tie equally among the elements that attain it; TopK gives it to the
// elements that the runtime picks (the first ones); ReduceL1 has derivative 0 at 0, and ReduceL2 where its value is 0.
import { numbersOf } from "../../graph/operators/constant.ts";
import { elementCount } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules, Step } from "../backward.ts";
import { constant, indicator, scaledBy, where } from "./elementwise.ts";
import { productOfOthers } from "./product.ts";
import { expandLike, knownDims, scalarLike, zerosLike } from "./shapes.ts";

interface Reduced {
  readonly keepdims: number;
  readonly noop_with_empty_axes: number;
}

/** Are these axes surely different ones? */
function areDistinct(axes: Value): boolean {
  if (axes.type.shape?.[0] === 1) return true;
  const listed = numbersOf(axes.type);
  const isOneSided = listed?.every((a) => a < 0) || listed?.every((a) => a >= 0);
  return Boolean(isOneSided) && new Set(listed).size === listed!.length;
}

/** A value in the shape of the output, with the axes that were lost put back as axes of size 1. */
export function withAxes(value: Value, step: Step, attributes: Reduced): Value {
  const axes = step.given(1);
  if (attributes.keepdims === 1 || !axes || axes.type.shape?.[0] === 0) return value;
  if (areDistinct(axes)) return value.op("Unsqueeze", [axes]);
  return value.op("Reshape", [sumOver(step.x[0], step, attributes).op("Shape")]);
}

/** How many elements of x go into one of y, in the type of x. */
export function reducedCount(x: Value, y: Value): Value {
  const [from, to] = [knownDims(x), knownDims(y)];
  if (from && to) return scalarLike(x, elementCount(from) / Math.max(1, elementCount(to)));
  const ratio = x.op("Size").op("Div", [y.op("Size").max(y.builder.lift(1, "int64"))]);
  return ratio.op("CastLike", [x]);
}

/** A reduction by what comes back to each element of x, from the cotangent and y with their axes put back. */
const reductionBy =
  (share: (g: Value, x: Value, y: () => Value, step: Step, attributes: Reduced) => Value) =>
  (step: Step, attributes: Reduced) => [
    () =>
      share(
        withAxes(step.g, step, attributes),
        step.x[0],
        () => withAxes(step.y[0], step, attributes),
        step,
        attributes,
      ),
  ];

/** The axes that are summed over, of x and in a value that has them kept. */
function sumOver(value: Value, { given }: Step, { noop_with_empty_axes }: Reduced): Value {
  return value.op("ReduceSum", [given(1)], { keepdims: 1, noop_with_empty_axes });
}

/** Max and Min: in equal parts to the elements that attain it. */
const extreme = reductionBy((g, x, y, step, attributes) => {
  const attained = x.op("Equal", [y()]);
  return where(attained, g.div(sumOver(indicator(attained, x), step, attributes)));
});

/** Prod: the cotangent times the product of all other elements of its group. */
const product: BackwardRule<"ReduceProd"> = (step, attributes) => [
  () => {
    const { x, given, fail } = step;
    const rank = x[0].type.shape?.length;
    if (rank === undefined) return fail("the rank of its input is not known");
    const axes = given(1);
    const listed = axes ? numbersOf(axes.type) : [];
    if (!listed) return fail("its axes are not known before it runs");
    const nothing = listed.length === 0 && attributes.noop_with_empty_axes === 1;
    const along = listed.length > 0 ? listed.map((a) => (a < 0 ? a + rank : a)) : [...Array(rank).keys()];
    return nothing || rank === 0 ? step.g : productOfOthers(x[0], withAxes(step.g, step, attributes), along);
  },
];

/** Each partial sum goes back to all its terms: the running sum from the other end. */
const cumulative: BackwardRule<"CumSum"> = ({ g, x: [, axis] }, { exclusive, reverse }) => [
  () => g.op("CumSum", [axis], { exclusive, reverse: 1 - reverse }),
];

const topK: BackwardRule<"TopK"> = ({ g, x: [x, k], y, builder }, attributes) => [
  () => {
    const indices = (y[1] as Value | undefined) ?? builder.apply("TopK", [x, k], attributes, 2)[1]!;
    return zerosLike(x).op("ScatterElements", [indices, g], { axis: attributes.axis });
  },
];

export const reduction: BackwardRules = {
  ReduceSum: reductionBy((g, x) => expandLike(g, x)),
  ReduceMean: reductionBy((g, x, _, { y }) => expandLike(g.div(reducedCount(x, y[0])), x)),
  ReduceMax: extreme,
  ReduceMin: extreme,
  ReduceProd: product,
  ReduceL1: reductionBy((g, x) => scaledBy(g, x.op("Sign"))),
  // x / y, and 0 where y = 0, as there x = 0 too.
  ReduceL2: reductionBy((g, x, y) => {
    const length = y();
    const isZero = length.op("Equal", [0]);
    const safe = isZero.op("Where", [scalarLike(length, 1), length]);
    return x.mul(isZero.op("Where", [scalarLike(g, 0), g])).div(safe);
  }),
  ReduceSumSquare: reductionBy((g, x) => x.mul(g.mul(2))),
  // One over the sum, whose logarithm is y.
  ReduceLogSum: reductionBy((g, x, y) => expandLike(g.mul(y().neg().exp()), x)),
  ReduceLogSumExp: reductionBy((g, x, y) => x.sub(y()).exp().mul(g)),
  ArgMax: constant,
  ArgMin: constant,
  CumSum: cumulative,
  TopK: topK,
};
