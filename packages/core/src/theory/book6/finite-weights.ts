import { type BeliefNetwork, greatestParameter, unitsOf } from "../../discrete/stochastic/belief-network.ts";
import { compileKernel, couplingBound } from "../../discrete/stochastic/certified-kernel.ts";
import { deepNetwork } from "../../discrete/stochastic/deep.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { grayCode } from "../../discrete/stochastic/gray.ts";
import { bitsOf, type Kernel, kernelOf, totalVariation } from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import type { StochasticUnit } from "../../discrete/stochastic/unit.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const s = 2;
const sigma = (z: number): number => 1 / (1 + Math.exp(-z));
const fires = ({ bias, reads }: StochasticUnit, bits: readonly number[]): number =>
  sigma(reads.reduce((z, [c, w]) => z + w * bits[c]!, bias));

/** For one bit: 10, or 00. An error of any unit that something reads gives another output, but for one. */
const hardTable = kernelOf([
  [0, 0, 1, 0],
  [1, 0, 0, 0],
]);

/** The chance of a path of layers, given the input. */
function pathChance(
  { layers }: BeliefNetwork,
  input: readonly number[],
  path: readonly (readonly number[])[],
): number {
  let [before, chance] = [input, 1];
  layers.forEach((units, l) => {
    units.forEach((unit, k) => {
      const p = fires(unit, before);
      chance *= path[l]![k] ? p : 1 - p;
    });
    before = path[l]!;
  });
  return chance;
}

/**
 * For input 0 of one bit, j = 0, one Gray code: the chance of y but not along the path that is meant for it, the greatest
 * over all y: the second term of the proof.
 */
function offPath(kernel: Kernel, eps: number): number {
  const network = deepNetwork(kernel, 0, eps, "single");
  const exact = exactKernel(network).rows[0]!;
  const code = grayCode(s).toReversed();
  return code.reduce((most, y, r) => {
    const path = network.layers.map((_, l) =>
      l === network.layers.length - 1 ? y : [...code[Math.min(l, r)]!, 0],
    );
    const index = y.reduce((sum, bit) => 2 * sum + bit, 0);
    return Math.max(most, exact[index]! - pathChance(network, bitsOf(0, 1), path));
  }, 0);
}

