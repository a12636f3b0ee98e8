import { taylorStep } from "../../explain/deep-taylor.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { biasParameter, deviation, drawLayers, forward, propagated, taken, total } from "./dense-relu.ts";
import { epsilonRule, explainPlainly, unsignedEpsilonRule, zeroRule } from "./plain-rules.ts";
import { figure } from "./rule-epsilon-figure.ts";

export default lemma({
  id: "C5-08",
  covers: ["C5-08"],
  kind: "algorithm",
  title: "LRP-epsilon: a stabilizer that takes its share",
  source: "Book, Table 5.1, section 5.4.2",
  statement: String.raw`R_j = \sum_k \frac{x_j w_{jk}}{z_k + \epsilon \, \mathrm{sign}(z_k)} R_k, \qquad \text{absorbed}_k = \frac{\epsilon}{|z_k| + \epsilon} R_k`,
  parameters: {
    d: integer({ min: 1, max: 8, default: 5, label: "inputs" }),
    n: integer({ min: 1, max: 10, default: 7, label: "width" }),
    L: integer({ min: 1, max: 4, default: 3, label: "layers" }),
    epsilon: real({ min: 0.001, max: 2, default: 0.1, label: "epsilon" }),
    biases: biasParameter,
  },
  claims: {
    "the pass against plain loops, deviation": equals("0"),
    "what stabilizers absorb": equals(String.raw`\sum \frac{\epsilon}{|z_k| + \epsilon} R_k`),
    "one layer: inputs and bias together": equals(String.raw`\frac{|f|}{|f| + \epsilon} f`),
    "one layer: all of LRP-0 in one proportion, deviation": equals("0"),
    "expansion at delta x, delta = epsilon / (z + epsilon), deviation": equals("0"),
    "handed on by the explained neuron, of what it has": atMost("1"),
    "handed on, epsilon without a sign": atMost("1").printed({
      where: "Table 5.1, LRP-epsilon",
      printed: String.raw`R_j^{[i-1]} = \sum_{k=1}^{n_i} \frac{x_j^{[i-1]} w_{jk}^{[i]}}{\epsilon_k + \sum_{l=0}^{n_{i-1}} x_l^{[i-1]} w_{lk}^{[i]}} R_k^{[i]}`,
      corrected: String.raw`$\epsilon_k = \epsilon \, \mathrm{sign}(z_k)$: with one sign for all, a neuron with $z_k < 0$ hands on more than it has, and without bound as $z_k \to -\epsilon$`,
    }),
  },
  mutants: {
    "half of epsilon": ({ epsilon }) => ({ epsilon: epsilon / 2 }),
    "nothing is absorbed": { "what stabilizers absorb": () => 0 },
  },
  async run({ d, n, L, epsilon, biases }, { random }) {
    const layers = drawLayers(random, [d, ...Array.from({ length: L - 1 }, () => n), 2], biases);
    const x = [...random.normal(d)];
    const rule = { kind: "epsilon", epsilon } as const;
    const everywhere = layers.map(() => rule);
    const { R, books, graph } = await propagated(layers, x, everywhere, 0);
    const plainly = layers.map(() => epsilonRule(epsilon));
    const expected = explainPlainly(layers, x, plainly, 0);
    const { inputs } = forward(layers, x);
    const [top, a] = [layers.at(-1)!, inputs.at(-1)!];
    const one = await propagated([top], a, [rule], 0);
    const zero = explainPlainly([top], a, [zeroRule], 0).relevance[0]!;
    const f = expected.score;
    const kept = Math.abs(f) / (Math.abs(f) + epsilon);
    const handed = total(one.R) + taken(one.books).bias;
    const unsigned = unsignedEpsilonRule(epsilon)(top, a, [f, 0]);
    const rounding = { tolerance: 1e-11 * (1 + Math.max(...R.map(Math.abs))) };
    const step =
      f > 0
        ? taylorStep({ weights: top.W[0]!, bias: top.b[0]! }, a, f, { kind: "epsilon", epsilon })
        : undefined;
    return {
      graph,
      figure: figure(layers, x, epsilon, { inputs: total(R), ...taken(books) }),
      claims: {
        "the pass against plain loops, deviation": checked(deviation(R, expected.relevance[0]!), 0, {
          tolerance: 1e-10,
        }),
        "what stabilizers absorb": checked(
          taken(books).absorbed,
          f - total(expected.relevance[0]!) - total(expected.biases),
          rounding,
        ),
        "one layer: inputs and bias together": checked(handed, kept * f, rounding),
        "one layer: all of LRP-0 in one proportion, deviation": checked(
          deviation(
            one.R,
            zero.map((v) => kept * v),
          ),
          0,
          { tolerance: 1e-10 },
        ),
        ...(step && {
          "expansion at delta x, delta = epsilon / (z + epsilon), deviation": checked(
            deviation(step.messages, [...one.R]),
            0,
            { tolerance: 1e-10 },
          ),
        }),
        ...(f !== 0 && {
          "handed on by the explained neuron, of what it has": checked(Math.abs(handed / f), 1),
          "handed on, epsilon without a sign": checked(
            Math.abs((total(unsigned.inputs) + unsigned.bias) / f),
            1,
          ),
        }),
      },
    };
  },
});
