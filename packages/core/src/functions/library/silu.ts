// x s with s = sigmoid x.
import { add, type Interval, mul, neg, point, sigmoid } from "../../numbers/interval/index.ts";
import { bend, hump } from "../curvature.ts";
import type { FunctionOfOneVariable } from "../definition.ts";

/** Where x tanh(x/2) = 2. */
const turn: Interval = { lower: 2.399357280515, upper: 2.399357280516 };

/** The second derivative is s (1 - s) (2 - x tanh(x/2)). */
export const silu = {
  bend: bend(
    "Silu",
    (x) => mul(x, sigmoid(x)),
    (x) => mul(sigmoid(x), add(point(1), mul(x, sigmoid(neg(x))))),
    hump(neg(turn), turn),
  ),
} satisfies FunctionOfOneVariable;
