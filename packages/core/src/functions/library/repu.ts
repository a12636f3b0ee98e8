// max(0, x)^k.
import { numbers } from "../arithmetic.ts";
import type { FunctionOfOneVariable } from "../definition.ts";
import { powers } from "../taylor.ts";
import { twoSided, zeroJet } from "../two-sided.ts";

export const repu = {
  activation: {
    parameter: {
      default: 2,
      range: "a whole exponent of at least 1",
      marker: 1009,
      allows: (k) => Number.isSafeInteger(k) && k >= 1,
    },
    make: (k) => ({
      apply: (x) => (k === 1 ? x.relu() : x.relu().pow(k)),
      jet: twoSided(k - 1, zeroJet, (x, order) => powers(numbers, x, k, order)),
      limits: [0, Number.POSITIVE_INFINITY],
      bounded: false,
      lipschitz: k === 1 ? 1 : Number.POSITIVE_INFINITY,
      smoothness: k - 1,
      pieces: { breakpoints: [0], degree: k },
      homogeneity: k,
    }),
  },
} satisfies FunctionOfOneVariable;
