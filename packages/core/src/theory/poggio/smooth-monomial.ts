import {
  type differenceError,
  differenceErrorAtLeast,
} from "../../approximate/smooth-activation/difference.ts";
import { measuredDifference } from "../../approximate/smooth-activation/measure.ts";
import { differenceMonomial } from "../../approximate/smooth-activation/monomial-network.ts";
import { differenceUnits } from "../../approximate/smooth-activation/polynomial-network.ts";
import { run } from "../../engine/run.ts";
import { activation as activationOf } from "../../functions/activation.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { atLeast, atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { smoothMonomialFigure } from "./smooth-monomial-figure.ts";

export default lemma({
  id: "P-12",
  covers: ["P-12"],
  kind: "construction",
  title: "Monomials from one smooth activation",
  source: "CBMM Memo 138, section 6.8, (8) and Lemma 1 (Pinkus 1999)",
  statement: String.raw`x^k = \lim_{h \to 0} \frac{1}{h^k \sigma^{(k)}(b)} \sum_{i=0}^k (-1)^{k-i} \binom{k}{i} \sigma(i h x + b), \qquad |\text{error}| \le \frac{k h}{2} |x|^{k+1} \frac{\sup |\sigma^{(k+1)}|}{|\sigma^{(k)}(b)|}`,
  parameters: {
    activation: choice(["exp", "tanh", "logistic", "softplus", "gaussian", "arctan", "sin", "cos"], {
      label: "activation",
    }),
    k: integer({ min: 1, max: 6, default: 3, label: "degree k" }),
    log2h: real({ min: -10, max: -2, default: -5, label: "log2 of the step h" }),
  },
  claims: {
    "sup |Φ_h - x^k| on [-1, 1]": atMost(
      String.raw`\frac{k h}{2} \frac{\sup |\sigma^{(k+1)}|}{|\sigma^{(k)}(b)|} + \text{rounding}`,
    ),
    "sup |Φ_h - x^k|, from below": atLeast(
      String.raw`\frac{k h}{2} \frac{\inf |\sigma^{(k+1)}|}{|\sigma^{(k)}(b)|} - \text{rounding}`,
    ),
    "exponent of the error in h": equals("1").rate(),
    units: equals("k + 1"),
    "greatest weight": equals(String.raw`\binom{k}{\lfloor k/2 \rfloor} / (h^k |\sigma^{(k)}(b)|)`),
    "units for all degrees up to k": atMost("2k + 1, one parity k + 1"),
    "least error over all steps, against that of the chosen one": atMost("1").looseBy(1.4),
  },
  mutants: {
    "k h for k h / 2": { "sup |Φ_h - x^k|, from below": (_, { theory }) => 2 * theory },
    "the order of central differences": { "exponent of the error in h": () => 2 },
    "the outer weight for the middle one": {
      "greatest weight": ({ k }, { theory }) => theory / [1, 1, 2, 3, 6, 10, 20][k]!,
    },
  },
  async run({ activation: name, k, log2h }, { budget, scale, progress }) {
    const [h, scheme] = [2 ** log2h, "forward"] as const;
    const built = differenceMonomial(name, k, { h, scheme });
    const options = { h, at: built.at, scheme } as const;
    const xs = Array.from({ length: 2 * scale(200) + 1 }, (_, p) => p).map(
      (p, _, all) => (2 * p) / (all.length - 1) - 1,
    );
    const { y } = await run(built.network, { x: tensor(xs.map((x) => [x])) });
    const off = Float64Array.from(numbers(y!)).reduce(
      (most, v, p) => Math.max(most, Math.abs(v - xs[p]! ** k)),
      0,
    );
    await progress(0.5);
    const steps = truncationSteps(name, k, built.at);
    const all = differenceUnits(
      name,
      Array.from({ length: k + 1 }, () => 1),
      { h },
    );
    const chosen = differenceMonomial(name, k, { scheme });
    const best = Math.min(
      ...Array.from({ length: 24 }, (_, e) => measuredDifference(name, k, { ...options, h: 2 ** -e }, 41)),
    );
    const central = [1, 1, 2, 3, 6, 10, 20][k]!;
    return {
      graph: built.network,
      ...(budget === "cheap" ? {} : { figure: smoothMonomialFigure(name, "forward") }),
      claims: {
        "sup |Φ_h - x^k| on [-1, 1]": sampled(off, built.error + built.rounding),
        "sup |Φ_h - x^k|, from below": sampled(
          off,
          differenceErrorAtLeast(name, k, options) - built.rounding,
        ),
        ...(steps.length >= 5
          ? {
              "exponent of the error in h": fitted(
                steps.map((s) => [s, measuredDifference(name, k, { ...options, h: s })] as const),
                1,
                steps[0]! * nextOrder(name, k, built.at),
              ),
            }
          : {}),
        units: checked(complexity(built.network).width, k + 1),
        "greatest weight": checked(
          built.greatestWeight,
          central / (h ** k * Math.abs(activationOf(name).derivative(k, built.at))),
          {
            tolerance: built.greatestWeight * 2 ** -40, // derivatives by recurrences, powers and quotients in doubles
          },
        ),
        "units for all degrees up to k": checked(all.inner.length, 2 * k + 1),
        "least error over all steps, against that of the chosen one": sampled(
          best / (chosen.error + chosen.rounding),
          1,
        ),
      },
    };
  },
});

/** The forward difference is x^k (1 + c_1 h x + c_2 (h x)^2 + ...): |c_2 / c_1|. */
function nextOrder(name: Parameters<typeof differenceError>[0], k: number, at: number): number {
  const { derivative } = activationOf(name);
  return ((3 * k + 1) / 12) * Math.abs(derivative(k + 2, at) / derivative(k + 1, at));
}

/** The dozen smallest steps for which the truncation is at least 1000 times what rounding may be. */
function truncationSteps(name: Parameters<typeof differenceError>[0], k: number, at: number): number[] {
  return Array.from({ length: 41 }, (_, e) => 2 ** (-4 - e / 4))
    .filter((h) => {
      const { error, rounding } = differenceMonomial(name, k, { h, at, scheme: "forward" });
      return error > 1000 * rounding;
    })
    .slice(-12);
}
