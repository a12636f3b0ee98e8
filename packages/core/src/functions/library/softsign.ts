// x / (1 + |x|) = sign(x) (1 - 1 / (1 + |x|)), which increases.
import { add, div, type Interval, point } from "../../numbers/interval/index.ts";
import { type FunctionOfOneVariable, type Jet, plain } from "../definition.ts";
import { inFloat32 } from "../float32.ts";
import { twoSided } from "../two-sided.ts";

const value = (x: number): number => x / (1 + Math.abs(x));

/** At 0 from the right, where the first derivative is that of both sides. */
function jet(x: number, order: number): Jet {
  const [q, sign] = [1 + Math.abs(x), x < 0 ? -1 : 1];
  const f = [value(x)];
  for (let k = 1; k <= order; k++) f.push(-((-sign) ** k * sign) / q ** (k + 1));
  return f;
}

function valueBetween(x: number): Interval {
  if (Math.abs(x) === Number.POSITIVE_INFINITY) return point(Math.sign(x));
  const quotient = div(point(x), add(point(1), point(Math.abs(x))));
  return { lower: Math.max(-1, quotient.lower), upper: Math.min(1, quotient.upper) };
}

export const softsign = {
  operator: "Softsign",
  activation: plain({
    apply: inFloat32("Softsign", (x) => x.div(x.abs().add(1))),
    jet: twoSided(1, jet, jet),
    limits: [-1, 1],
    bounded: true,
    lipschitz: 1,
    smoothness: 1,
    genericPoint: 1,
  }),
  enclosure: ({ lower, upper }) => ({
    lower: valueBetween(lower).lower,
    upper: valueBetween(upper).upper,
  }),
  curve: {
    name: "Softsign",
    inflection: 0,
    value,
    slope: (z) => 1 / (1 + Math.abs(z)) ** 2,
    stationary: (lambda) => {
      const z = lambda > 0 && lambda < 1 ? 1 / Math.sqrt(lambda) - 1 : 0;
      return [-z, z];
    },
  },
} satisfies FunctionOfOneVariable;
