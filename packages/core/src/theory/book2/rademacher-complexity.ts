import { finiteRademacher, massartBound } from "../../capacity/bounds/rademacher.ts";
import {
  drawnRademacher,
  drawSample,
  type FinitePopulation,
  generalizationGaps,
  overSamples,
  populationRademacher,
} from "../../capacity/measures/finite-population.ts";
import { linearRademacher } from "../../capacity/measures/rademacher.ts";
import { dyadicPoints, randomNetwork } from "../../construct/layers-random.ts";
import type { Random } from "../../engine/random.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
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
    "mean of the greatest gap": atMost(String.raw`2 \mathfrak R_m`),
    "greatest gap": atMost(String.raw`2 \mathfrak R_m + \sqrt{\ln(1/\delta) / 2m}`).probable(),
    "greatest gap, from the sample alone": atMost(
      String.raw`2 \hat{\mathfrak R}_S + 3 \sqrt{\ln(2/\delta) / 2m}`,
    ).probable(),
    "all patterns of m points, labels by a coin: greatest gap": atMost(
      String.raw`2 \mathfrak R_m + \sqrt{\ln(1/\delta) / 2m}`,
    ).probable(),
    "all patterns of m points, labels by a coin: greatest gap, from the sample alone": atMost(
      String.raw`2 \hat{\mathfrak R}_S + 3 \sqrt{\ln(2/\delta) / 2m}`,
    ).probable(),
    "complexity of one function": equals("0"),
    "complexity of all patterns": equals(String.raw`\tfrac12`),
    "complexity of a finite class": atMost(String.raw`\max_f \|\ell_f\|_2 \sqrt{2 \ln |\mathcal F|} / m`),
    "complexity of a ball of linear functions": atMost(String.raw`\frac Bm \sqrt{\sum_i \|x_i\|^2}`),
    "the same, from below": atLeast(String.raw`\frac{B}{m \sqrt 2} \sqrt{\sum_i \|x_i\|^2}`),
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
    const patterns = Array.from({ length: 2 ** few }, (_, k) => [0, 1, 2, 3].map((i) => (k >> i) & 1));
    const throws = coinPatterns(m, random);
    const deviation = Math.sqrt(Math.log(1 / delta) / (2 * m));
    const dataDeviation = 3 * Math.sqrt(Math.log(2 / delta) / (2 * m));
    // Sums of 2^8 terms and of their quotients.
    const rounding = { tolerance: 1e-12 };
    return {
      graph: net,
      ...(budget === "cheap" ? {} : { figure: gapFigure(large, delta, random, scale(60)) }),
      claims: {
        "mean of the greatest gap": checked(
          overSamples(small.probabilities, few, (s) => Math.max(...generalizationGaps(small, s))),
          2 * populationRademacher(small, few),
          rounding,
        ),
        "greatest gap": sampled(gap, 2 * complexity.value + deviation, { delta }),
        "greatest gap, from the sample alone": sampled(gap, 2 * empirical.plain + dataDeviation, { delta }),
        // Few functions deviate by less than the last term alone: these are so many that the first one is needed.
        "all patterns of m points, labels by a coin: greatest gap": sampled(
          throws.gap,
          2 * meanOf(draws, () => coinPatterns(m, random).signed(random)) + deviation,
          { delta },
        ),
        "all patterns of m points, labels by a coin: greatest gap, from the sample alone": sampled(
          throws.gap,
          2 * meanOf(draws, () => throws.signed(random)) + dataDeviation,
          { delta },
        ),
        "complexity of one function": checked(
          finiteRademacher([onSample[0]!.slice(0, enumerated)]).plain,
          0,
          rounding,
        ),
        "complexity of all patterns": checked(finiteRademacher(patterns).plain, 0.5),
        "complexity of a finite class": checked(
          finiteRademacher(class8).plain,
          massartBound(class8),
          rounding,
        ),
        "complexity of a ball of linear functions": checked(ball.value, ball.upper, rounding),
        "the same, from below": checked(ball.value, ball.upper / Math.SQRT2, rounding),
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
 * m examples at m points, labels by a coin, and all functions to {-1, 1}: the greatest gap is 1/2 less the error of the
 * majority's label at each point, and sup_f sum_i xi_i loss_i is a maximum over two labels, point by point.
 */
function coinPatterns(m: number, random: Random) {
  const examples = Array.from({ length: m }, () => ({
    ...{ at: random.integer(0, m - 1), label: random.integer(0, 1) },
  }));
  const counts = [new Int32Array(m), new Int32Array(m)];
  for (const { at, label } of examples) counts[label]![at]!++;
  const errors = counts[0]!.reduce((sum, c, j) => sum + Math.min(c, counts[1]![j]!), 0);
  const signed = (signs: Random): number => {
    const sums = [new Int32Array(m), new Int32Array(m)];
    for (const { at, label } of examples) sums[label]![at]! += signs.uniform() < 0.5 ? -1 : 1;
    return sums[0]!.reduce((sum, s, j) => sum + Math.max(s, sums[1]![j]!), 0) / m;
  };
  return { gap: 0.5 - errors / m, signed };
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
