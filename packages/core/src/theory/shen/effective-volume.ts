import { denseParameterCount, logEffectiveVolume, logPermutations } from "../../capacity/covering.ts";
import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const widthsOf = (inputs: number, width: number, layers: number): readonly number[] => [
  inputs,
  ...Array.from({ length: layers }, () => width),
  1,
];
const doublings = [2, 4, 8, 16, 32, 64, 128, 256];
const delta = 1e-6;

export default lemma({
  id: "S-10",
  covers: ["S-10"],
  kind: "measure",
  title: "The volume that is left when permutations are removed",
  source: "Shen, Effective Parameter Space, and the remarks after Theorem 5",
  statement: String.raw`\Theta_0 = \{ \theta \in [-B, B]^{\mathcal S} : b_1^{(l)} \ge \dots \ge b_{d_l}^{(l)}, \; l \le L \}: \qquad \ln \operatorname{Vol}(\Theta_0) = \mathcal S \ln(2B) - \sum_l \ln d_l!`,
  parameters: {
    inputs: integer({ min: 1, max: 10, default: 1, label: "inputs d_0" }),
    width: integer({ min: 1, max: 4, default: 3, label: "units of a hidden layer" }),
    layers: integer({ min: 1, max: 3, default: 2, label: "hidden layers L" }),
    logB: integer({ min: -3, max: 2, default: 0, label: "log₂ B, the bound of parameters" }),
  },
  claims: {
    "share of random parameters whose biases descend, less 1/∏ d_l!, in size":
      atMost(String.raw`\sqrt{\ln(2/\delta) / 2N}`).probable(),
    "ln Vol(Θ) - ln Vol(Θ₀)": equals(String.raw`\sum_l \ln d_l!`),
    "ln Vol(Θ₀) at width 256": atMost(
      String.raw`\ln \operatorname{Vol}(\Theta_0) \text{ at width } 128`,
    ).printed({
      where: "after Theorem 5",
      printed: String.raw`the volume $(2B)^{\mathcal S} / (d_1! \cdots d_L!)$ approaches zero when $d_l \to \infty$ for $l = 1, \dots, L$`,
      corrected: String.raw`so it does for $L = 1$ (and for $2B \le 1$); for $L \ge 2$ and $2B > 1$ it grows without bound, since $\mathcal S$ contains $d_1 d_2$`,
    }),
  },
  run({ inputs, width, layers, logB }, { random, scale, budget }) {
    const B = 2 ** logB;
    const widths = widthsOf(inputs, width, layers);
    const draws = scale(20000);
    const share = sortedShare(width, layers, draws, random);
    const volume = (d: number) => logEffectiveVolume(widthsOf(inputs, d, layers), B);
    const whole = denseParameterCount(widths) * Math.log(2 * B);
    return {
      ...(budget === "cheap" ? {} : { figure: figure(inputs, B) }),
      claims: {
        "share of random parameters whose biases descend, less 1/∏ d_l!, in size": sampled(
          Math.abs(share - Math.exp(-logPermutations(widths))),
          Math.sqrt(Math.log(2 / delta) / (2 * draws)),
          { delta },
        ),
        "ln Vol(Θ) - ln Vol(Θ₀)": checked(
          whole - logEffectiveVolume(widths, B),
          logPermutations(widths),
          { tolerance: 1e-12 * (1 + Math.abs(whole)) }, // a difference of rounded sums
        ),
        // With one hidden layer d ln d wins only when the width is large against (2B)^(d_0 + 2).
        ...((layers > 1 || (2 * B) ** (inputs + 2) < 128) && {
          "ln Vol(Θ₀) at width 256": checked(volume(256), volume(128)),
        }),
      },
    };
  },
});

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
