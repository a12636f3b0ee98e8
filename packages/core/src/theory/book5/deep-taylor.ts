import { constancy, type RootRule, type TaylorStep, taylorStep } from "../../explain/deep-taylor.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { figure } from "./deep-taylor-figure.ts";
import {
  biasParameter,
  type DenseLayer,
  denseGraph,
  deviation,
  drawLayers,
  forward,
  preActivations,
  total,
} from "./dense-relu.ts";
import {
  boxRule,
  byMessages,
  epsilonRule,
  explainPlainly,
  gammaRule,
  type PlainRule,
  squareRule,
  zeroRule,
} from "./plain-rules.ts";

export default lemma({
  id: "C5-15",
  covers: ["C5-15"],
  kind: "measure",
  title: "Deep Taylor decomposition: the reference points behind the rules",
  source: "Book, (5.11)-(5.13)",
  statement: String.raw`\hat r_k(x) = c_k \max(0, w_k^T x + b_k), \qquad R_{k \to j} = (x_j - \tilde x_j) w_{jk} c_k, \qquad \hat r_k(\tilde x) + \sum_j R_{k \to j} = R_k`,
  parameters: {
    d: integer({ min: 1, max: 8, default: 5, label: "inputs" }),
    n: integer({ min: 2, max: 12, default: 8, label: "width" }),
    gamma: real({ min: 0.01, max: 10, default: 0.25, label: "gamma" }),
    epsilon: real({ min: 0.001, max: 1, default: 0.1, label: "epsilon" }),
    biases: biasParameter,
  },
  claims: {
    "zeroth-order term at the roots of gamma, z-plus, w-square and the box": equals("0"),
    "messages against the rules without bias, deviation": equals("0"),
    "messages of LRP-0 and LRP-epsilon against Table 5.1, deviation": equals("0"),
    "zeroth-order term and messages together, deviation from R": equals("0"),
    "zeroth-order term of LRP-epsilon, no bias, over R": equals(
      String.raw`\delta = \epsilon / (z + \epsilon)`,
    ),
    "distance of LRP-epsilon's reference point over that of the origin": equals(String.raw`1 - \delta`),
    "distance of gamma's root over that of the origin, biases not positive": atMost("1"),
    "distance of the w-square root over those of the others": atMost("1"),
    "c below LRP-0 in one linear region: variation": equals("0"),
    "pre-activation at the reference point of LRP-epsilon": atLeast("0").printed({
      where: "section 5.4.2, before (5.13)",
      printed: String.raw`For the activated domain, we consider some reference point $\tilde{\mathbf{x}}^{[i-1]}$ (also on the activated domain), and a Taylor expansion at this point gives`,
      corrected: String.raw`$\delta \mathbf{x}$ is there only if $b_k \ge -\delta \sum_j x_j w_{jk}$: with the negative biases for which the rules were derived the neuron is closed at it for small $\epsilon$, and its gradient is 0; the rule takes the linear piece of $\mathbf{x}$ instead`,
    }),
  },
  mutants: {
    "delta as epsilon / z": {
      "zeroth-order term of LRP-epsilon, no bias, over R": (_, { theory }) => theory / (1 - theory),
    },
    "twice epsilon": ({ epsilon }) => ({ epsilon: 2 * epsilon }),
  },
  run({ d, n, gamma, epsilon, biases }, { random }) {
    const layers = drawLayers(random, [d, n, n, 1], biases);
    const x = [...random.uniform(d)];
    const neurons = openNeurons(layers[0]!, x);
    if (neurons.length === 0) throw new HypothesisError("some neuron of the first layer is open");
    const [low, high] = [x.map(() => -0.5), x.map(() => 1.5)];
    const rules = rulesOf({ gamma, epsilon, low, high });
    const all = neurons.map((neuron) => ({ ...neuron, steps: stepsOf(neuron, x, rules) }));
    const worst = (of: (item: (typeof all)[number]) => number): number => Math.max(...all.map(of));
    const [first] = all as [(typeof all)[number]];
    const delta = epsilon / (first.z + epsilon);
    const origin = Math.hypot(...x);
    const rounding = { tolerance: 1e-9 };
    const steady = constancyBelow(layers, x, zeroRule, random.split("noise"));
    const leaning = constancyBelow(layers, x, gammaRule(gamma), random.split("noise"));
    return {
      graph: denseGraph(layers),
      figure: figure(
        all.reduce((most, item) => (item.z > most.z ? item : most)),
        x,
      ),
      table: {
        title: "Reference points of the first open neuron",
        columns: ["rule", "distance", "zeroth-order term", "outside of its domain"],
        rows: [
          ...Object.entries(first.steps).map(([name, s]) => [name, s.distance, s.residual, s.outside]),
          ["c below LRP-0, variation", steady?.ofFactor ?? "-", "of R", steady?.ofRelevance ?? "-"],
          ["c below gamma, variation", leaning?.ofFactor ?? "-", "of R", leaning?.ofRelevance ?? "-"],
        ],
      },
      claims: {
        "zeroth-order term at the roots of gamma, z-plus, w-square and the box": checked(
          worst(({ steps }) => Math.max(...hinges.map((name) => Math.abs(steps[name].residual)))),
          0,
          rounding,
        ),
        "messages against the rules without bias, deviation": checked(
          worst((item) =>
            Math.max(...hinges.map((name) => mismatch(item, x, rules[name], item.steps[name]))),
          ),
          0,
          rounding,
        ),
        "messages of LRP-0 and LRP-epsilon against Table 5.1, deviation": checked(
          worst((item) =>
            Math.max(
              ...(["zero", "epsilon"] as const).map((name) =>
                mismatch(item, x, rules[name], item.steps[name]),
              ),
            ),
          ),
          0,
          rounding,
        ),
        "zeroth-order term and messages together, deviation from R": checked(
          worst(({ steps, z }) =>
            Math.max(...Object.values(steps).map((s) => Math.abs(s.residual + total([...s.messages]) - z))),
          ),
          0,
          rounding,
        ),
        ...(biases === "none" && {
          "zeroth-order term of LRP-epsilon, no bias, over R": checked(
            first.steps.epsilon.residual / first.z,
            delta,
            { tolerance: 1e-12 },
          ),
        }),
        "distance of LRP-epsilon's reference point over that of the origin": checked(
          first.steps.epsilon.distance / origin,
          1 - delta,
          { tolerance: 1e-12 },
        ),
        ...(biases !== "any" && {
          "distance of gamma's root over that of the origin, biases not positive": checked(
            worst(({ steps }) => steps.gamma.distance / origin),
            1,
            { tolerance: 1e-12 },
          ),
        }),
        "distance of the w-square root over those of the others": checked(
          worst(({ steps }) =>
            Math.max(...hinges.map((name) => steps["w-square"].distance / steps[name].distance).slice(0, 3)),
          ),
          1,
          { tolerance: 1e-12 },
        ),
        ...(steady && {
          "c below LRP-0 in one linear region: variation": checked(steady.ofFactor, 0, rounding),
        }),
        "pre-activation at the reference point of LRP-epsilon": checked(
          Math.min(...all.map(({ steps }) => steps.epsilon.preActivation)),
          0,
          { tolerance: 1e-12 },
        ),
      },
    };
  },
});

