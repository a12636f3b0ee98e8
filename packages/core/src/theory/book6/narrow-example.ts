import { unitsOf } from "../../discrete/stochastic/belief-network.ts";
import { couplingBound } from "../../discrete/stochastic/certified-kernel.ts";
import { deepNetwork } from "../../discrete/stochastic/deep.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { grayCode } from "../../discrete/stochastic/gray.ts";
import type { Kernel } from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const code = grayCode(2)
  .toReversed()
  .map(([a, b]) => 2 * a! + b!);

/** The law of the first two bits after each hidden layer, for input x. */
function flow(kernel: Kernel, eps: number, x: number): number[][] {
  const { inputs, layers } = deepNetwork(kernel, 0, eps, "single");
  return layers.slice(0, -1).map((_, l) => {
    const row = exactKernel({ inputs, layers: layers.slice(0, l + 1) }).rows[x]!;
    return [0, 1, 2, 3].map((y) => row[2 * y]! + row[2 * y + 1]!);
  });
}

/** What mass sharing means: after l steps the first l states have their own mass, the next one all the rest. */
function ideal(row: Float64Array, steps: number): number[] {
  const law = [0, 0, 0, 0];
  let left = 1;
  code.slice(0, steps).forEach((y) => {
    law[y] = row[y]!;
    left -= row[y]!;
  });
  law[code[steps]!] = left;
  return law;
}

/** Weights and biases that differ for two tables. */
const dependent = (a: Kernel, b: Kernel): number => {
  const values = (k: Kernel): number[] =>
    deepNetwork(k, 0, 1e-6, "single").layers.flatMap((layer) =>
      layer.flatMap(({ bias, reads }) => [bias, ...reads.map(([, w]) => w)]),
    );
  const other = values(b);
  return values(a).filter((v, k) => v !== other[k]).length;
};

export default lemma({
  id: "C6-21",
  covers: ["C6-21"],
  kind: "experiment",
  title: "Example 6.19: mass that moves along a Gray code, three units a layer",
  source: "Book, chapter 6, Example 6.19 and Figure 6.6",
  statement: String.raw`10 \to 11 \to 01 \to 00: \qquad d = 1, \; s = 2, \; j = 0, \quad \text{six parameters depend on the table}`,
  parameters: {
    eps: real({ min: 1e-5, max: 0.01, default: 1e-3, label: "error ε of a unit" }),
    tables: integer({ min: 1, max: 1000, default: 1, label: "which table" }),
  },
  claims: {
    "hidden layers": atMost("8").loose({
      where: "Example 6.19",
      printed: String.raw`The narrowest case where  $j = 0$  is a network consisting of  $2 \times 2^2 = 8$  layers, each of width  $2 + 1$ .`,
      corrected: String.raw`seven: the second subsection needs no layer of its own to begin`,
    }),
    "hidden layers, counted": equals("1 + 2 (2^s - 1) = 7"),
    "units of a hidden layer": equals("3"),
    "parameters that depend on the table": equals("6"),
    "mass after each layer of large weights, greatest error": equals("0"),
  },
  mutants: {
    "a parameter for each entry": { "parameters that depend on the table": () => 8 },
    "a layer for the start of each subsection": { "hidden layers, counted": () => 8 },
    "two bits a layer": { "units of a hidden layer": () => 2 },
  },
  run({ eps, tables }, { random, budget }) {
    const drawn = random.split(tables);
    const [kernel, other] = [randomKernel(drawn, 1, 2, "dirichlet"), randomKernel(drawn, 1, 2, "dirichlet")];
    const network = deepNetwork(kernel, 0, eps, "single");
    const hidden = network.layers.slice(0, -1);
    // Input 0: three steps in the first subsection, then copies.
    const wrong = flow(kernel, 1e-12, 0).map((law, l) => {
      const meant = ideal(kernel.rows[0]!, Math.min(l, 3));
      return law.reduce((most, p, y) => Math.max(most, Math.abs(p - meant[y]!)), 0);
    });
    return {
      figure: budget === "cheap" ? undefined : figure(kernel, eps, unitsOf(network)),
      claims: {
        "hidden layers": checked(hidden.length, 8),
        "hidden layers, counted": checked(hidden.length, 1 + 2 * (2 ** 2 - 1)),
        "units of a hidden layer": checked(hidden[0]!.length, 3),
        "parameters that depend on the table": checked(dependent(kernel, other), 6),
        "mass after each layer of large weights, greatest error": checked(Math.max(...wrong), 0, {
          tolerance: 23e-12, // 23 units that err with 1e-12
        }),
      },
    };
  },
});

function figure(kernel: Kernel, eps: number, units: number): Figure {
  return {
    title: `Mass of the four states, layer by layer (total variation at most ${couplingBound(eps, units).toPrecision(2)})`,
    panels: [0, 1].map((x) => ({
      title: `Input ${x}`,
      x: { label: "hidden layer" },
      y: { label: "mass" },
      series: code.map((y) => ({
        name: y.toString(2).padStart(2, "0"),
        mark: "line" as const,
        points: flow(kernel, eps, x).map((law, l) => [l + 1, law[y]!] as const),
      })),
    })),
  };
}
