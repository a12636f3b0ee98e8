import { run } from "../../engine/run.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import {
  attention,
  edgeRecovery,
  scoreMatrix,
  softmaxRows,
  supportOf,
  thresholded,
} from "../../sparse/attention.ts";
import { initialNetwork } from "../../train/network.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { learnedSupport, plantedFigure, plantedTable } from "./planted-dependencies.ts";

type Rows = readonly (readonly number[])[];

export default lemma({
  id: "P-30",
  covers: ["P-30"],
  kind: "algorithm",
  title: "Attention chooses which tokens enter a node: how many it reads, and which",
  source: "Poggio, sections 4.2.2 and 6.10.1, Conjecture 2",
  statement: String.raw`A = \operatorname{softmax}(X W_Q W_K^T X^T / \sqrt{d_k}), \qquad 1 \le \frac{1}{\sum_j a_{ij}^2} \le e^{H(a_i)} \le T`,
  parameters: {
    T: integer({ min: 3, max: 8, default: 8, label: "tokens" }),
    d: integer({ min: 2, max: 8, default: 4, label: "features of a token" }),
    beta: real({ min: 0.5, max: 30, default: 4, label: "inverse temperature" }),
    reads: integer({ min: 1, max: 2, default: 2, label: "tokens that an output depends on" }),
  },
  claims: {
    "greatest deviation of a row's sum from 1": equals("0"),
    "attention of permuted tokens, greatest difference": equals("0"),
    "participation, W_Q = 0": equals("T"),
    "participation against perplexity": atMost("e^{H(a)}"),
    perplexity: atMost("T"),
    "weight off the greatest": atMost(
      String.raw`(T - 1) e^{-\beta \Delta} / (1 + (T - 1) e^{-\beta \Delta}), \; \Delta \text{ the gap of the scores}`,
    ),
    "thresholded at 1/T: tokens read": atMost("T - 1"),
    "thresholded at the weights' second greatest: participation": equals("1"),
    "the layer on ONNX Runtime, greatest difference": equals("0"),
    // Conjecture 2 on one task: no theorem. More often than not a few hundred steps find every edge: 34 of 200 trials drawn for
    // it (seed 20261119) failed, which has probability 1e-21 if half of them may fail. By chance at most one in 27 would not
    // (three tokens that read one each), and 24 failures in 25 trials have probability 8e-7 with this delta.
    "trained on planted dependencies: edges found among the greatest": equals("1").probable(),
    "trained on planted dependencies: participation": atMost(
      String.raw`r / (1 - \varepsilon)^2, \; \varepsilon \text{ the weight off the planted tokens}`,
    ),
    "trained on planted dependencies: participation, from below": atLeast(
      String.raw`r / \bigl((1 - \varepsilon)^2 (1 + v^2) + r \varepsilon^2\bigr), \; v \text{ the spread among them}`,
    ),
    "printed H_D, sum of a row": equals("1").printed({
      where: "section 4.2.2, after Conjecture 2",
      printed:
        "In Appendix 6.10 the normalized softmax $H_D(x) = xH(x)$ (with H being a threshold on x) induces sparsity in the selection of “active” connections",
      corrected:
        "$x H(x)$ is a thresholded identity and no softmax: its rows do not sum to 1. Normalized, $H_D(x)_j = x_j 1[x_j > \\theta] / \\sum_k x_k 1[x_k > \\theta]$.",
    }),
  },
  mutants: {
    "no root of d_k": { "weight off the greatest": (_, { theory }) => theory ** 2 },
    "entropy in bits": { "participation against perplexity": (_, { theory }) => 2 ** Math.log(theory) },
    "one token too many": { "participation, W_Q = 0": ({ T }) => T + 1 },
  },
  async run({ T, d, beta, reads }, { random, scale, budget, progress }) {
    const normal = (rows: number, columns: number): number[][] =>
      Array.from({ length: rows }, () => Array.from(random.normal(columns)));
    const [X, query, key, value] = [normal(T, d), normal(d, d), normal(d, d), normal(d, d)];
    const { weights, output } = attention(X, { query, key, value });
    const order = Array.from(random.permutation(T));
    const moved = attention(
      order.map((i) => X[i]!),
      { query, key, value },
    ).output;
    const uniform = attention(X, { query: query.map((row) => row.map(() => 0)), key, value }).weights;
    const scores = scoreMatrix(X, query, key);
    const sharp = softmaxRows(scores, beta / Math.max(...scores.flat().map(Math.abs)));
    const supports = sharp.map((row) => supportOf(row));
    const narrow = supports.reduce((a, b) =>
      a.participation / a.perplexity > b.participation / b.perplexity ? a : b,
    );
    const planted = await learnedSupport(T, reads, random, {
      steps: budget === "cheap" ? 200 : scale(600),
      looks: budget === "cheap" ? [1] : [0.001, 0.003, 0.006, 0.012, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1],
      onProgress: progress,
    });
    const greatest = softmaxRows([gapScores(T, beta)], 1)[0]!;
    const cut = thresholded(sharp, 1 / T).map((row) => supportOf(row).count);
    const isUneven = sharp.every((row) => Math.max(...row) - Math.min(...row) > 1e-9);
    const seconds = sharp.map((row) => thresholded([row], row.toSorted((a, b) => b - a)[1]!)[0]!);
    const rounding = 2 ** -46 * (T + d) * Math.max(1, ...output.flat().map(Math.abs));
    const others = (T - 1) * Math.exp(-beta);
    return {
      graph: planted.model,
      ...(budget === "cheap"
        ? {}
        : { figure: plantedFigure(planted, T, reads), table: plantedTable(planted) }),
      claims: {
        "greatest deviation of a row's sum from 1": checked(
          Math.max(...weights.map((row) => Math.abs(row.reduce((a, b) => a + b, 0) - 1))),
          0,
          { tolerance: 2 ** -50 * T },
        ),
        "attention of permuted tokens, greatest difference": checked(
          greatestDifference(
            moved,
            order.map((i) => output[i]!),
          ),
          0,
          { tolerance: rounding },
        ),
        "participation, W_Q = 0": checked(supportOf(uniform[0]!).participation, T, {
          tolerance: 2 ** -48 * T,
        }),
        "participation against perplexity": checked(narrow.participation, narrow.perplexity, {
          tolerance: 2 ** -46 * T,
        }),
        perplexity: checked(Math.max(...supports.map((s) => s.perplexity)), T, { tolerance: 2 ** -46 * T }),
        "weight off the greatest": checked(1 - greatest[0]!, others / (1 + others), {
          tolerance: 2 ** -50,
        }),
        ...(isUneven
          ? {
              "thresholded at 1/T: tokens read": checked(Math.max(...cut), T - 1),
              "thresholded at the weights' second greatest: participation": checked(
                Math.max(...seconds.map((row) => supportOf(row).participation)),
                1,
              ),
            }
          : {}),
        "the layer on ONNX Runtime, greatest difference": sampled(
          await layerDifference(X, random),
          0,
          { tolerance: 2 ** -44 * (T + d) * 16 }, // products of up to d normal numbers, three times
        ),
        "trained on planted dependencies: edges found among the greatest": checked(
          edgeRecovery(
            planted.weights.map((row) => topOnly(row, reads)),
            planted.graph,
          ).f1,
          1,
          { delta: 0.5 },
        ),
        ...plantedClaims(planted.weights, planted.graph, reads),
        "printed H_D, sum of a row": checked(
          sharp[0]!.reduce((sum, a) => sum + (a > 1 / T ? a : 0), 0),
          1,
          { tolerance: 2 ** -50 * T },
        ),
      },
    };
  },
});