interface OpenNeuron {
  readonly weights: readonly number[];
  readonly bias: number;
  readonly z: number;
}

/** Those that are open by more than rounding, and whose inputs alone would open them: there the lines reach the hinge. */
const openNeurons = (layer: DenseLayer, x: readonly number[]): readonly OpenNeuron[] =>
  preActivations(layer, x).flatMap((z, k) =>
    z > 1e-3 && z - layer.b[k]! > 1e-3 ? [{ weights: layer.W[k]!, bias: layer.b[k]!, z }] : [],
  );

interface Choices {
  readonly gamma: number;
  readonly epsilon: number;
  readonly low: readonly number[];
  readonly high: readonly number[];
}

const ruleNames = ["gamma", "z-plus", "box", "w-square", "zero", "epsilon"] as const;
type RuleName = (typeof ruleNames)[number];
/** Those that put the reference point on the hinge. */
const hinges = ["gamma", "z-plus", "box", "w-square"] as const satisfies readonly RuleName[];

type Pair = { readonly root: RootRule; readonly plain: PlainRule };

/** Each rule as a choice of reference point, and in plain loops; without bias where the root knows none. */
const rulesOf = ({ gamma, epsilon, low, high }: Choices): Readonly<Record<RuleName, Pair>> => ({
  gamma: {
    root: { kind: "gamma", gamma },
    plain: byMessages((a, w) => a * w * (w > 0 ? 1 + gamma : 1), { bias: false }),
  },
  "z-plus": { root: { kind: "z-plus" }, plain: byMessages((a, w) => Math.max(0, a * w), { bias: false }) },
  box: { root: { kind: "z-box", low, high }, plain: boxRule(low, high) },
  "w-square": { root: { kind: "w-square" }, plain: squareRule },
  zero: { root: { kind: "zero" }, plain: zeroRule },
  epsilon: { root: { kind: "epsilon", epsilon }, plain: epsilonRule(epsilon) },
});

const stepsOf = (
  neuron: OpenNeuron,
  x: readonly number[],
  rules: Readonly<Record<RuleName, Pair>>,
): Readonly<Record<RuleName, TaylorStep>> =>
  Object.fromEntries(
    ruleNames.map((name) => [name, taylorStep(neuron, x, neuron.z, rules[name].root)]),
  ) as Record<RuleName, TaylorStep>;

const mismatch = (
  { weights, bias, z }: OpenNeuron,
  x: readonly number[],
  { plain }: Pair,
  { messages }: TaylorStep,
): number => deviation(messages, [...plain({ W: [weights], b: [bias] }, x, [z]).inputs]);

/** How c = R / x of the most relevant neuron of the first layer varies near x, with one rule above; same region only. */
function constancyBelow(
  layers: readonly DenseLayer[],
  x: readonly number[],
  rule: PlainRule,
  random: Random,
) {
  const gatesAt = (y: readonly number[]): string =>
    forward(layers, y)
      .inputs.slice(1)
      .flat()
      .map((v) => (v > 0 ? 1 : 0))
      .join("");
  const points = Array.from({ length: 12 }, () => x.map((v) => v + 1e-3 * random.normal())).filter(
    (y) => gatesAt(y) === gatesAt(x),
  );
  const relevanceAt = (y: readonly number[]) =>
    explainPlainly(layers, y, [zeroRule, rule, rule], 0).relevance[1]!;
  const here = relevanceAt(x);
  const k = here.reduce((best, v, j) => (Math.abs(v) > Math.abs(here[best]!) ? j : best), 0);
  if (points.length < 3 || Math.abs(here[k]!) < 1e-6) return undefined;
  return constancy(
    points.map((y) => relevanceAt(y)[k]!),
    points.map((y) => forward(layers, y).inputs[1]![k]!),
  );
}
