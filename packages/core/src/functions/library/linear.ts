// x.
import { type FunctionOfOneVariable, plain } from "../definition.ts";
import { pointwise } from "../dual.ts";
import { lineJet } from "../two-sided.ts";

export const linear = {
  activation: plain({
    apply: (x) => x,
    jet: lineJet(1),
    polynomialDegree: 1,
    limits: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
    bounded: false,
    lipschitz: 1,
    smoothness: Number.POSITIVE_INFINITY,
    pieces: { breakpoints: [], degree: 1 },
    homogeneity: 1,
  }),
  dual: () =>
    pointwise(
      (k) => k,
      () => 1,
    ),
} satisfies FunctionOfOneVariable;
