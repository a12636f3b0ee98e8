// Activation functions: one real function, applied to each element.
import { broadcast, differ, formatShape, sameAsFirst } from "./dims.ts";
import { operator } from "./operator.ts";
import { type AttributeSpecs, float, string } from "./spec.ts";

const activationOf = <const A extends AttributeSpecs>(attributes: A) =>
  operator<A>({ inputs: [1, 1], attributes, shape: sameAsFirst });
const plain = operator({ inputs: [1, 1], shape: sameAsFirst });

export const activation = {
  Relu: plain,
  LeakyRelu: activationOf({ alpha: float(0.01) }),
  PRelu: operator({
    inputs: [2, 2],
    shape: ([x, slope], _, context) => {
      const shape = broadcast([x?.shape, slope?.shape], context);
      // The slope is broadcast to the input, never the other way round.
      if (shape && (shape.length !== x?.shape?.length || shape.some((d, k) => differ(d, x.shape?.[k]))))
        context.fail(`cannot broadcast its slope ${formatShape(slope?.shape)} to ${formatShape(x?.shape)}`);
      return x && { type: x.type, shape: x.shape };
    },
  }),
  Elu: activationOf({ alpha: float(1) }),
  Selu: activationOf({ alpha: float(1.6732631921768188), gamma: float(1.0507010221481323) }),
  Celu: activationOf({ alpha: float(1) }),
  Gelu: activationOf({ approximate: string("none") }),
  Sigmoid: plain,
  Softplus: plain,
  Softsign: plain,
  HardSigmoid: activationOf({ alpha: float(0.2), beta: float(0.5) }),
  HardSwish: plain,
  Mish: plain,
  ThresholdedRelu: activationOf({ alpha: float(1) }),
  Shrink: activationOf({ bias: float(0), lambd: float(0.5) }),
};
