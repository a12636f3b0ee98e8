import { type TaylorStep, taylorStep } from "../../explain/deep-taylor.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import {
  biasParameter,
  type DenseLayer,
  deviation,
  drawLayers,
  forward,
  preActivations,
  propagated,
  taken,
  total,
} from "./dense-relu.ts";
import { byMessages, explainPlainly, gammaRule, zeroRule } from "./plain-rules.ts";
import { figure } from "./rule-gamma-figure.ts";

export default lemma({
  id: "C5-09",
  covers: ["C5-09"],
  kind: "algorithm",
  title: "LRP-gamma between LRP-0 and positive contributions alone",
  source: "Book, Table 5.1, sections 5.4.1 and 5.4.2",
  statement: String.raw`R_j = \sum_k \frac{x_j (w_{jk} + \gamma w_{jk}^+)}{\sum_{l \ge 0} x_l (w_{lk} + \gamma w_{lk}^+)} R_k \quad (x \ge 0, z_k > 0), \qquad \|R_\gamma - R_\infty\|_1 = \frac{2 N}{(1 + \gamma) P - N} f`,
  parameters: {
    d: integer({ min: 1, max: 8, default: 5, label: "inputs" }),
    n: integer({ min: 1, max: 10, default: 7, label: "width" }),
    L: integer({ min: 1, max: 4, default: 3, label: "layers" }),
    gamma: real({ min: 0.01, max: 20, default: 0.25, label: "gamma" }),
    biases: biasParameter,
  },
  claims: {
    "the pass against plain loops, deviation": equals("0"),
    "gamma = 0 against LRP-0, deviation": equals("0"),
    "one layer: distance to alpha = 1, beta = 0, bias included": equals(
      String.raw`\frac{2 N}{(1 + \gamma) P - N} f, \; P, N: \text{contributions for and against}`,
    ),
    "denominator over pre-activation, where positive": atLeast("1"),
    "expansion at the root against the rule without bias, deviation": equals("0"),
    "pre-activation at the root": equals("0"),
    "roots that are positive where b exceeds its bound, or are not where it does not": equals(
      String.raw`0, \text{ the bound being } \tfrac{\gamma}{1 + \gamma} \sum_j x_j |w_{jk}^-|`,
    ),
    "expansion at the root against Table 5.1, deviation": equals("0").printed({
      where: "section 5.4.2, after (5.13)",
      printed: String.raw`The LRP-$\gamma$ rule is obtained by searching the root point on the line $\{\mathbf{x}^{[i-1]} - t\mathbf{x}^{[i-1]} \odot (\mathbf{1} + \gamma \mathbf{1}_{w_k^{[i]} \geq 0}), t \in \mathbb{R}\}$`,
      corrected: String.raw`the root gives the rule whose denominator has no bias, $\sum_{l \ge 1}$; the table has $\sum_{l \ge 0}$`,
    }),
    "least component of the reference point": atLeast("0").printed({
      where: "section 5.4.2, after (5.13)",
      printed: String.raw`we can show that LRP-0/$\epsilon$/$\gamma$ all correspond to a reference point whose components are positive`,
      corrected: String.raw`for LRP-$\gamma$ if and only if $b_k \le \frac{\gamma}{1 + \gamma} \sum_j x_j |w_{jk}^-|$, so for all biases that are not positive`,
    }),
    "|denominator| over |pre-activation|, whatever its sign": atLeast("1").printed({
      where: "section 5.4.2, Choosing LRP Rules in Practice",
      printed: String.raw`The LRP-$\gamma$ and LRP-$\alpha\beta$ rules assume positive inputs.`,
      corrected: String.raw`LRP-$\gamma$ assumes a positive pre-activation too: for a negative score its denominator may vanish, and the weights to favour are the negative ones`,
    }),
    "denominator of (5.10) against Table 5.1, deviation of the relevance": equals("0").printed({
      where: "(5.10)",
      printed: String.raw`R_j^{[i-1]} = \sum_{k=1}^{n_i} \frac{z_{jk}^{[i]}}{\sum_{l=1}^{n_{i-1}} z_{lk}^{[i]} + b_k^{[i]}} R_k^{[i]}`,
      corrected: String.raw`$\sum_{l=0}^{n_{i-1}} z_{lk}$ with what the rule makes of the bias: $b_k + \gamma b_k^+$ here, nothing for flat, $w^2$ and $z^{\mathcal B}$`,
    }),
  },
  mutants: {
    "half of gamma": ({ gamma }) => ({ gamma: gamma / 2 }),
    "distance as 2N / (gamma P)": {
      "one layer: distance to alpha = 1, beta = 0, bias included": ({ gamma }, { theory }) =>
        (theory * (1 + gamma)) / gamma,
    },
  },
  async run({ d, n, L, gamma, biases }, { random }) {
    const layers = drawLayers(random, [d, ...Array.from({ length: L - 1 }, () => n), 2], biases);
    const x = [...random.uniform(d)];
    const rule = { kind: "gamma", gamma, stabilizer: 0 } as const;
    const everywhere = layers.map(() => rule);
    const { R, graph } = await propagated(layers, x, everywhere, 0);
    const expected = plainly(layers, x, gammaRule(gamma));
    const none = layers.map(() => ({ ...rule, gamma: 0 }));
    const atZero = await propagated(layers, x, none, 0);
    const { inputs } = forward(layers, x);
    const [top, a] = [layers.at(-1)!, inputs.at(-1)!];
    const steps = activeNeurons(layers, inputs).map((neuron) => ({
      ...neuron,
      ...stepOf(neuron, gamma),
    }));
    const f = expected.score;
    const leaned = leanedSum(top.W[0]!, a, top.b[0]!, gamma);
    return {
      graph,
      figure: figure(layers, x, steps),
      claims: {
        "the pass against plain loops, deviation": checked(deviation(R, expected.relevance[0]!), 0, {
          tolerance: 1e-9,
        }),
        "gamma = 0 against LRP-0, deviation": checked(
          deviation(atZero.R, plainly(layers, x, zeroRule).relevance[0]!),
          0,
          { tolerance: 1e-9 },
        ),
        ...(f > 0 && {
          "one layer: distance to alpha = 1, beta = 0, bias included": await distanceToPositive(
            top,
            a,
            gamma,
          ),
          "denominator over pre-activation, where positive": checked(leaned / f, 1, { tolerance: 1e-12 }),
        }),
        ...(f !== 0 && {
          "|denominator| over |pre-activation|, whatever its sign": checked(Math.abs(leaned / f), 1, {
            tolerance: 1e-12,
          }),
        }),
        ...(steps.length > 0 && claimsOfRoots(steps, gamma)),
      },
    };
  },
});

