// Operators that act on each element, with broadcasting where there are several inputs.
import { operator } from "./operator.ts";
import { float, type Inferred } from "./spec.ts";

const same = ([x]: readonly (Inferred | undefined)[]): Inferred | undefined =>
  x && { type: x.type, shape: x.shape };
const unary = operator({ inputs: [1, 1], shape: same });

export const elementwise = {
  Relu: unary,
  LeakyRelu: operator({ inputs: [1, 1], attributes: { alpha: float(0.01) }, shape: same }),
};
