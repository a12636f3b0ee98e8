// exp(-x^2 / 2).
import * as I from "../../numbers/interval/index.ts";
import { intervals, numbers } from "../arithmetic.ts";
import { type FunctionOfOneVariable, plain } from "../definition.ts";
import { type OfPair, pointwise } from "../dual.ts";
import { gaussian as recurrence } from "../taylor.ts";

/** d = det(I + Sigma) = (1 + a) (1 + b) - k^2: E f f = d^(-1/2), E f' f' = k d^(-3/2). */
const determinant: OfPair = (k, a, b) => (1 + a) * (1 + b) - k * k;

const minusHalf = I.point(-0.5);

export const gaussian = {
  activation: plain({
    apply: (x) => x.mul(x).mul(-0.5).exp(),
    jet: (x, order) => recurrence(numbers, Math.exp((-x * x) / 2), x, 1, order),
    limits: [0, 0],
    bounded: true,
    lipschitz: Math.exp(-1 / 2),
    smoothness: Number.POSITIVE_INFINITY,
    genericPoint: 0.5,
  }),
  taylor: (x, order) => recurrence(intervals, I.exp(I.mul(minusHalf, I.squared(x))), x, 1, order),
  dual: () =>
    pointwise(
      (k, a, b) => determinant(k, a, b) ** -0.5,
      (k, a, b) => k * determinant(k, a, b) ** -1.5,
    ),
} satisfies FunctionOfOneVariable;
