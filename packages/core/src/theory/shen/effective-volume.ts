import type { Figure } from "../../figure/figure.ts";
import { denseParameterCount, logEffectiveVolume, logPermutations } from "../../generalization/covering.ts";
import { logFactorial } from "../../numbers/combinatorics.ts";
import { add, type Exact, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const widthsOf = (inputs: number, width: number, layers: number): readonly number[] => [
  inputs,
  ...Array.from({ length: layers }, () => width),
  1,
];
const doublings = [2, 4, 8, 16, 32, 64, 128, 256];
const delta = 0.05;

export default lemma({
  id: "S-10",
  covers: ["S-10"],
  kind: "measure",
  title: "The volume that is left when permutations are removed",
  source: "Shen, Effective Parameter Space, and the remarks after Theorem 5",
  statement: String.raw`\Theta_0 = \{ \theta \in [-B, B]^{\mathcal S} : b_1^{(l)} \ge \dots \ge b_{d_l}^{(l)}, \; l \le L \}: \qquad \ln \operatorname{Vol}(\Theta_0) = \mathcal S \ln(2B) - \sum_l \ln d_l!`,
  parameters: {
    inputs: integer({ min: 1, max: 10, default: 1, label: "inputs d_0" }),
    width: integer({ min: 1, max: 12, default: 3, label: "units of a hidden layer" }),
    layers: integer({ min: 1, max: 3, default: 2, label: "hidden layers L" }),
    logB: integer({ min: -3, max: 2, default: 0, label: "log₂ B, the bound of parameters" }),
    doublings: integer({ min: 40, max: 50, default: 40, label: "log₂ of a great width" }),
  },
  claims: {
    "share of random parameters whose biases descend": equals(String.raw`1 / \prod_l d_l!`).probable(),
    "ln Vol(Θ₀), integrated over one bias after the other": equals(
      String.raw`\mathcal S \ln(2B) - \sum_l \ln d_l!`,
    ),
    "ln Vol(Θ₀) at a great width": atMost("0").printed({
      where: "after Theorem 5",
      printed: String.raw`Volume $(2B)^S / (d_1! \cdots d_L!)$ approaches zero when $d_l \rightarrow \infty$ for $l = 1, \dots, L$`,
      corrected: String.raw`so it does for $L = 1$ and for $2B \le 1$; for $L \ge 2$ and $2B > 1$ it grows without bound, since $\mathcal S$ contains $d_1 d_2$`,
    }),
  },
  mutants: {
    "B for 2B": {
      "ln Vol(Θ₀), integrated over one bias after the other": ({ inputs, width, layers }, { theory }) =>
        theory - denseParameterCount(widthsOf(inputs, width, layers)) * Math.LN2,
    },
    "one layer sorted": {
      "ln Vol(Θ₀), integrated over one bias after the other": ({ width, layers }, { theory }) =>
        theory + (layers - 1) * logFactorial(width),
    },
    "d for d!": {
      "share of random parameters whose biases descend": ({ width, layers }) => width ** -layers,
    },
  },
  run({ inputs, width, layers, logB, doublings: great }, { random, scale, budget }) {
    const B = 2 ** logB;
    const widths = widthsOf(inputs, width, layers);
    const draws = scale(20000);
    const expected = Math.exp(-logPermutations(widths));
    const log = Math.log(2 / delta);
    return {
      ...(budget === "cheap" ? {} : { figure: figure(inputs, B) }),
      claims: {
        "share of random parameters whose biases descend": sampled(
          sortedShare(width, layers, draws, random),
          expected,
          // Bernstein: a share of N draws is off by no more with probability 1 - delta.
          {
            tolerance: Math.sqrt((2 * expected * (1 - expected) * log) / draws) + log / (3 * draws),
            delta,
          },
        ),
        "ln Vol(Θ₀), integrated over one bias after the other": checked(
          integratedVolume(widths, B),
          logEffectiveVolume(widths, B),
          { tolerance: 1e-13 * (1 + denseParameterCount(widths)) }, // sums of rounded logarithms up to ln 8
        ),
        "ln Vol(Θ₀) at a great width": checked(
          logEffectiveVolume(widthsOf(inputs, 2 ** great, layers), B),
          0,
        ),
      },
    };
  },
});

/** ln of (2B)^{S - U} times, layer by layer, the integral over B >= b_1 >= ... >= b_d >= -B by exact polynomials in b / B. */
function integratedVolume(widths: readonly number[], B: number): number {
  const units = widths.slice(1, -1);
  const free = denseParameterCount(widths) - units.reduce((a, b) => a + b, 0);
  return units.reduce(
    (sum, d) => {
      // p_k(t): the volume of -1 <= b_k <= ... <= b_1 <= t as a polynomial in t; p_{k+1} is its integral from -1.
      let p: readonly Exact[] = [1];
      for (let k = 0; k < d; k++) {
        const integral = p.map((c, j) => mul(c, { numerator: 1n, denominator: BigInt(j + 1) }));
        const atLow = integral.reduce((v: Exact, c, j) => (j % 2 === 0 ? sub(v, c) : add(v, c)), 0);
        p = [sub(0, atLow), ...integral];
      }
      const volume = p.reduce((v: Exact, c) => add(v, c), 0);
      return sum + Math.log(toNumber(volume)) + d * Math.log(B);
    },
    free * Math.log(2 * B),
  );
}

function sortedShare(width: number, layers: number, draws: number, random: Random): number {
  let sorted = 0;
  for (let k = 0; k < draws; k++) {
    const biases = random.uniform(width * layers);
    let isSorted = true;
    for (let i = 1; i < biases.length && isSorted; i++)
      isSorted = i % width === 0 || biases[i - 1]! >= biases[i]!;
    if (isSorted) sorted++;
  }
  return sorted / draws;
}

function figure(inputs: number, B: number): Figure {
  return {
    title: "ln of the volume of one parameter vector for each orbit",
    panels: [
      {
        title: `d_0 = ${inputs}, B = ${B}`,
        x: { label: "units of each hidden layer", scale: "log" },
        y: { label: "ln Vol / S" },
        series: [1, 2, 3].map((layers) => ({
          name: layers === 1 ? "1 hidden layer" : `${layers} hidden layers`,
          mark: "dots",
          points: doublings.map((d) => {
            const widths = widthsOf(inputs, d, layers);
            return [d, logEffectiveVolume(widths, B) / denseParameterCount(widths)];
          }),
        })),
      },
    ],
  };
}
