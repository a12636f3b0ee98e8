// x s with s = sigmoid x.
import { add, type Interval, mul, neg, point, sigmoid } from "../../numbers/interval/index.ts";
import { bend, hump } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";

/** Where x tanh(x/2) = 2. */
const turn: Interval = { lower: 2.399357280515, upper: 2.399357280516 };

/** The second derivative is s (1 - s) (2 - x tanh(x/2)). */
export const silu = {
  /**
   * x s = x (1 + tanh(x / 2)) / 2. ONNX Runtime 1.30 fuses x * Sigmoid(x) to an operator that it has in float32 only, and
   * then refuses the graph: hence the second form in float64.
   */
  apply: (x) => (x.type.type === "float32" ? x.mul(x.sigmoid()) : x.mul(x.mul(0.5).tanh().add(1)).mul(0.5)),
  bend: bend(
    "Silu",
    (x) => mul(x, sigmoid(x)),
    (x) => mul(sigmoid(x), add(point(1), mul(x, sigmoid(neg(x))))),
    hump(neg(turn), turn),
  ),
} satisfies FunctionOfOneVariable;
