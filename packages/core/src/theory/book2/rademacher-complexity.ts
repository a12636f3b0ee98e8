import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { finiteRademacher, massartBound } from "../../generalization/bounds/rademacher.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import {
  drawnRademacher,
  drawSample,
  type FinitePopulation,
  generalizationGaps,
  overSamples,
  populationRademacher,
} from "../../measures/finite-population.ts";
import { linearRademacher } from "../../measures/rademacher.ts";
import { dyadicPoints, randomNetwork } from "../../networks/layers/random.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** Points of the population, and the size of samples of which all are taken. */
const points = 4;
const few = 4;
/** Examples of which all signs are taken. */
const enumerated = 8;

export default lemma({
  id: "C2-02",
  covers: ["C2-02"],
  kind: "bound",
  title: "Rademacher complexity bounds the worst gap of a class",
  source: "Book, chapter 2, section 2.2; Mohri et al. 2012, Theorem 3.1",
  statement: String.raw`\sup_{f \in \mathcal F} \mathcal R[f] - \mathcal R_S[f] \le 2 \mathfrak R_m(\mathcal F) + \sqrt{\frac{\ln(1/\delta)}{2m}}, \qquad \mathfrak R_m(\mathcal F) = \mathbb E_{S, \xi} \sup_{f \in \mathcal F} \frac1m \sum_{i=1}^m \xi_i \mathcal L(f(X^{(i)}), Y^{(i)})`,
  parameters: {
    m: integer({ min: 5, max: 400, default: 100, label: "examples m" }),
    functions: integer({ min: 1, max: 16, default: 8, label: "functions of the class" }),
    delta: real({ min: 0.01, max: 0.5, default: 0.05, label: "delta" }),
  },
  claims: {
    "mean of the greatest gap": atMost(String.raw`2 \mathfrak R_m`).looseBy(1.25),
    "losses 1 but at one of 16 points, one example: mean of the greatest gap":
      atMost(String.raw`2 \mathfrak R_1`),
    "greatest gap": atMost(String.raw`2 \mathfrak R_m + \sqrt{\ln(1/\delta) / 2m}`).probable(),
    "greatest gap, from the sample alone": atMost(
      String.raw`2 \hat{\mathfrak R}_S + 3 \sqrt{\ln(2/\delta) / 2m}`,
    )
      .probable()
      .looseBy(2),
    "all losses on 64 m points: greatest gap": atMost(
      String.raw`2 \mathfrak R_m + \sqrt{\ln(1/\delta) / 2m}`,
    ).probable(),
    "all losses on 64 m points: greatest gap, from the sample alone": atMost(
      String.raw`2 \hat{\mathfrak R}_S + 3 \sqrt{\ln(2/\delta) / 2m}`,
    ).probable(),
    "complexity of one function": equals("0"),
    "complexity of all patterns": equals(String.raw`\tfrac12`),
    "complexity of a finite class": atMost(
      String.raw`\max_f \|\ell_f\|_2 \sqrt{2 \ln |\mathcal F|} / m`,
    ).looseBy(1.5),
    "complexity of all signs, as a part of that": equals(String.raw`1 / \sqrt{2 \ln 2}`),
    "complexity of a ball of linear functions": atMost(String.raw`\frac Bm \sqrt{\sum_i \|x_i\|^2}`),
    "the same, from below": atLeast(String.raw`\frac{B}{m \sqrt 2} \sqrt{\sum_i \|x_i\|^2}`),
  },
  mutants: {
    "the complexity counted once": {
      "all losses on 64 m points: greatest gap": ({ m, delta }, { theory }) =>
        (theory + Math.sqrt(Math.log(1 / delta) / (2 * m))) / 2,
      "losses 1 but at one of 16 points, one example: mean of the greatest gap": (_, { theory }) =>
        theory / 2,
    },
    "Massart without the two": {
      "complexity of all signs, as a part of that": () => 1 / Math.sqrt(Math.LN2),
    },
    "m for its root": {
      "complexity of a ball of linear functions": (_, { theory }) => theory / Math.sqrt(enumerated),
    },
  },
  async run({ m, functions, delta }, { random, budget, scale }) {
    const net = randomNetwork(random, [2, 6, functions], { density: 1 });
    const small = await classOn(net, points, random);
    const large = await classOn(net, 40, random);
    const sample = drawSample(large.probabilities, m, random);
    const onSample = large.losses.map((each) => Array.from(sample, (j) => each[j]!));
    const gap = Math.max(...generalizationGaps(large, sample));
    const draws = scale(budget === "cheap" ? 150 : 1000);
    const complexity = drawnRademacher(large, m, { draws, random });
    const empirical = finiteRademacher(onSample, { random, draws });
    const class8 = small.losses.map((l) => Array.from({ length: enumerated }, (_, i) => l[i % points]!));
    const rows = dyadicPoints(random, enumerated, 3);
    const ball = linearRademacher({ examples: enumerated, width: 3, rows }, 1, { random });
    const complexity4 = functions > 1 ? populationRademacher(small, few) : 0;
    const memory: FinitePopulation = {
      probabilities: Array.from({ length: 16 }, () => 1 / 16),
      losses: Array.from({ length: 16 }, (_, f) => Array.from({ length: 16 }, (__, j) => Number(j !== f))),
    };
    const patterns = Array.from({ length: 2 ** few }, (_, k) => [0, 1, 2, 3].map((i) => (k >> i) & 1));
    const signs = patterns.map((pattern) => pattern.map((v) => 2 * v - 1));
    const seen = allLosses(m, random);
    // Of two examples that are alike and others that are small Khintchine's inequality is sharp.
    const alike = rows.map((v, k) => (k < 6 ? rows[k % 3]! : v / 8));
    const pair = linearRademacher({ examples: enumerated, width: 3, rows: alike }, 1, { random });
    const deviation = Math.sqrt(Math.log(1 / delta) / (2 * m));
    const dataDeviation = 3 * Math.sqrt(Math.log(2 / delta) / (2 * m));
    // Sums of 2^8 terms and of their quotients.
    const rounding = { tolerance: 1e-12 };
    return {
      graph: net,
      ...(budget === "cheap" ? {} : { figure: gapFigure(large, delta, random, scale(60)) }),
      claims: {
        ...(complexity4 > 0 && {
          "mean of the greatest gap": checked(
            overSamples(small.probabilities, few, (s) => Math.max(...generalizationGaps(small, s))),
            2 * complexity4,
            rounding,
          ),
        }),
        "losses 1 but at one of 16 points, one example: mean of the greatest gap": checked(
          overSamples(memory.probabilities, 1, (s) => Math.max(...generalizationGaps(memory, s))),
          2 * populationRademacher(memory, 1),
          rounding,
        ),
        "greatest gap": sampled(gap, 2 * complexity.value + deviation, { delta }),
        "greatest gap, from the sample alone": sampled(gap, 2 * empirical.plain + dataDeviation, { delta }),
        // Few functions deviate by less than the last term alone: these are so many that the first one is needed.
        "all losses on 64 m points: greatest gap": sampled(
          seen.gap,
          2 * meanOf(draws, () => allLosses(m, random).signed(random)) + deviation,
          { delta },
        ),
        "all losses on 64 m points: greatest gap, from the sample alone": sampled(
          seen.gap,
          2 * meanOf(draws, () => seen.signed(random)) + dataDeviation,
          { delta },
        ),
        "complexity of one function": checked(
          finiteRademacher([onSample[0]!.slice(0, enumerated)]).plain,
          0,
          rounding,
        ),
        "complexity of all patterns": checked(finiteRademacher(patterns).plain, 0.5),
        ...(functions > 1 && {
          "complexity of a finite class": checked(
            finiteRademacher(class8).plain,
            massartBound(class8),
            rounding,
          ),
        }),
        "complexity of all signs, as a part of that": checked(
          finiteRademacher(signs).plain / massartBound(signs),
          1 / Math.sqrt(2 * Math.LN2),
          rounding,
        ),
        "complexity of a ball of linear functions": checked(ball.value, ball.upper, rounding),
        "the same, from below": checked(pair.value, pair.upper / Math.SQRT2, rounding),
      },
    };
  },
});

