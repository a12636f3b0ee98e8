import { explain } from "../../explain/explain.ts";
import { gradientTimesInput } from "../../explain/methods/gradients.ts";
import { occlusion } from "../../explain/methods/removal.ts";
import { taylor } from "../../explain/methods/taylor.ts";
import { modelAt, row } from "../../explain/model-at.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers } from "../../graph/tensor.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { byInput, inputAxis } from "./by-input.ts";
import { apart, dot, dyadic, sum } from "./drawn.ts";

export default lemma({
  id: "C5-01",
  covers: ["C5-01"],
  kind: "algorithm",
  title: "What each feature adds to a linear score",
  source: "Book, chapter 5, (5.1)-(5.4)",
  statement: String.raw`f(x) = \sum_{i=1}^d w_i x_i + b, \; R_i = w_i x_i: \qquad \sum_i R_i = f(x) - b`,
  parameters: {
    d: integer({ min: 1, max: 16, default: 6, label: "features" }),
    quarters: integer({ min: -40, max: 40, default: 3, label: "bias, in quarters" }),
  },
  claims: {
    "sum of relevance": equals("f(x) - b"),
    "gradient x input less w_i x_i, greatest": equals("0"),
    "occlusion less w_i x_i, greatest": equals("0"),
    "LRP-0 less w_i x_i, greatest": equals("0"),
    "Taylor decomposition at 0 less w_i x_i, greatest": equals("0"),
    "Taylor decomposition at 0, zeroth order": equals("b"),
    "a feature with the same value in another input: change of its relevance": equals("0"),
    "sgn(f) R_i less what removing feature i takes from the decision, greatest": equals("0"),
    "conservation (5.3)": equals("f(x)").printed({
      where: "(5.3) and the sentence before (5.4)",
      printed: String.raw`For linear models we can easily find an explanation that fulfills all the above properties if we define the contribution of the $i$th feature as the $i$th summand in (5.2), i.e., $R_i = w_i x_i$ [...] $\sum_{i=1}^d R_i \approx f_\theta(X)$`,
      corrected: String.raw`$\sum_i R_i = f_\theta(X) - b$: equal to $f_\theta(X)$ for $b = 0$ alone, and of the other sign where $|b| > |f_\theta(X)|$ and $b f_\theta(X) > 0$`,
    }),
    "what removing the most relevant feature takes from the decision": atLeast("0").printed({
      where: "section 5.3.1, (iii) Signed relevance, with (5.4)",
      printed:
        "a positive value of $R_i$ should indicate a feature $x_i$ which is relevant to the prediction whereas a negative $R_i$ should mark a feature contradicting the decision",
      corrected: String.raw`$w_i x_i > 0$ speaks for class 1: where $f_\theta(X) < 0$ decides for class 2, it contradicts the decision; $\operatorname{sgn}(f_\theta(X)) \, w_i x_i$ has the sign that is asked for`,
    }),
  },
  mutants: {
    "the bias is spread over the features": {
      "sum of relevance": ({ quarters }, { theory }) => theory + quarters / 4,
    },
    "the constant term forgotten": { "Taylor decomposition at 0, zeroth order": () => 0 },
    "a feature lost": ({ d }) => ({ d: d - 1 }),
  },
  async run({ d, quarters }, { random }) {
    const [w, x, other, b] = [dyadic(random, d), dyadic(random, d), dyadic(random, d), quarters / 4];
    const graph = network([layer([[...w]], [b])], { name: "linear model" });
    const model = await modelAt(graph, row(x));
    const f = dot(w, x) + b;
    const contributions = w.map((v, i) => v * x[i]!);
    const baseline = new Float64Array(d);
    const groups = Array.from({ length: d }, (_, i) => [i]);
    const { relevance } = await gradientTimesInput(model);
    const { relevance: drops } = await occlusion(model, { groups, baseline });
    const expansion = await taylor(model, { root: "origin", baseline });
    other[0] = x[0]!;
    const elsewhere = await gradientTimesInput(await modelAt(graph, row(other)));
    const support = drops.map((drop) => Math.sign(f) * drop);
    const top = relevance.indexOf(Math.max(...relevance));
    return {
      graph,
      figure: figure(w, x, b),
      claims: {
        "sum of relevance": checked(sum(relevance), f - b),
        "gradient x input less w_i x_i, greatest": checked(apart(relevance, contributions), 0),
        "occlusion less w_i x_i, greatest": checked(apart(drops, contributions), 0),
        "Taylor decomposition at 0 less w_i x_i, greatest": checked(
          apart(expansion.relevance, contributions),
          0,
        ),
        "Taylor decomposition at 0, zeroth order": checked(expansion.details["zeroth"]!, b),
        "a feature with the same value in another input: change of its relevance": checked(
          Math.abs(elsewhere.relevance[0]! - relevance[0]!),
          0,
        ),
        "sgn(f) R_i less what removing feature i takes from the decision, greatest": checked(
          apart(
            relevance.map((r) => Math.sign(f) * r),
            support,
          ),
          0,
        ),
        "conservation (5.3)": checked(sum(relevance), f),
        ...(relevance[top]! > 0 &&
          f !== 0 && {
            "what removing the most relevant feature takes from the decision": checked(support[top]!, 0),
          }),
        // A score of 0 has nothing to hand back: the quotients of LRP-0 are 0/0.
        ...(f !== 0 && {
          "LRP-0 less w_i x_i, greatest": checked(
            apart(await byZero(graph, x), contributions),
            0,
            // w_i x_i / f * f: two roundings of numbers of at most 4.
            { tolerance: 2 ** -48 },
          ),
        }),
      },
    };
  },
});

async function byZero(graph: Parameters<typeof explain>[0], x: Float64Array): Promise<Float64Array> {
  const { relevance } = await explain(graph, row(x), { composite: "uniform(zero)" });
  return Float64Array.from(numbers(relevance.get("x")!));
}

function figure(w: Float64Array, x: Float64Array, b: number): Figure {
  const steps = Array.from({ length: w.length + 1 }, (_, n) => dot(w.slice(0, n), x));
  return {
    title: `A linear score, summand by summand: what is left is the bias ${b}`,
    panels: [
      {
        title: "Contribution and sensitivity",
        x: inputAxis(w.length),
        y: { label: "value" },
        series: [
          byInput(
            "contribution w x",
            w.map((v, i) => v * x[i]!),
          ),
          byInput("sensitivity w", w),
        ],
      },
      {
        title: "Sum of the first contributions",
        x: { label: "features" },
        y: { label: "score" },
        series: [
          // A step more, so that the last sum has its width.
          { name: "contributions", mark: "step", points: [...steps, steps.at(-1)!].map((s, i) => [i, s]) },
          {
            name: "score f(x)",
            mark: "line",
            role: "theory",
            points: [0, w.length + 1].map((i) => [i, steps.at(-1)! + b]),
          },
        ],
      },
    ],
  };
}
