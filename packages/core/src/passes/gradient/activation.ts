// Gradients of activation functions. At a kink the derivative is that of the left side: ReLU'(0) = 0.
import type { BackwardRules } from "../backward.ts";
import { chain } from "./elementwise.ts";

export const activation: BackwardRules = {
  // y is 0 or positive, so its sign is the derivative.
  Relu: chain((_, y) => y.op("Sign")),
  Sigmoid: chain((_, y) => y.mul(y.neg().add(1))),
};
