import { symmetryGroup } from "../../equivalence/group.ts";
import { type ActivationName, activation } from "../../functions/activation.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice } from "../parameter.ts";
import { networkOfDense, randomDense } from "./dense.ts";

interface Flags {
  /** f(-z) = -f(z). */
  readonly odd: 0 | 1;
  /** f(-z) = c - f(z). */
  readonly sign: 0 | 1;
  /** p with f(a z) = a^p f(z) for a > 0; 0 if there is none. */
  readonly degree: number;
}
/** What the table prints: sign flipping (as the example has it, biases kept) and scaling. */
const table: Readonly<Record<string, Flags & { readonly printed?: readonly [0 | 1, 0 | 1] }>> = {
  logistic: { odd: 0, sign: 1, degree: 0, printed: [0, 0] },
  tanh: { odd: 1, sign: 1, degree: 0, printed: [1, 0] },
  relu: { odd: 0, sign: 0, degree: 1, printed: [0, 1] },
  "leakyRelu(0.1)": { odd: 0, sign: 0, degree: 1, printed: [0, 1] },
  sin: { odd: 1, sign: 1, degree: 0 },
  "repu(2)": { odd: 0, sign: 0, degree: 2 },
  softplus: { odd: 0, sign: 0, degree: 0 },
};

export default lemma({
  id: "S-08",
  covers: ["S-08"],
  kind: "measure",
  title: "Which activation has which symmetry",
  source: "Shen, slides of April 2024, table of activations",
  statement: String.raw`\text{sign: } \sigma(-z) = c - \sigma(z); \qquad \text{scale: } \sigma(\lambda z) = \lambda^p \sigma(z), \; \lambda > 0`,
  parameters: {
    activation: choice(["logistic", "tanh", "relu", "leakyRelu(0.1)", "sin", "repu(2)", "softplus"], {
      label: "activation",
    }),
  },
  claims: {
    "sign flipping with the next bias corrected, from values": equals(
      "for functions odd about a point (0, c/2)",
    ),
    "degree of scaling, from values": equals("p"),
    "sign flipping with the next bias corrected, from the graph": equals("as from values"),
    "scaling, from the graph": equals("as from values"),
    "sign flipping, as the table has it": equals("for odd functions").printed(),
    "scaling, as the table has it": equals("table").printed(),
  },
  mutants: {
    "the sigmoid taken for odd": {
      "sign flipping, as the table has it": ({ activation: name }, { theory }) =>
        name === "logistic" ? 1 : theory,
    },
    "degree 1 for ReQU": {
      "degree of scaling, from values": ({ activation: name }, { theory }) =>
        name === "repu(2)" ? 1 : theory,
    },
    "all piecewise polynomials flipped": {
      "sign flipping with the next bias corrected, from the graph": ({ activation: name }, { theory }) =>
        name.startsWith("re") ? 1 : theory,
    },
  },
  run({ activation: name }, { random, scale }) {
    const { sign, degree, printed } = table[name]!;
    const z = Array.from(random.normal(scale(200)), (v) => 3 * v);
    const found = flagsOf(name, z, random);
    const group = symmetryGroup(networkOfDense(randomDense(random, [2, 3, 1]), name));
    return {
      claims: {
        "sign flipping with the next bias corrected, from values": sampled(found.sign, sign),
        "degree of scaling, from values": sampled(found.degree, degree, { tolerance: 1e-14 }), // a quotient of logarithms
        "sign flipping with the next bias corrected, from the graph": checked(group.signs > 0 ? 1 : 0, sign),
        "scaling, from the graph": checked(group.dimension > 0 ? 1 : 0, degree > 0 ? 1 : 0),
        ...(printed && {
          "sign flipping, as the table has it": sampled(found.odd, printed[0]),
          "scaling, as the table has it": sampled(found.degree > 0 ? 1 : 0, printed[1]),
        }),
      },
    };
  },
});

/** Decided at points: is f(z) + f(-z) zero, or one constant; is f(a z) / f(z) one power of a? */
function flagsOf(name: string, z: readonly number[], random: Random): Flags {
  const f = activation(name as ActivationName).value;
  const isOddAbout = (c: number) => z.every((v) => Math.abs(f(v) + f(-v) - c) <= 1e-12);
  const a = 1.5 + random.uniform();
  const p = Math.log(f(a) / f(1)) / Math.log(a);
  const isHomogeneous = z.every((v) => Math.abs(f(a * v) - a ** p * f(v)) <= 1e-9 * (1 + Math.abs(f(a * v))));
  return { odd: isOddAbout(0) ? 1 : 0, sign: isOddAbout(2 * f(0)) ? 1 : 0, degree: isHomogeneous ? p : 0 };
}