/** The outputs of a network as classifiers on random points with random labels, all equally likely. */
async function classOn(net: Graph, count: number, random: Random): Promise<FinitePopulation> {
  const x = tensor(dyadicPoints(random, count, 2), { dims: [count, 2] });
  const values = numbers(Object.values(await run(net, { x }))[0]!);
  const functions = values.length / count;
  const labels = Array.from({ length: count }, () => random.integer(0, 1));
  return {
    probabilities: labels.map(() => 1 / count),
    losses: Array.from({ length: functions }, (_, f) =>
      labels.map((label, j) => (values[j * functions + f]! > 0 === (label === 1) ? 0 : 1)),
    ),
  };
}

const meanOf = (count: number, value: () => number): number =>
  Array.from({ length: count }, value).reduce((a, b) => a + b, 0) / count;

/**
 * m examples at 64 m points, and all functions to {0, 1} as losses: the greatest gap is that of 0 where an example is and 1
 * elsewhere; sup_f sum_i xi_i f(x_i) is a maximum point by point.
 */
function allLosses(m: number, random: Random) {
  const at = Array.from({ length: m }, () => random.integer(0, 64 * m - 1));
  const signed = (signs: Random): number => {
    const sums = new Map<number, number>();
    for (const j of at) sums.set(j, (sums.get(j) ?? 0) + (signs.uniform() < 0.5 ? -1 : 1));
    return [...sums.values()].reduce((sum, s) => sum + Math.max(0, s), 0) / m;
  };
  return { gap: 1 - new Set(at).size / (64 * m), signed };
}

/** Greatest gaps of samples, and the two bounds, against the number of examples. */
function gapFigure(population: FinitePopulation, delta: number, random: Random, draws: number): Figure {
  const sizes = [10, 20, 40, 80, 160, 320, 640];
  const samples = sizes.flatMap((m) =>
    Array.from({ length: 12 }, () => {
      const gaps = generalizationGaps(population, drawSample(population.probabilities, m, random));
      return [m, Math.max(...gaps)] as const;
    }),
  );
  const complexities = sizes.map((m) => drawnRademacher(population, m, { draws: 4 * draws, random }).value);
  const bound = (deviation: (m: number) => number): (readonly [number, number])[] =>
    sizes.map((m, k) => [m, 2 * complexities[k]! + deviation(m)] as const);
  return {
    title: "The worst gap of a class, and what its Rademacher complexity allows",
    panels: [
      {
        title: `${population.losses.length} classifiers, delta = ${delta}`,
        x: { label: "examples m", scale: "log" },
        y: { label: "greatest risk less empirical risk" },
        series: [
          { name: "twelve samples each", mark: "dots", points: samples },
          { name: "twice the complexity", mark: "line", role: "theory", points: bound(() => 0) },
          {
            name: "with probability 1 - delta",
            mark: "line",
            role: "theory",
            points: bound((m) => Math.sqrt(Math.log(1 / delta) / (2 * m))),
          },
        ],
      },
    ],
  };
}
