// PAC-Bayes and certified posteriors, and damages to them: a term lost, another delta, a divergence the wrong way round.
import { describe } from "vitest";
import { tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { agrees, type Bounds, base, delta, n, noticesDamage, type Trial } from "./bound-mutants.ts";
import { greatestRisk, leastOnGrid, normalDivergence } from "./bounds-by-hand.ts";
import { damages } from "./damaged-module.ts";

const weights = { mean: [0.4, -1.2, 0.3, 2], deviation: [0.1, 0.3, 0.2, 0.5], centre: [0.1, -1, 0, 1.2] };
const divergence = (lambda: number): number =>
  normalDivergence(weights.mean, weights.deviation, weights.centre, lambda);

const pacBayes: Trial<Bounds> = {
  entry: "generalization/bounds/index.ts",
  check: ({ pacBayesBound, gaussianKl, diagonalGaussian, chosenPrior, gaussianPacBayesBound }) => {
    const budget = (divergent: number, d: number): number =>
      (divergent + Math.log((2 * Math.sqrt(n)) / d)) / n;
    agrees(pacBayesBound({ ...base, empirical: 0.04, kl: 30 }).value, greatestRisk(0.04, budget(30, delta)));
    const estimated = greatestRisk(0.04, Math.log(5 / delta) / 900);
    agrees(
      pacBayesBound({ ...base, empirical: 0.04, kl: 30, draws: 900, logPriorCost: 2 }).value,
      greatestRisk(estimated, budget(32, 0.8 * delta)),
    );
    const q = diagonalGaussian(weights);
    for (const lambda of [0.3, 1, 4]) agrees(gaussianKl(q, lambda), divergence(lambda));
    const grids = [
      {
        grid: { ceiling: 3, precision: 10 },
        from: 1,
        at: (j: number) => 3 * Math.exp(-j / 10),
        weight: (j: number) => 6 / (Math.PI * j) ** 2,
      },
      {
        grid: { centre: 2, precision: 10 },
        from: -400,
        at: (j: number) => 2 * Math.exp(-j / 10),
        weight: (j: number) => 3 / (Math.PI ** 2 + 3) / Math.max(1, j * j),
      },
    ];
    for (const { grid, from, at: variance, weight } of grids) {
      const least = leastOnGrid((j) => divergence(variance(j)) - Math.log(weight(j)), from, 400);
      const prior = chosenPrior(q, grid);
      agrees(prior.kl + prior.logPriorCost, least);
      agrees(
        gaussianPacBayesBound(q, { ...base, empirical: 0.04, grid }).value,
        greatestRisk(0.04, budget(least, delta)),
      );
      let mass = 0;
      for (let j = from; j <= 400; j++) mass += weight(j);
      if (mass > 1) throw new Error("the weights of the priors exceed 1");
    }
  },
  mutants: [
    ...damages(
      "generalization/bounds/pac-bayes.ts",
      ["kl + Math.log((2 * Math.sqrt(n)) / delta)", "kl"],
      ["kl + Math.log((2 * Math.sqrt(n)) / delta)", "Math.log((2 * Math.sqrt(n)) / delta)"],
      ["kl + Math.log((2 * Math.sqrt(n)) / delta)", "kl + Math.log(Math.sqrt(n) / delta)"],
      ["kl + Math.log((2 * Math.sqrt(n)) / delta)", "kl + Math.log(1 / delta)"],
      ["kl + Math.log((2 * Math.sqrt(n)) / delta)", "kl + Math.log((2 * n) / delta)"],
      [
        "(kl + Math.log((2 * Math.sqrt(n)) / delta)) / n",
        "(kl + Math.log((2 * Math.sqrt(n)) / delta)) / (n - 1)",
      ],
      ["o.kl + (o.logPriorCost ?? 0)", "o.kl"],
      ["o.delta - drawsDelta)", "o.delta)"],
      ["Math.log(1 / drawsDelta) / o.draws", "Math.log(1 / o.delta) / o.draws"],
      [
        "o.draws === undefined ? o.empirical : klUpperInverse(o.empirical, Math.log(1 / drawsDelta) / o.draws)",
        "o.empirical",
      ],
      ["(q.varianceSum + q.squaredDistance) / lambda", "q.varianceSum / lambda"],
      [
        "(q.varianceSum + q.squaredDistance) / lambda",
        "(q.varianceSum + Math.sqrt(q.squaredDistance)) / lambda",
      ],
      ["    q.parameters +\n", "    0 +\n"],
      ["    q.logVarianceSum);", "    0);"],
      ["    q.logVarianceSum);", "    q.logVarianceSum / 2);"],
      ["  0.5 *\n", "  1 *\n"],
      ["logVarianceSum += 2 * Math.log(spread)", "logVarianceSum += Math.log(spread)"],
      ["Math.log((Math.PI * j) ** 2 / 6)", "Math.log((Math.PI * j) ** 2 / 60)"],
      ["Math.log((Math.PI * j) ** 2 / 6)", "Math.log(j ** 2)"],
      ["((Math.PI ** 2 + 3) / 3) * Math.max(1, j * j)", "Math.max(1, j * j)"],
      ["logPriorCost: prior.logPriorCost }), prior", "logPriorCost: 0 }), prior"],
    ),
    ...damages("generalization/bounds/bernoulli-kl.ts", [
      "bernoulliKl(q, p) >= target",
      "bernoulliKl(p, q) >= target",
    ]),
  ],
};

type Certified = typeof import("../../src/generalization/pac-bayes-training/pac-bayes-bound.ts");
const certified: Trial<Certified> = {
  entry: "generalization/pac-bayes-training/pac-bayes-bound.ts",
  check: async ({ certifyPosterior, pacBayesStatement }) => {
    // x_1 against 0, and so little noise that each draw answers alike: five of forty are wrong.
    const model = initialNetwork("2-1", { seed: 1 });
    const [w, b] = [...model.initializers.keys()] as [string, string];
    const like = (name: string, values: readonly number[]) =>
      [name, { ...model.initializers.get(name)!, data: Float32Array.from(values) }] as const;
    const prior = { ...model, initializers: new Map([like(w, [0.5, 0.25]), like(b, [0])]) } as typeof model;
    const posterior = {
      model,
      mean: new Map([like(w, [1, 0]), like(b, [0.25])]),
      deviation: new Map([like(w, [2 ** -10, 2 ** -10]), like(b, [2 ** -10])]),
    } as never;
    const units = new Map([
      [w, 0.5],
      [b, 0.125],
    ]);
    const rows = Array.from({ length: 40 }, (_, k) => [k % 2 === 0 ? 2 : -2, 0]);
    const target = tensor(
      rows.map(([v], k) => (k < 5 ? (v! > 0 ? 0 : 1) : v! > 0 ? 1 : 0)),
      { type: "int64" },
    );
    const found = await certifyPosterior(
      posterior,
      { model: prior, units },
      { x: tensor(rows, { type: "float32" }), target },
      { delta, random: createRandom(1), passes: 3 },
    );
    agrees(found.empirical.estimate, 5 / 40);
    agrees(found.empirical.draws, 120);
    const upper = greatestRisk(5 / 40, Math.log(5 / delta) / 120);
    agrees(found.empirical.upper, upper);
    const weight = (j: number): number => 3 / (Math.PI ** 2 + 3) / Math.max(1, j * j);
    const tensors = [
      { mean: [1, 0], centre: [0.5, 0.25], unit: 0.5 },
      { mean: [0.25], centre: [0], unit: 0.125 },
    ];
    const total = tensors.reduce((s, { mean, centre, unit }) => {
      const deviation = mean.map(() => 2 ** -10);
      const at = (j: number): number =>
        normalDivergence(mean, deviation, centre, (unit * Math.exp(-j / 20)) ** 2) - Math.log(weight(j));
      return s + leastOnGrid(at, -400, 400);
    }, 0);
    agrees(found.klDivergence + found.scaleCost, total, 1e-6);
    const exact = greatestRisk(upper, (total + Math.log((2 * Math.sqrt(40)) / (0.8 * delta))) / 40);
    agrees(found.bound, exact, 1e-6);
    agrees(pacBayesStatement(found).value, exact, 1e-6);
    if (pacBayesStatement(found).delta !== delta) throw new Error("another delta");
  },
  mutants: [
    ...damages(
      "generalization/pac-bayes-training/pac-bayes-bound.ts",
      ["delta: monteCarloShare * delta });", "delta });"],
      ["(1 - monteCarloShare) * delta", "delta"],
      ["empirical: empirical.upper, kl", "empirical: empirical.estimate, kl"],
      ["logPriorCost: scaleCost, n", "n"],
      ["kl: klDivergence, logPriorCost", "kl: 0, logPriorCost"],
      ["scaleCost += prior.logPriorCost", "scaleCost = prior.logPriorCost"],
      ["klDivergence += Math.max(0, prior.kl)", "klDivergence = Math.max(0, prior.kl)"],
      ["diagonalGaussian(gaussian, units.get(name)!)", "diagonalGaussian(gaussian)"],
      [
        "{ centre: numbers(centre), mean: at, deviation: spread }",
        "{ centre: at, mean: at, deviation: spread }",
      ],
      ["precision: 10 }", "precision: 1000 }"],
    ),
    ...damages(
      "generalization/pac-bayes-training/posterior-risk.ts",
      ["Math.log(1 / delta) / draws", "Math.log(1 / delta) / (n * draws)"],
      ["upper: klUpperInverse(estimate, Math.log(1 / delta) / draws)", "upper: estimate"],
      ["const estimate = wrong / (n * passes)", "const estimate = wrong / (n * passes * 2)"],
      ["!isNumber || guess !== classes[from + i]", "!isNumber"],
      ["guess !== classes[from + i]", "guess === classes[from + i]"],
      ["const draws = (n * passes) /", "const draws = (n * n * passes) /"],
    ),
  ],
};

describe("PAC-Bayes", () => noticesDamage(pacBayes));
describe("certified posteriors", () => noticesDamage(certified));
