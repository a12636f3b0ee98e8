import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import {
  drawSample,
  type FinitePopulation,
  generalizationGaps,
  overSamples,
  populationRisk,
  sampleRisk,
} from "../../measures/finite-population.ts";
import { dyadicPoints, randomNetwork } from "../../networks/layers/random.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C2-01",
  covers: ["C2-01"],
  kind: "measure",
  title: "Risk, empirical risk, generalization gap",
  source: "Book, chapter 2, section 2.2",
  statement: String.raw`\mathcal R[f] = \mathbb E\, \mathcal L(f(X), Y), \quad \mathcal R_S[f] = \frac1m \sum_{i=1}^m \mathcal L(f(X^{(i)}), Y^{(i)}), \quad \mathcal R[\hat f_S] - \mathcal R_S[\hat f_S] \le \sup_{f \in \mathcal F} \mathcal R[f] - \mathcal R_S[f]`,
  parameters: {
    points: integer({ min: 2, max: 5, default: 4, label: "points of the population" }),
    m: integer({ min: 1, max: 5, default: 4, label: "examples m" }),
    functions: integer({ min: 1, max: 8, default: 6, label: "functions of the class" }),
  },
  claims: {
    "mean empirical risk of a function chosen before S": equals(String.raw`\mathcal R[f]`),
    "its variance": equals(String.raw`\mathcal R[f] (1 - \mathcal R[f]) / m`),
    "gap, S the whole population": equals("0"),
    "mean gap of the empirical minimizer": atLeast("0"),
    "mean gap of the empirical minimizer, at most": atMost(
      String.raw`\mathbb E_S \sup_f \mathcal R[f] - \mathcal R_S[f]`,
    ),
    "mean empirical risk of the minimizer": atMost(String.raw`\min_f \mathcal R[f]`),
  },
  mutants: {
    "divided by m - 1": {
      "mean empirical risk of a function chosen before S": ({ m }, { theory }) =>
        m === 1 ? Number.NaN : (theory * m) / (m - 1),
    },
    "variance of one example": { "its variance": ({ m }, { theory }) => theory * m },
    "the greatest of the means for the mean of the greatest": {
      "mean gap of the empirical minimizer, at most": () => 0,
    },
  },
  async run({ points, m, functions }, { random, budget, scale }) {
    const net = randomNetwork(random, [2, 4, functions], { density: 1 });
    const population = await labelledPopulation(net, points, random);
    const { probabilities, losses } = population;
    const minimizer = (sample: Int32Array): number => {
      const risks = losses.map((each) => sampleRisk(each, sample));
      return risks.indexOf(Math.min(...risks));
    };
    const fitted = overSamples(
      probabilities,
      m,
      (sample) => generalizationGaps(population, sample)[minimizer(sample)]!,
    );
    const risk = populationRisk(probabilities, losses[0]!);
    const greatest = overSamples(probabilities, m, (sample) =>
      Math.max(...generalizationGaps(population, sample)),
    );
    const whole = { probabilities: probabilities.map(() => 1 / points), losses };
    const everyone = Int32Array.from({ length: points }, (_, j) => j);
    // Sums of up to 5^5 products of dyadic numbers with quotients by m.
    const rounding = { tolerance: 1e-12 };
    return {
      graph: net,
      ...(budget === "cheap" ? {} : { figure: gapFigure(population, minimizer, random, scale(400)) }),
      claims: {
        "mean empirical risk of a function chosen before S": checked(
          overSamples(probabilities, m, (sample) => sampleRisk(losses[0]!, sample)),
          risk,
          rounding,
        ),
        "its variance": checked(
          overSamples(probabilities, m, (sample) => (sampleRisk(losses[0]!, sample) - risk) ** 2),
          (risk * (1 - risk)) / m,
          rounding,
        ),
        "gap, S the whole population": checked(generalizationGaps(whole, everyone)[0]!, 0, rounding),
        "mean gap of the empirical minimizer": checked(fitted, 0, rounding),
        "mean gap of the empirical minimizer, at most": checked(fitted, greatest, rounding),
        "mean empirical risk of the minimizer": checked(
          overSamples(probabilities, m, (sample) => sampleRisk(losses[minimizer(sample)]!, sample)),
          Math.min(...losses.map((each) => populationRisk(probabilities, each))),
          rounding,
        ),
      },
    };
  },
});

/** Points with labels and dyadic probabilities; the losses 0 and 1 of the outputs of a network, each one a classifier. */
async function labelledPopulation(net: Graph, points: number, random: Random): Promise<FinitePopulation> {
  const x = tensor(dyadicPoints(random, points, 2), { dims: [points, 2] });
  const values = numbers(Object.values(await run(net, { x }))[0]!);
  const labels = Array.from({ length: points }, () => random.integer(0, 1));
  const functions = values.length / points;
  const cuts = Array.from({ length: points - 1 }, () => random.integer(0, 64)).sort((a, b) => a - b);
  const ends = [0, ...cuts, 64];
  return {
    probabilities: Array.from({ length: points }, (_, j) => (ends[j + 1]! - ends[j]!) / 64),
    losses: Array.from({ length: functions }, (_, f) =>
      labels.map((label, j) => (values[j * functions + f]! > 0 === (label === 1) ? 0 : 1)),
    ),
  };
}

/** Mean gaps for more and more examples: of a fixed function, of the minimizer, and the greatest of the class. */
function gapFigure(
  population: FinitePopulation,
  minimizer: (sample: Int32Array) => number,
  random: Random,
  draws: number,
): Figure {
  const sizes = [1, 2, 4, 8, 16, 32, 64, 128];
  const curve = (
    gap: (gaps: readonly number[], sample: Int32Array) => number,
  ): (readonly [number, number])[] =>
    sizes.map((m) => {
      let sum = 0;
      for (let k = 0; k < draws; k++) {
        const sample = drawSample(population.probabilities, m, random);
        sum += gap(generalizationGaps(population, sample), sample);
      }
      return [m, sum / draws] as const;
    });
  return {
    title: "The gap of what was fitted lies between 0 and the greatest of the class",
    panels: [
      {
        title: `Means over ${draws} samples`,
        x: { label: "examples m", scale: "log" },
        y: { label: "risk less empirical risk" },
        series: [
          {
            name: "greatest of the class",
            mark: "line",
            role: "theory",
            points: curve((gaps) => Math.max(...gaps)),
          },
          { name: "empirical minimizer", mark: "line", points: curve((gaps, s) => gaps[minimizer(s)]!) },
          { name: "chosen before S", mark: "dots", points: curve((gaps) => gaps[0]!) },
        ],
      },
    ],
  };
}
