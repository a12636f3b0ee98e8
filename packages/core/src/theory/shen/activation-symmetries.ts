import { type ActivationName, activation } from "../../construct/activation.ts";
import type { Random } from "../../engine/random.ts";
import { symmetryGroup } from "../../symmetry/group.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice } from "../parameter.ts";
import { networkOfDense, randomDense } from "./dense.ts";

interface Flags {
  /** f(-z) = c - f(z), with c = 0 for odd functions. */
  readonly sign: 0 | 1;
  /** f(a z) = a^p f(z) for a > 0, p >= 1. */
  readonly scale: 0 | 1;
}
/** What the table prints; what is left out there is undefined. */
const table: Readonly<Record<string, Flags & { readonly printed?: Flags }>> = {
  logistic: { sign: 1, scale: 0, printed: { sign: 0, scale: 0 } },
  tanh: { sign: 1, scale: 0, printed: { sign: 1, scale: 0 } },
  relu: { sign: 0, scale: 1, printed: { sign: 0, scale: 1 } },
  "leakyRelu(0.1)": { sign: 0, scale: 1, printed: { sign: 0, scale: 1 } },
  sin: { sign: 1, scale: 0 },
  "repu(2)": { sign: 0, scale: 1 },
  softplus: { sign: 0, scale: 0 },
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
    "sign flipping, from values": equals("table, with the bias corrected"),
    "scaling, from values": equals("table"),
    "sign flipping, from the graph": equals("table, with the bias corrected"),
    "scaling, from the graph": equals("table"),
    "sign flipping, as the table has it": equals("table").printed({
      where: "table of activations, row Sigmoid",
      printed: "sign flipping: no",
      corrected: "yes, if the next bias takes the constant (as the slide on sign flipping says)",
    }),
    "scaling, as the table has it": equals("table").printed(),
  },
  run({ activation: name }, { random, scale }) {
    const { sign, scale: isScaled, printed } = table[name]!;
    const z = Array.from(random.normal(scale(200)), (v) => 3 * v);
    const found = flagsOf(name, z, random);
    const group = symmetryGroup(networkOfDense(randomDense(random, [2, 3, 1]), name));
    return {
      claims: {
        "sign flipping, from values": sampled(found.sign, sign),
        "scaling, from values": sampled(found.scale, isScaled),
        "sign flipping, from the graph": checked(group.signs > 0 ? 1 : 0, sign),
        "scaling, from the graph": checked(group.dimension > 0 ? 1 : 0, isScaled),
        ...(printed && {
          "sign flipping, as the table has it": sampled(found.sign, printed.sign),
          "scaling, as the table has it": sampled(found.scale, printed.scale),
        }),
      },
    };
  },
});

/** Decided at points: is f(z) + f(-z) one constant; is f(a z) / f(z) one power of a? */
function flagsOf(name: string, z: readonly number[], random: Random): Flags {
  const f = activation(name as ActivationName).value;
  const c = 2 * f(0);
  const isSymmetric = z.every((v) => Math.abs(f(v) + f(-v) - c) <= 1e-12);
  const a = 1.5 + random.uniform();
  const p = Math.log(f(a) / f(1)) / Math.log(a);
  const isHomogeneous = z.every((v) => Math.abs(f(a * v) - a ** p * f(v)) <= 1e-9 * (1 + Math.abs(f(a * v))));
  return { sign: isSymmetric ? 1 : 0, scale: isHomogeneous ? 1 : 0 };
}