export default lemma({
  id: "C6-18",
  covers: ["C6-18"],
  kind: "bound",
  title: "What finite weights cost: a certificate from the greatest weight",
  source: "Book, chapter 6, Theorem 6.14",
  statement: String.raw`|w| \le \alpha = 2m \, \sigma^{-1}(1 - \epsilon): \qquad \| P - P^* \|_{TV} \le 1 - \sigma \Bigl( \frac{\alpha}{2m} \Bigr)^{N}, \quad m = s + d - j`,
  parameters: {
    d: integer({ min: 1, max: 2, default: 1, label: "inputs d" }),
    j: integer({ min: 0, max: 2, default: 0, label: "shape j, at most d" }),
    alpha: real({ min: 20, max: 60, default: 40, label: "greatest weight α" }),
    law: choice(["dirichlet", "deterministic"], { label: "rows of the table" }),
    tau: real({ min: 1e-6, max: 0.2, default: 0.01, label: "error asked for" }),
  },
  claims: {
    "greatest weight of the network of ε = σ(-α/2m)": equals(String.raw`\alpha`),
    "total variation over the bound of α, also for a hard table": atMost(
      String.raw`1, \text{ counting units that something reads}`,
    ),
    "certified error of the network for an error asked for": equals(String.raw`\tau`),
    "a point mass and the nearest table with entries in [ε, 1 - ε]": equals(String.raw`(2^s - 1) \epsilon`),
    "a point mass and a table with entries in [ε, 1 - ε], as printed": atMost(String.raw`\epsilon`).printed({
      where: "proof of Theorem 6.14, its end",
      printed: String.raw`for an arbitrary target kernel  $p^* \in \Delta_{d,s}$ , one finds an approximation  $p^{*,\epsilon} \in \Delta_{d,s}^\epsilon$  with  $|p^*(\mathbf{y} \mid \mathbf{x}) - p^{*,\epsilon}(\mathbf{y} \mid \mathbf{x})| \leq \epsilon$`,
      corrected: String.raw`for a point mass the distance is $(2^s - 1) \epsilon$; the bound holds all the same, by coupling`,
    }),
    "chance of an output off its path": atMost(String.raw`\epsilon`).printed({
      where: "proof of Theorem 6.14, the third line",
      printed: String.raw`the second term is upper bounded by  $\epsilon$  because each term in the sum has at least one factor  $\epsilon$  and the sum itself cannot be larger than 1.`,
      corrected: String.raw`there are many such terms, and their sum is of the order of $N \epsilon$; coupling all units with units that never err gives $1 - (1 - \epsilon)^N$ without this step`,
    }),
  },
  mutants: {
    "weights of half the width": {
      "greatest weight of the network of ε = σ(-α/2m)": ({ alpha }) => alpha / 2,
    },
    "a tenth of the units": { "total variation over the bound of α, also for a hard table": () => 0.1 },
    "an error for each entry": {
      "a point mass and the nearest table with entries in [ε, 1 - ε]": (_, { theory }) => theory / 3,
    },
  },
  run({ d, j: shape, alpha, law, tau }, { random, budget }) {
    const j = Math.min(shape, d);
    const m = s + d - j;
    const eps = sigma(-alpha / (2 * m));
    const kernel = randomKernel(random, d, s, law);
    const network = deepNetwork(kernel, j, eps);
    // Copies of the input in the last hidden layer are read by nobody.
    const overBound = (table: Kernel, of: BeliefNetwork, at: number): number =>
      totalVariation(exactKernel(of), table) /
      couplingBound(eps, unitsOf(of) - 2 ** at * (table.inputs - at));
    const point = [1, 0, 0, 0];
    // All entries but one are eps at least: what is left for that one is 1 - 3 eps.
    const inside = point.map((p) => (p === 1 ? 1 - 3 * eps : eps));
    const distance = point.reduce((most, p, y) => Math.max(most, Math.abs(p - inside[y]!)), 0);
    const last = kernelOf([
      [0, 1, 0, 0],
      [0, 1, 0, 0],
    ]);
    return {
      figure: budget === "cheap" ? undefined : figure(kernel, j),
      claims: {
        "greatest weight of the network of ε = σ(-α/2m)": checked(greatestParameter(network), alpha, {
          tolerance: 2 ** -30, // log(1 - eps) and log eps, eps from alpha and back
        }),
        "total variation over the bound of α, also for a hard table": checked(
          Math.max(overBound(kernel, network, j), overBound(hardTable, deepNetwork(hardTable, 0, eps), 0)),
          1,
          { tolerance: 2 ** -28 }, // eps is 3e-7 at least: the rounding of a kernel over the bound
        ),
        "certified error of the network for an error asked for": checked(
          compileKernel(kernel, tau, j).certifiedError,
          tau,
          { tolerance: 2 ** -38 },
        ),
        "a point mass and the nearest table with entries in [ε, 1 - ε]": checked(distance, 3 * eps, {
          tolerance: 2 ** -50,
        }),
        "a point mass and a table with entries in [ε, 1 - ε], as printed": checked(distance, eps),
        "chance of an output off its path": checked(offPath(last, eps), eps),
      },
    };
  },
});

function figure(kernel: Kernel, j: number): Figure {
  const m = s + kernel.inputs - j;
  const alphas = [12, 16, 20, 25, 30, 35, 40, 45, 50];
  const at = (alpha: number) => sigma(-alpha / (2 * m));
  const units = unitsOf(deepNetwork(kernel, j, 0.01));
  return {
    title: `${kernel.inputs} bits in, two out, ${units} units: error against the greatest weight`,
    panels: [
      {
        title: "Total variation",
        x: { label: "α" },
        y: { label: "total variation", scale: "log" },
        series: [
          {
            name: "exact",
            mark: "dots",
            points: alphas.map(
              (a) => [a, totalVariation(exactKernel(deepNetwork(kernel, j, at(a))), kernel)] as const,
            ),
          },
          {
            name: "theory: 1 - σ(α/2m)^N",
            mark: "line",
            role: "theory",
            points: alphas.map((a) => [a, couplingBound(at(a), units)] as const),
          },
          {
            name: "theory: the error ε of a unit",
            mark: "line",
            role: "theory",
            points: alphas.map((a) => [a, at(a)] as const),
          },
        ],
      },
    ],
  };
}
