import type { Figure } from "../../figure/figure.ts";
import { certifiedLogCovering, logPermutations, type NetworkClass } from "../../generalization/covering.ts";
import { logFactorial } from "../../numbers/combinatorics.ts";
import { exactFactorial, log10Of } from "../../numbers/factorial.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const eps = 0.01;
const shallow = (inputs: number, width: number): NetworkClass => ({
  widths: [inputs, width, 1],
  B: 1,
  inputRadius: 1,
  activation: "relu",
});

export default lemma({
  id: "S-15",
  covers: ["S-15"],
  kind: "measure",
  title: "What d! saves",
  source: "Shen, remarks after Theorems 3 and 4",
  statement: String.raw`\ln \prod_l d_l! \quad \text{against} \quad \ln \mathcal N(\mathcal F, \varepsilon, \|\cdot\|_\infty); \qquad 128! \approx 10^{215}`,
  parameters: {
    width: integer({ min: 1, max: 512, default: 128, label: "hidden units d_1" }),
    inputs: integer({ min: 1, max: 784, default: 10, label: "inputs d_0" }),
  },
  claims: {
    "log₁₀ d!, by Stirling's series": equals(String.raw`\log_{10} d! \text{ by integers}`),
    "log₁₀ 128!, whole part": equals("215").printed(),
    "share of ln N that the discount takes": atMost(String.raw`\ln d_1! / \ln n^{\mathcal S}`),
  },
  mutants: {
    "Stirling's first term only": {
      "log₁₀ d!, by Stirling's series": ({ width }, { theory }) => theory - 1 / (12 * width * Math.LN10),
    },
    "(d - 1)! for d!": {
      "share of ln N that the discount takes": ({ width }, { theory }) =>
        theory - (theory * Math.log(width)) / logFactorial(width),
    },
  },
  run({ width, inputs }, { budget }) {
    const networks = shallow(inputs, width);
    const { logCovering, logGrid } = certifiedLogCovering(networks, eps);
    const exact = log10Of(exactFactorial(width));
    return {
      ...(budget === "cheap" ? {} : { figure: figure() }),
      claims: {
        "log₁₀ d!, by Stirling's series": checked(logFactorial(width) / Math.LN10, exact, {
          tolerance: 1e-13 * (1 + exact), // both are rounded
        }),
        "log₁₀ 128!, whole part": checked(Math.floor(log10Of(exactFactorial(128))), 215),
        "share of ln N that the discount takes": checked(
          (logGrid - logCovering) / logGrid,
          logPermutations(networks.widths) / logGrid,
          { tolerance: 1e-11 }, // a difference of two large sums
        ),
      },
    };
  },
});

function figure(): Figure {
  const widths = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
  const share = (inputs: number, width: number): number => {
    const { logCovering, logGrid } = certifiedLogCovering(shallow(inputs, width), eps);
    return (100 * (logGrid - logCovering)) / logGrid;
  };
  return {
    title: "Permutations of hidden units",
    panels: [
      {
        title: "A huge factor ...",
        x: { label: "hidden units d", scale: "log" },
        y: { label: "log₁₀ d!" },
        series: [
          { name: "log₁₀ d!", mark: "dots", points: widths.map((d) => [d, logFactorial(d) / Math.LN10]) },
        ],
      },
      {
        title: `... and what it takes off ln N, ε = ${eps}`,
        x: { label: "hidden units d", scale: "log" },
        y: { label: "percent of ln N" },
        series: [1, 10, 784].map((inputs) => ({
          name: `${inputs} ${inputs === 1 ? "input" : "inputs"}`,
          mark: "dots",
          points: widths.map((d) => [d, share(inputs, d)]),
        })),
      },
    ],
  };
}