const plainly = (layers: readonly DenseLayer[], x: readonly number[], rule: typeof zeroRule) =>
  explainPlainly(
    layers,
    x,
    layers.map(() => rule),
    0,
  );

interface ActiveNeuron {
  readonly weights: readonly number[];
  readonly bias: number;
  readonly a: readonly number[];
  readonly z: number;
}

interface Step extends ActiveNeuron, Pick<TaylorStep, "root" | "messages" | "preActivation"> {}

const leanedSum = (w: readonly number[], a: readonly number[], bias: number, gamma: number): number =>
  total(w.map((v, j) => a[j]! * v * (v > 0 ? 1 + gamma : 1))) + bias * (bias > 0 ? 1 + gamma : 1);

/** The neurons of all layers that are open, away from the cases in which the line does not reach the hinge. */
const activeNeurons = (
  layers: readonly DenseLayer[],
  inputs: readonly (readonly number[])[],
): readonly ActiveNeuron[] =>
  layers.flatMap((layer, l) =>
    preActivations(layer, inputs[l]!).flatMap((z, k) => {
      const [weights, bias, a] = [layer.W[k]!, layer.b[k]!, inputs[l]!];
      return z > 1e-3 && total(weights.map((w, j) => w * a[j]!)) > 1e-3 ? [{ weights, bias, a, z }] : [];
    }),
  );

const stepOf = (neuron: ActiveNeuron, gamma: number): TaylorStep =>
  taylorStep(neuron, neuron.a, neuron.z, { kind: "gamma", gamma });

/** One neuron under a rule in plain loops, its relevance being its activation. */
const alone = (neuron: ActiveNeuron, rule: typeof zeroRule): readonly number[] =>
  rule({ W: [neuron.weights], b: [neuron.bias] }, neuron.a, [neuron.z]).inputs;

function claimsOfRoots(steps: readonly Step[], gamma: number) {
  const favoured = (a: number, w: number): number => a * w * (a * w > 0 ? 1 + gamma : 1);
  const without = byMessages(favoured, { bias: false });
  // (5.10): the bias stands in the denominator as it is.
  const generic = (neuron: ActiveNeuron) => byMessages(favoured, { bias: false, shift: () => neuron.bias });
  const worst = (of: (step: Step) => number): number => Math.max(...steps.map(of));
  const margin = ({ weights, a, bias }: Step): number =>
    (gamma / (1 + gamma)) * total(weights.map((w, j) => a[j]! * Math.max(0, -w))) - bias;
  const least = ({ root, weights, a }: Step): number =>
    Math.min(...Array.from(root).filter((_, j) => a[j]! > 0 && weights[j]! > 0));
  const decided = steps.filter((step) => Math.abs(margin(step)) > 1e-9);
  const rounding = { tolerance: 1e-9 };
  return {
    "expansion at the root against the rule without bias, deviation": checked(
      worst((s) => deviation(s.messages, [...alone(s, without)])),
      0,
      rounding,
    ),
    "pre-activation at the root": checked(
      worst((s) => Math.abs(s.preActivation)),
      0,
      rounding,
    ),
    "roots that are positive where b exceeds its bound, or are not where it does not": checked(
      decided.filter((s) => least(s) >= -1e-12 !== margin(s) > 0).length,
      0,
    ),
    "expansion at the root against Table 5.1, deviation": checked(
      worst((s) => deviation(s.messages, [...alone(s, gammaRule(gamma))])),
      0,
      rounding,
    ),
    "least component of the reference point": checked(Math.min(...steps.flatMap((s) => [...s.root])), 0, {
      tolerance: 1e-12,
    }),
    "denominator of (5.10) against Table 5.1, deviation of the relevance": checked(
      worst((s) => deviation(alone(s, generic(s)), [...alone(s, gammaRule(gamma))])),
      0,
      rounding,
    ),
  };
}

async function distanceToPositive(top: DenseLayer, a: readonly number[], gamma: number) {
  const by = (rule: "gamma" | "z-plus") =>
    propagated(
      [top],
      a,
      [rule === "gamma" ? { kind: rule, gamma, stabilizer: 0 } : { kind: rule, stabilizer: 0 }],
      0,
    );
  const [leaned, positive] = [await by("gamma"), await by("z-plus")];
  const contributions = [...top.W[0]!.map((w, j) => w * a[j]!), top.b[0]!];
  const P = total(contributions.filter((v) => v > 0));
  const N = -total(contributions.filter((v) => v < 0));
  const distance =
    total(leaned.R.map((v, j) => Math.abs(v - positive.R[j]!))) +
    Math.abs(taken(leaned.books).bias - taken(positive.books).bias);
  const f = P - N;
  return checked(distance, ((2 * N) / ((1 + gamma) * P - N)) * f, { tolerance: 1e-10 * (1 + f) });
}
