// Gradients of operators that make tensors. What is drawn at random does not follow its parameters.

import { tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules } from "../backward.ts";
import { constant, indicator, scaledBy, where } from "./elementwise.ts";
import { reshapeLike } from "./shapes.ts";

/** y_k = start + k delta; the limit only counts. */
const range: BackwardRule<"Range"> = ({ g, x: [start, , delta] }) => [
  () => reshapeLike(g.op("ReduceSum", [], { keepdims: 0 }), start),
  undefined,
  () => {
    const count = g.op("Shape", [], { start: 0, end: 1 }).op("Squeeze");
    const k = g.builder.apply(
      "Range",
      [0, count, 1].map((n) => g.builder.lift(n, "int64")),
    )[0]!;
    return reshapeLike(scaledBy(g, indicator(k, g)).op("ReduceSum", [], { keepdims: 0 }), delta);
  },
];

/** The values are [off, on]: each gets the sum of the cotangent over the places where it stands. */
const oneHot: BackwardRule<"OneHot"> = ({ g, x: [indices, depth], builder }, { axis }) => [
  undefined,
  undefined,
  () => {
    // The runtime knows no OneHot of float64: the places are found in float32.
    const marks = tensor([0, 1], { type: "float32" });
    const on = builder.apply("OneHot", [indices, depth, marks], { axis })[0]!.cast("bool");
    const total = (value: Value) => value.op("ReduceSum", [], { keepdims: 0 }).reshape([1]);
    return total(where(on.op("Not"), g)).concat([total(where(on, g))], 0);
  },
];

export const generation: BackwardRules = {
  Constant: constant,
  ConstantOfShape: constant,
  Range: range,
  EyeLike: constant,
  OneHot: oneHot,
  RandomNormal: constant,
  RandomUniform: constant,
  RandomNormalLike: constant,
  RandomUniformLike: constant,
  Bernoulli: constant,
  Multinomial: constant,
};
