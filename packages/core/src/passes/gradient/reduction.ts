// Gradients of reductions along axes.
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules, Step } from "../backward.ts";
import { expandLike, shapeOf } from "./shapes.ts";

interface Reduced {
  readonly keepdims: number;
  readonly noop_with_empty_axes: number;
}

/** Without axes a reduction is over all of them, or over none where the attribute says so. */
function reducesNothing({ given }: Step, { noop_with_empty_axes }: Reduced): boolean {
  const axes = given(1);
  return noop_with_empty_axes === 1 && (!axes || axes.type.shape?.[0] === 0);
}

/** A value in the shape of the output, with the axes that were lost put back as axes of size 1. */
export function withAxes(value: Value, { given }: Step, { keepdims }: Reduced): Value {
  const axes = given(1);
  return keepdims === 1 || !axes || axes.type.shape?.[0] === 0 ? value : value.op("Unsqueeze", [axes]);
}

/** How many elements of x go into one of the output, in the type of x. */
export function reducedCount(x: Value, y: Value): Value {
  const ratio = x.op("Size").op("Div", [y.op("Size").max(y.builder.lift(1, "int64"))]);
  return ratio.op("CastLike", [x]);
}

const sum: BackwardRule<"ReduceSum"> = (step, attributes) => [
  () =>
    reducesNothing(step, attributes) ? step.g : expandLike(withAxes(step.g, step, attributes), step.x[0]),
];

const mean: BackwardRule<"ReduceMean"> = (step, attributes) => [
  () => {
    if (reducesNothing(step, attributes)) return step.g;
    const share = withAxes(step.g, step, attributes).div(reducedCount(step.x[0], step.y[0]));
    return share.op("Expand", [shapeOf(step.x[0])]);
  },
];

export const reduction: BackwardRules = { ReduceSum: sum, ReduceMean: mean };
