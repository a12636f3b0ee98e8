import { applySymmetry } from "../../equivalence/apply.ts";
import { canonicalForm } from "../../equivalence/canonical/canonical-form.ts";
import { randomSymmetry } from "../../equivalence/element.ts";
import { logFactorial } from "../../numbers/combinatorics.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { denseRounding, differenceOf, networkOfDense, randomDense } from "./dense.ts";

const delta = 0.05;

export default lemma({
  id: "S-09",
  covers: ["S-09"],
  kind: "algorithm",
  title: "One representative of each orbit",
  source: "Shen, slides of April 2024, effective parameter space",
  statement: String.raw`\Theta_0 = \{b^{(l)}_1 \ge \dots \ge b^{(l)}_{d_l}\}, \quad \operatorname{Vol}(\Theta) = \prod_l d_l! \operatorname{Vol}(\Theta_0); \qquad \text{canonical}(g \theta) = \text{canonical}(\theta)`,
  parameters: {
    activation: choice(["relu", "tanh", "logistic", "softplus"], { label: "activation" }),
    width: integer({ min: 1, max: 6, default: 4, label: "units a layer" }),
    depth: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
  },
  claims: {
    "difference of the canonical network": equals("0"),
    "members of the orbit with another fingerprint": equals("0"),
    "fingerprint of the canonical network is another": equals("0"),
    "share of parameters with descending biases in a layer": equals("1 / d!").probable(),
  },
  mutants: {
    "1/d: the greatest bias first": {
      "share of parameters with descending biases in a layer": ({ width }) => 1 / width,
    },
    "2 / d!: biases that ascend count too": {
      "share of parameters with descending biases in a layer": ({ width }, { theory }) =>
        width > 1 ? 2 * theory : theory,
    },
  },
  async run({ activation: name, width, depth }, { random, scale }) {
    const net = networkOfDense(
      randomDense(random, [2, ...Array.from({ length: depth }, () => width), 1]),
      name,
    );
    const form = canonicalForm(net);
    const members = Array.from({ length: scale(20) }, () =>
      canonicalForm(applySymmetry(net, randomSymmetry(form.group, random))),
    );
    const draws = scale(20_000);
    const [expected, log] = [Math.exp(-logFactorial(width)), Math.log(2 / delta)];
    let descending = 0;
    for (let k = 0; k < draws; k++)
      descending += random.normal(width).every((b, j, all) => j === 0 || all[j - 1]! >= b) ? 1 : 0;
    return {
      graph: form.graph,
      claims: {
        "difference of the canonical network": sampled(
          await differenceOf(net, form.graph, random, 2, scale(200)),
          0,
          { tolerance: denseRounding },
        ),
        "members of the orbit with another fingerprint": checked(
          members.filter((m) => m.fingerprint !== form.fingerprint).length,
          0,
        ),
        "fingerprint of the canonical network is another": checked(
          canonicalForm(form.graph).fingerprint === form.fingerprint ? 0 : 1,
          0,
        ),
        "share of parameters with descending biases in a layer": sampled(
          descending / draws,
          expected,
          // Bernstein: a share of N draws is off by no more with probability 1 - delta.
          {
            tolerance: Math.sqrt((2 * expected * (1 - expected) * log) / draws) + log / (3 * draws),
            delta,
          },
        ),
      },
    };
  },
});
