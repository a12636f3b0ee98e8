// Activation functions. A branch that is not taken gets an argument at which it is harmless: its gradient is 0, not NaN.
import type { Value } from "../value.ts";
import type { Definitions } from "./definition.ts";
import { expMinus1, expMinus1Above0, log1Plus } from "./exponential.ts";
import { constant, greater, less, where } from "./expression.ts";

/** x for x > 0, and the other function for x <= 0. */
function continued(x: Value, negative: (x: Value) => Value): Value {
  const positive = greater(x, 0);
  return where(positive, x, negative(where(positive, 0, x, x)), x);
}

const rampBetween0And1 = (x: Value): Value => x.max(0).min(1);
const half = (x: Value): Value => x.mul(0.5);

export const activation: Definitions = {
  LeakyRelu: ([x], { alpha }) => where(less(x!, 0), x!.mul(alpha), x!, x!),
  PRelu: ([x, slope]) => where(less(x!, 0), x!.mul(slope!), x!, x!),
  Elu: ([x], { alpha }) => continued(x!, (y) => expMinus1(y).mul(alpha)),
  Selu: ([x], { alpha, gamma }) => continued(x!, (y) => expMinus1(y).mul(alpha)).mul(gamma),
  Celu: ([x], { alpha }) =>
    continued(x!, (y) => (alpha > 0 ? expMinus1 : expMinus1Above0)(y.div(alpha)).mul(alpha)),
  /** x (1 + erf(x / sqrt 2)) / 2, or its approximation by tanh. */
  Gelu: ([x], { approximate }) => {
    const inner =
      approximate === "tanh"
        ? x!
            .mul(x!)
            .mul(0.044715)
            .add(1)
            .mul(x!)
            .mul(Math.sqrt(2 / Math.PI))
            .tanh()
        : x!.mul(Math.SQRT1_2).op("Erf");
    return half(x!).mul(inner.add(1));
  },
  /** max(x, 0) + log(1 + exp(-|x|)), written so that its slope at 0 is 1/2. */
  Softplus: ([x]) => {
    const positive = greater(x!, 0);
    const tail = log1Plus(where(positive, x!.neg(), x!, x!).exp());
    return where(positive, x!, 0, x!).add(tail);
  },
  Softsign: ([x]) => x!.div(x!.abs().add(1)),
  HardSigmoid: ([x], { alpha, beta }) => rampBetween0And1(x!.mul(alpha).add(beta)),
  HardSwish: ([x]) => x!.mul(rampBetween0And1(x!.mul(1 / 6).add(0.5))),
  Mish: ([x]) => x!.mul(x!.op("Softplus").tanh()),
  ThresholdedRelu: ([x], { alpha }) => where(greater(x!, alpha), x!, 0, x!),
  Shrink: ([x], { bias, lambd }) => {
    const inner = where(greater(x!, lambd), x!.sub(bias), constant(x!, 0), x!);
    return where(less(x!, -lambd), x!.add(bias), inner, x!);
  },
};
