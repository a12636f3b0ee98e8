// x / sqrt(1 + a x^2), and the same below 0 with x above.
import type { Value } from "../../graph/value.ts";
import { numbers } from "../arithmetic.ts";
import type { FunctionOfOneVariable, Jet } from "../definition.ts";
import { scaledPoint } from "../scaled-point.ts";
import { inverseRootOfQuadratic } from "../taylor.ts";
import { lineJet, twoSided } from "../two-sided.ts";

const parameter = {
  default: 1,
  range: "a finite number above 0",
  marker: 0.7310585786300049,
  allows: (a: number) => a > 0 && a < Number.POSITIVE_INFINITY,
};

const apply = (x: Value, a: number): Value => {
  const { sine, length } = scaledPoint(x, a);
  return sine.div(length);
};

/** Where 1 + a x^2 overflows, derivatives are 0 in doubles. */
const divide = (numerator: number, q0: number): number =>
  q0 === Number.POSITIVE_INFINITY ? 0 : numerator / q0;

/** x times the coefficients of 1 / sqrt(1 + a x^2). */
function jet(x: number, a: number, order: number): Jet {
  const value = 1 / Math.hypot(1, Math.sqrt(a) * x);
  const q = [1 + a * x * x, 2 * a * x, a] as const;
  const f = inverseRootOfQuadratic(numbers, { value, q, divide }, order);
  return f.map((c, k) => x * c + (k > 0 ? f[k - 1]! : 0));
}

export const isru = {
  activation: {
    parameter,
    make: (a) => ({
      apply: (x) => apply(x, a),
      jet: (x, order) => jet(x, a, order),
      limits: [-1 / Math.sqrt(a), 1 / Math.sqrt(a)],
      bounded: true,
      lipschitz: 1,
      smoothness: Number.POSITIVE_INFINITY,
      genericPoint: 1 / Math.sqrt(a),
    }),
  },
} satisfies FunctionOfOneVariable;

export const isrlu = {
  activation: {
    parameter,
    make: (a) => ({
      apply: (x) => x.relu().add(apply(x.min(0), a)),
      jet: twoSided(2, (x, order) => jet(x, a, order), lineJet(1)),
      limits: [-1 / Math.sqrt(a), Number.POSITIVE_INFINITY],
      bounded: false,
      lipschitz: 1,
      smoothness: 2,
      genericPoint: -1 / Math.sqrt(a),
    }),
  },
} satisfies FunctionOfOneVariable;