const greatestDifference = (a: Rows, b: Rows): number =>
  Math.max(...a.flatMap((row, i) => row.map((v, j) => Math.abs(v - b[i]![j]!))));

/** One score at beta, the others at 0: the widest spread of weights for this gap. */
const gapScores = (T: number, beta: number): number[] => [beta, ...new Array<number>(T - 1).fill(0)];

/** The row with zeros but for its greatest entries. */
const topOnly = (row: readonly number[], count: number): number[] => {
  const level = row.toSorted((a, b) => b - a)[count - 1]!;
  return row.map((a) => (a >= level ? a : 0));
};

/** The layer of a specification with one head, against the plain formula with its weights. */
async function layerDifference(X: Rows, random: Random): Promise<number> {
  const d = X[0]!.length;
  const net = initialNetwork(`${X.length}x${d}-attention(1)`, {
    type: "float64",
    seed: random.integer(0, 1e6),
  });
  const part = (name: string): number[][] => {
    const values = numbers(net.initializers.get(`layer1.${name}.weight`) as never);
    return Array.from({ length: d }, (_, i) => Array.from(values.slice(i * d, (i + 1) * d)));
  };
  const { output } = attention(X, { query: part("query"), key: part("key"), value: part("value") });
  const mixed = output.map((row) =>
    part("output")[0]!.map((_, j) => row.reduce((sum, v, k) => sum + v * part("output")[k]![j]!, 0)),
  );
  const { y } = await run(net, { x: tensor([X.map((row) => [...row])]) });
  const found = numbers(y!);
  return greatestDifference(
    mixed,
    X.map((_, i) => Array.from(found.slice(i * d, (i + 1) * d))),
  );
}

/** The participation of the row that reads most, between what its weight off the planted tokens allows. */
function plantedClaims(weights: Rows, graph: Rows, reads: number) {
  const rows = weights.map((row, i) => {
    const kept = graph[i]!.map((j) => row[j]!);
    const inside = kept.reduce((a, b) => a + b, 0);
    const spread = kept.reduce((sum, a) => sum + (a - inside / reads) ** 2, 0) / reads;
    return {
      participation: supportOf(row).participation,
      off: 1 - inside,
      variation: spread / (inside / reads) ** 2,
    };
  });
  const { participation, off, variation } = rows.reduce((a, b) => (a.off > b.off ? a : b));
  const upper = reads / (1 - off) ** 2; // sum a^2 >= (1 - off)^2 / r by Cauchy and Schwarz
  const lower = reads / ((1 - off) ** 2 * (1 + variation) + reads * off ** 2);
  return {
    "trained on planted dependencies: participation": checked(participation, upper, { tolerance: 1e-9 }),
    "trained on planted dependencies: participation, from below": checked(participation, lower, {
      tolerance: 1e-9,
    }),
  };
}
