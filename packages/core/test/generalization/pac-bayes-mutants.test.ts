// The PAC-Bayes bound against its theorem, written a second time; and mistakes planted in it, each of which that must find.
import { describe, expect, it } from "vitest";
import * as pacBayes from "../../src/generalization/bounds/pac-bayes.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { type Change, planted } from "../planted.ts";

type PacBayes = typeof pacBayes;
const file = "generalization/bounds/pac-bayes.ts";

/** kl(q || p) for coins, by its definition. */
const kl = (q: number, p: number): number =>
  (q > 0 ? q * Math.log(q / p) : 0) + (q < 1 ? (1 - q) * Math.log((1 - q) / (1 - p)) : 0);

/** Sum over weights of ln(s_P / s_Q) + (s_Q^2 + shift^2) / (2 s_P^2) - 1/2. */
const divergence = (shifts: readonly number[], deviations: readonly number[], variance: number): number =>
  shifts.reduce(
    (sum, shift, i) =>
      sum +
      Math.log(Math.sqrt(variance) / deviations[i]!) +
      (deviations[i]! ** 2 + shift ** 2) / (2 * variance) -
      0.5,
    0,
  );

/** What is wrong with these functions, in a few words. */
function faults({ pacBayesBound, gaussianKl, diagonalGaussian, chosenPrior }: PacBayes): readonly string[] {
  const random = createRandom("pac-bayes mutants");
  const found = new Set<string>();
  const weights = new Map<number, number>();
  for (let k = 0; k < 300; k++) {
    const n = random.integer(50, 100_000);
    const [delta, empirical] = [0.2 * random.uniform() + 1e-6, 0.6 * random.uniform()];
    const cost = k % 3 === 0 ? 5 * random.uniform() : 0;
    const own = 0.5 * n * random.uniform() ** 3;
    const draws = k % 2 === 0 ? random.integer(20, 5000) : undefined;
    const { value } = pacBayesBound({
      ...{ empirical, kl: own, n, delta, logPriorCost: cost },
      ...(draws === undefined ? {} : { draws }),
    });
    // Of the draws: the mean is at most m with probability 1 - delta / 5 if kl(empirical || m) = ln(5 / delta) / draws.
    const left = draws === undefined ? delta : 0.8 * delta;
    const budget = (own + cost + Math.log((2 * Math.sqrt(n)) / left)) / n;
    let mean = empirical;
    if (draws !== undefined) {
      let [low, high] = [empirical, 1];
      for (let step = 0; step < 100; step++) {
        mean = (low + high) / 2;
        if (kl(empirical, mean) < Math.log(5 / delta) / draws) low = mean;
        else high = mean;
      }
    }
    if (value! < 1 && kl(mean, value!) < budget * (1 - 1e-9)) found.add("the bound is too small");
    if (value! < 1 && kl(mean, value!) > budget * (1 + 1e-6) + 1e-9)
      found.add("the bound is not the theorem's");

    const shifts = Array.from(random.normal(5));
    const deviations = Array.from(random.uniform(5), (u) => 0.1 + u);
    const variance = 0.05 + random.uniform();
    const q = diagonalGaussian({ centre: [0, 0, 0, 0, 0], mean: shifts, deviation: deviations });
    const expected = divergence(shifts, deviations, variance);
    if (Math.abs(gaussianKl(q, variance) - expected) > 1e-9 * (1 + expected))
      found.add("the divergence is wrong");
    // Few weights want a prior of their own size: all places of the grid come up.
    const size = 0.1 * Math.exp(-(k + 1) / 20);
    const single = diagonalGaussian({ centre: [0], mean: [0], deviation: [Math.sqrt(size)] });
    const prior = chosenPrior({ ...single, ...scaled(single, 1e6) }, { ceiling: 0.1, precision: 20 });
    weights.set(prior.j, Math.exp(-prior.logPriorCost));
    if (Math.abs(prior.variance - 0.1 * Math.exp(-prior.j / 20)) > 1e-12)
      found.add("the prior is not on the grid");
  }
  const total = [...weights.values()].reduce((a, b) => a + b, 0);
  if (total > 1) found.add("the priors weigh more than 1");
  return [...found];
}

/** As many weights of the same kind. */
const scaled = (q: pacBayes.DiagonalGaussian, count: number): pacBayes.DiagonalGaussian => ({
  parameters: count * q.parameters,
  squaredDistance: count * q.squaredDistance,
  varianceSum: count * q.varianceSum,
  logVarianceSum: count * q.logVarianceSum,
});

describe("the PAC-Bayes bound", () => {
  it("is the theorem's", () => {
    expect(faults(pacBayes)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ["without KL", "(kl + Math.log(", "(Math.log("],
    ["without ln(2 sqrt n)", "Math.log((2 * Math.sqrt(n)) / delta)", "Math.log(1 / delta)"],
    ["sqrt n for 2 sqrt n", "(2 * Math.sqrt(n)) / delta", "Math.sqrt(n) / delta"],
    ["over 2n", "/ delta)) / n;", "/ delta)) / (2 * n);"],
    ["draws are free", "klUpperInverse(o.empirical, Math.log(1 / drawsDelta) / o.draws)", "o.empirical"],
    ["delta is spent twice", "o.delta - drawsDelta)", "o.delta)"],
    ["the choice of the prior is free", "o.kl + (o.logPriorCost ?? 0)", "o.kl"],
    ["no squared distance", "q.varianceSum + q.squaredDistance) / lambda -", "q.varianceSum) / lambda -"],
    ["no logarithms of variances", "    q.logVarianceSum);", "    0);"],
    ["half of the divergence", "  0.5 *\n", "  0.25 *\n"],
    ["no logarithm of the prior's variance", "q.parameters * Math.log(lambda)", "0"],
    ["priors of weight 60 / (pi j)^2", "(Math.PI * j) ** 2 / 6", "(Math.PI * j) ** 2 / 60"],
    ["logarithm of the deviation, not the variance", "2 * Math.log(spread)", "Math.log(spread)"],
  ])("%s: found", async (_, from, to) => {
    const change: Change = [file, from, to];
    expect(faults(await planted<PacBayes>(file, [change]))).not.toEqual([]);
  });
});
