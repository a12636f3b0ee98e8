import { greatestParameter, unitsOf } from "../../discrete/stochastic/belief-network.ts";
import { couplingBound } from "../../discrete/stochastic/certified-kernel.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { kernelOf, totalVariation } from "../../discrete/stochastic/kernel.ts";
import { narrowNetwork } from "../../discrete/stochastic/narrow-boolean.ts";
import { gammaOf } from "../../discrete/stochastic/unit.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const tableOf = (d: number, draw: number): number[] =>
  Array.from({ length: 2 ** d }, (_, x) => Math.floor(draw / 2 ** x) % 2);

export default lemma({
  id: "C6-27",
  covers: ["C6-27"],
  kind: "construction",
  title: "Boolean functions by deep stochastic networks as wide as their inputs",
  source: "Book, section 6.1 (Le Roux and Bengio)",
  statement: String.raw`f: \{0,1\}^d \to \{0,1\}: \qquad 2^{d-1} \text{ layers of width } d \text{ suffice}, \quad \max_x P(y \ne f(x) | x) \le 1 - (1 - \epsilon)^{N}`,
  parameters: {
    d: integer({ min: 1, max: 3, default: 3, label: "inputs d" }),
    f: integer({ min: 0, max: 255, default: 150, label: "truth table as a number" }),
    eps: real({ min: 1e-6, max: 0.01, default: 1e-3, label: "error ε of a unit" }),
  },
  claims: {
    "chance of a wrong bit, over all inputs": atMost(String.raw`1 - (1 - \epsilon)^N`),
    "inputs with the wrong likelier bit": equals("0"),
    "layers with the output": equals(String.raw`\max(1, \min(\#f^{-1}(0), \#f^{-1}(1)))`),
    "layers, against half of the inputs": atMost("2^{d-1} + 1").loose({
      where: "section 6.1",
      printed: String.raw`Le Roux and Bengio (2010) showed that a sigmoid belief network with  $2^{d-1} + 1$  layers of width  $d$  is sufficient for representing any deterministic function`,
      corrected: String.raw`$2^{d-1}$ layers with the output: one element of the smaller class need not be moved, and the output recognizes it`,
    }),
    "greatest weight": atMost(String.raw`(2d + 1) \gamma`),
  },
  mutants: {
    "a unit's error for all": { "chance of a wrong bit, over all inputs": ({ eps }) => eps / 2 },
    "every element of the class moved": { "layers with the output": (_, { theory }) => theory + 1 },
    "another function": ({ f }) => ({ f: f ^ 1 }),
  },
  run({ d, f, eps }, { budget }) {
    const table = tableOf(d, f);
    const network = narrowNetwork(table, eps);
    const exact = exactKernel(network);
    const ones = table.reduce((a, b) => a + b, 0);
    const wrong = table.filter((bit, x) => !(exact.rows[x]![bit]! > 1 / 2)).length;
    return {
      figure: budget === "cheap" ? undefined : figure(),
      claims: {
        "chance of a wrong bit, over all inputs": checked(
          totalVariation(exact, kernelOf(table.map((bit) => [1 - bit, bit]))),
          couplingBound(eps, unitsOf(network)),
          { tolerance: 2 ** -44 },
        ),
        "inputs with the wrong likelier bit": checked(wrong, 0),
        "layers with the output": checked(network.layers.length, Math.max(1, Math.min(ones, 2 ** d - ones))),
        "layers, against half of the inputs": checked(network.layers.length, 2 ** (d - 1) + 1),
        "greatest weight": checked(greatestParameter(network), (2 * d + 1) * gammaOf(eps), {
          tolerance: 2 ** -40,
        }),
      },
    };
  },
});

/** Over all 256 functions of three bits. */
function figure(): Figure {
  const eps = 1e-3;
  const counts = new Map<number, number>();
  const errors: (readonly [number, number])[] = [];
  for (let f = 0; f < 256; f++) {
    const table = tableOf(3, f);
    const network = narrowNetwork(table, eps);
    counts.set(network.layers.length, (counts.get(network.layers.length) ?? 0) + 1);
    if (f % 8 === 0)
      errors.push([
        unitsOf(network),
        totalVariation(exactKernel(network), kernelOf(table.map((bit) => [1 - bit, bit]))),
      ]);
  }
  return {
    title: "All functions of three bits, three units a layer",
    panels: [
      {
        title: "Layers that they need",
        x: { label: "layers with the output" },
        y: { label: "functions" },
        series: [{ name: "of 256", mark: "dots", points: [...counts].toSorted(([a], [b]) => a - b) }],
      },
      {
        title: "Chance of a wrong bit, ε = 0.001",
        x: { label: "units" },
        y: { label: "greatest over the inputs" },
        series: [
          { name: "exact", mark: "dots", points: errors },
          {
            name: "theory: 1 - (1 - ε)^N",
            mark: "line",
            role: "theory",
            points: [1, 4, 7, 10].map((n) => [n, couplingBound(eps, n)] as const),
          },
        ],
      },
    ],
  };
}
