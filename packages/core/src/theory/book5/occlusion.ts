import { patchGroups } from "../../explain/methods/groups.ts";
import { occlusion, shapley } from "../../explain/methods/removal.ts";
import { modelAt, row } from "../../explain/model-at.ts";
import type { Figure } from "../../figure/figure.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { atMost, checked, equals, type Measurement } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { apart, dot, dyadic, sum } from "./drawn.ts";

export default lemma({
  id: "C5-05",
  covers: ["C5-05"],
  kind: "algorithm",
  title: "Occlusion: what is lost when a feature goes",
  source: "Book, chapter 5, sect. 5.5 (Li et al. 2016)",
  statement: String.raw`R_i = P_c(x) - P_c(x_{|x_i = 0}), \qquad |R_i| \le \tfrac14 |\Delta_i|, \; \Delta_i = (f_1 - f_2)(x) - (f_1 - f_2)(x_{|x_i = 0})`,
  parameters: {
    d: integer({ min: 2, max: 8, default: 6, label: "features" }),
    eighths: integer({ min: -8, max: 8, default: 0, label: "what stands for nothing, in eighths" }),
    size: real({ min: 0.01, max: 2, default: 1, label: "size of the scores" }),
    side: integer({ min: 2, max: 128, default: 128, label: "side of an image" }),
  },
  claims: {
    "linear score: drop less w_i (x_i - baseline), greatest": equals("0"),
    "linear score: sum of the drops": equals(String.raw`f(x) - f(\text{baseline})`),
    "linear score, groups of two: drop less the sum of both, greatest": equals("0"),
    "runs of the network": equals("d + 1"),
    "runs for all pixels of an image": equals(String.raw`\text{side}^2 + 1`),
    "probability: drop less that of the logistic function, greatest": equals("0"),
    "probability: drop over the drop of the difference of scores, greatest": atMost(String.raw`\tfrac14`),
    "max(x, x): sum of the drops": equals("0"),
    "max(x, x): sum of Shapley values": equals("x"),
  },
  mutants: {
    "the whole example not counted": { "runs of the network": ({ d }) => d },
    "occlusion conserves": { "max(x, x): sum of the drops": (_, { measured }) => measured + 1 },
    "baseline forgotten": ({ eighths }) => ({ eighths: eighths + 1 }),
    "slope of the logistic function at most 1/5": {
      "probability: drop over the drop of the difference of scores, greatest": () => 0.2,
    },
  },
  async run({ d, eighths, size, side }, { random }) {
    const [x, w, v] = [dyadic(random, d), dyadic(random, d), dyadic(random, d)];
    const baseline = new Float64Array(d).fill(eighths / 8);
    const graph = network([layer([[...w], [...v]], [0.5, -0.25])]);
    const model = await modelAt(graph, row(x));
    const single = patchGroups([1, d], 1);
    const pairs = Array.from({ length: Math.ceil(d / 2) }, (_, g) => single.slice(2 * g, 2 * g + 2).flat());
    const before = model.runs;
    const { relevance: drops } = await occlusion(model, { groups: single, baseline });
    const runs = model.runs - before;
    const { relevance: ofPairs } = await occlusion(model, { groups: pairs, baseline });
    const inPairs = pairs.map((pair) => sum(pair.map((k) => ofPairs[k]!)) - sum(pair.map((k) => drops[k]!)));
    return {
      graph,
      figure: figure(),
      claims: {
        "linear score: drop less w_i (x_i - baseline), greatest": checked(
          apart(
            drops,
            w.map((c, i) => c * (x[i]! - eighths / 8)),
          ),
          0,
        ),
        "linear score: sum of the drops": checked(sum(drops), dot(w, x) - dot(w, baseline)),
        "linear score, groups of two: drop less the sum of both, greatest": checked(
          apart(
            inPairs,
            pairs.map(() => 0),
          ),
          0,
        ),
        "runs of the network": checked(runs, d + 1),
        "runs for all pixels of an image": checked(
          patchGroups([1, 3, side, side], 1).length + 1,
          side ** 2 + 1,
        ),
        ...(await ofProbabilities(d, size, random)),
        ...(await ofMaximum(Math.abs(x[0]!))),
      },
    };
  },
});

async function ofProbabilities(
  d: number,
  size: number,
  random: Random,
): Promise<Record<string, Measurement>> {
  const weights = [0, 1].map(() => [...random.normal(d)].map((c) => (size * c) / d));
  const x = random.normal(d);
  const model = await modelAt(network([layer(weights)]), row(x));
  const groups = patchGroups([1, d], 1);
  const { relevance } = await occlusion(model, { groups, baseline: new Float64Array(d), probabilityOf: 0 });
  const parts = x.map((v, i) => (weights[0]![i]! - weights[1]![i]!) * v);
  const margin = sum(parts);
  const logistic = (t: number): number => 1 / (1 + Math.exp(-t));
  const expected = parts.map((part) => logistic(margin) - logistic(margin - part));
  return {
    "probability: drop less that of the logistic function, greatest": checked(apart(relevance, expected), 0, {
      tolerance: 1e-13 * (1 + size), // sums of d products in another order, and two exponentials
    }),
    "probability: drop over the drop of the difference of scores, greatest": checked(
      Math.max(...relevance.map((r, i) => (Math.abs(parts[i]!) > 1e-6 ? r / parts[i]! : 0))),
      0.25,
      { tolerance: 1e-8 },
    ),
  };
}

/** max(p, q) = Relu(p - q) + Relu(q) - Relu(-q): either feature alone is enough. */
const maximum = network([
  layer([
    [1, -1],
    [0, 1],
    [0, -1],
  ]),
  layer([[1, 1, -1]]),
]);

async function ofMaximum(x: number): Promise<Record<string, Measurement>> {
  const model = await modelAt(maximum, row([x, x]));
  const options = { groups: [[0], [1]], baseline: new Float64Array(2) };
  const { relevance: drops } = await occlusion(model, options);
  const { relevance: shares } = await shapley(model, {
    ...options,
    permutations: 0,
    random: createRandom(0),
  });
  return {
    "max(x, x): sum of the drops": checked(sum(drops), 0),
    "max(x, x): sum of Shapley values": checked(sum(shares), x),
  };
}

/** The drop of the probability against the drop of the score: what is sure already loses little. */
const figure = (): Figure => {
  const logistic = (t: number): number => 1 / (1 + Math.exp(-t));
  const parts = Array.from({ length: 81 }, (_, k) => k / 10 - 4);
  return {
    title: "A feature that adds Δ to the score: the drop of the probability",
    panels: [
      {
        title: "By how sure the network is",
        x: { label: "Δ" },
        y: { label: "P(x) - P(x without it)" },
        series: [
          ...[0, 2, 5].map((margin) => ({
            name: `P = ${logistic(margin).toFixed(3)}`,
            mark: "line" as const,
            points: parts.map((t): [number, number] => [t, logistic(margin) - logistic(margin - t)]),
          })),
          { name: "Δ / 4", mark: "line", role: "theory", points: parts.map((t) => [t, t / 4]) },
        ],
      },
    ],
  };
};
