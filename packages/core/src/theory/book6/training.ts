import { type DenseParameters, denseKernel, randomParameters } from "../../discrete/stochastic/dimension.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { fitNetwork, lossGradient } from "../../discrete/stochastic/fit.ts";
import { type Kernel, totalVariation } from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import { leastDistance, parities } from "../../discrete/stochastic/two-units.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

type Loss = "squares" | "divergence";

const added = (parameters: DenseParameters, at: number, by: number): DenseParameters => {
  let index = 0;
  return parameters.map((layer) => layer.map((unit) => unit.map((v) => (index++ === at ? v + by : v))));
};

/** The greatest difference of a derivative of the loss from a quotient of differences. */
function slopeError(parameters: DenseParameters, target: Kernel, loss: Loss): number {
  const h = 1e-5;
  const at = (k: number, by: number): number => lossGradient(added(parameters, k, by), target, loss).loss;
  return lossGradient(parameters, target, loss).gradient.reduce(
    (most, g, k) => Math.max(most, Math.abs(g - (at(k, h) - at(k, -h)) / (2 * h))),
    0,
  );
}

/** What a random network of these widths does: a kernel that the architecture has. */
const reachable = (random: Random, widths: readonly number[]): Kernel => ({
  inputs: widths[0]!,
  outputs: widths.at(-1)!,
  rows: denseKernel(randomParameters(random, widths), widths[0]!) as Float64Array[],
});

export default lemma({
  id: "C6-28",
  covers: ["C6-28", "C6-29"],
  kind: "algorithm",
  title: "Stochastic networks trained by exact gradients, and tables that an architecture cannot learn",
  source: "Book, chapter 6, sections 6.1 and 6.11",
  statement: String.raw`\frac{\partial}{\partial z_j} \log T(h, h') = h'_j - \sigma(z_j), \qquad \min_\theta \sum_x D \bigl( P^*(\cdot | x) \, \| \, P_\theta(\cdot | x) \bigr)`,
  parameters: {
    d: integer({ min: 1, max: 2, default: 2, label: "inputs d" }),
    m: integer({ min: 1, max: 3, default: 2, label: "hidden units m" }),
    s: integer({ min: 1, max: 2, default: 2, label: "outputs s" }),
    loss: choice(["divergence", "squares"], { label: "what is minimized" }),
    fit: integer({ min: 1, max: 50, default: 1, label: "starts of the fit" }),
  },
  claims: {
    "gradient of the loss and differences": equals("0"),
    "two hidden layers, gradient and differences": equals("0"),
    "divergence of a table that the architecture has, without hidden units": equals("0"),
    "kernel of the trained network, by its states and by its groups, difference": equals("0"),
    "parities by two hidden units, total variation after training":
      atLeast(String.raw`\sqrt 3 - \tfrac32`).looseBy(1.01),
  },
  mutants: {
    "parities can be learned": {
      "parities by two hidden units, total variation after training": () => 0.5,
    },
    "a residue that training leaves": {
      "divergence of a table that the architecture has, without hidden units": () => 1e-3,
    },
    "derivatives without the biases": { "gradient of the loss and differences": () => 1e-4 },
  },
  run({ d, m, s, loss, fit }, { random, scale, budget }) {
    const drawn = random.split(fit);
    const target = randomKernel(drawn, d, s, "dirichlet");
    const near = reachable(drawn, [d, s]);
    const learned = fitNetwork(near, [], {
      ...{ loss: "divergence", starts: 1, steps: 250, random: drawn, spread: 0.5 },
    });
    const options = { loss: "squares" as const, starts: scale(6), steps: 150, random: drawn };
    const hard = fitNetwork(parities, [2], options);
    const again = exactKernel(hard.network);
    const small = { tolerance: 1e-8 }; // of second order in 1e-5, and rounding 2^-50 over 1e-5
    return {
      figure: budget === "cheap" ? undefined : figure(),
      claims: {
        "gradient of the loss and differences": sampled(
          slopeError(randomParameters(drawn, [d, m, s]), target, loss),
          0,
          small,
        ),
        "two hidden layers, gradient and differences": sampled(
          slopeError(randomParameters(drawn, [d, m, 2, s]), target, loss),
          0,
          small,
        ),
        "divergence of a table that the architecture has, without hidden units": sampled(learned.loss, 0, {
          tolerance: 1e-4, // a convex problem; what 250 steps leave
        }),
        "kernel of the trained network, by its states and by its groups, difference": checked(
          Math.abs(totalVariation(again, parities) - hard.totalVariation),
          0,
          { tolerance: 2 ** -40 },
        ),
        "parities by two hidden units, total variation after training": sampled(
          hard.totalVariation,
          leastDistance,
        ),
      },
    };
  },
});

/** Candidates for the worst table of one bit in and two out, and how near networks of one to three hidden units come. */
function figure(): Figure {
  const random = createRandom("worst tables");
  const drawn = (law: "deterministic" | "dirichlet") =>
    Array.from(
      { length: 4 },
      (_, k) =>
        [`${law === "dirichlet" ? "random" : "sure"} ${k + 1}`, randomKernel(random, 1, 2, law)] as const,
    );
  const panel = (title: string, tables: readonly (readonly [name: string, table: Kernel])[]): Panel => ({
    title,
    x: { label: "table", names: tables.map(([name]) => name) },
    y: { label: "total variation", domain: [0, 0.55] },
    series: [1, 2, 3].map((m) => ({
      name: `${m} hidden`,
      mark: "dots",
      points: tables.map(
        ([, table], k) =>
          [k, fitNetwork(table, [m], { starts: 6, steps: 200, random }).totalVariation] as const,
      ),
    })),
  });
  return {
    title: "One bit in, two bits out: least total variation found after training",
    panels: [
      panel("Parities, and tables of zeros and ones", [["parities", parities], ...drawn("deterministic")]),
      panel("Tables at random", drawn("dirichlet")),
    ],
  };
}
