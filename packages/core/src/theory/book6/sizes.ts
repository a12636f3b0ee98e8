import { type BeliefNetwork, greatestParameter, unitsOf } from "../../discrete/stochastic/belief-network.ts";
import { deepNetwork } from "../../discrete/stochastic/deep.ts";
import { overlayBits } from "../../discrete/stochastic/gray.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import { shallowNetwork } from "../../discrete/stochastic/shallow.ts";
import { beliefLayers, boltzmannUnits, deepSizes, shallowSizes } from "../../discrete/stochastic/sizes.ts";
import { gammaOf } from "../../discrete/stochastic/unit.ts";
import type { Figure } from "../../figure/figure.ts";
import { atLeast, checked, equals } from "../claim.ts";
import type { LemmaTable } from "../lemma.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

/** Fully connected from layer to layer. */
const fullParameters = ({ inputs, layers }: BeliefNetwork): number =>
  layers.reduce((sum, { length }, l) => sum + length * ((l === 0 ? inputs : layers[l - 1]!.length) + 1), 0);

export default lemma({
  id: "C6-30",
  covers: ["C6-26", "C6-30"],
  kind: "experiment",
  title: "Shallow and deep networks for tables of probabilities, counted",
  source: "Book, chapter 6, sections 6.1, 6.5.3, 6.6.1 and 6.10",
  statement: String.raw`2^{d-1}(2^s - 1) + s \text{ units, weights } 2^{2^s - 1} \gamma \qquad \text{against} \qquad 2^j (s + d - j) \bigl( 1 + 2^{d-j} (2^{s-b} + 2^b - 2) \bigr) + s, \text{ weights } \max(2 (s + d - j), 2j - 1) \gamma`,
  parameters: {
    d: integer({ min: 1, max: 3, default: 2, label: "inputs d" }),
    s: choice(["2", "4"], { label: "outputs s" }),
    j: integer({ min: 0, max: 3, default: 1, label: "shape j, at most d" }),
    v: integer({ min: 2, max: 30, default: 4, label: "bits v of a Boltzmann machine" }),
  },
  claims: {
    "shallow network, units": equals("2^{d-1}(2^s - 1) + s"),
    "shallow network, greatest weight over γ": equals("2^{2^s - 1}"),
    "deep network, units": equals(String.raw`2^j (s + d - j)(1 + 2^{d-j}(2^{s-b} + 2^b - 2)) + s`),
    "deep network, all parameters": equals(String.raw`\sum_l m_l (m_{l-1} + 1)`),
    "deep network, greatest weight over γ": equals(String.raw`\max(2 (s + d - j), 2j - 1)`),
    "hidden units of the book, over those of a Boltzmann machine": atLeast("1").printed({
      where: "section 6.5.3",
      printed: String.raw`In the case of no input units, our bound  $2^{s-1} - 1$  equals the bound for RBMs from Montúfar et al. (2011) but is larger than the bound from Montúfar and Rauh (2017).`,
      corrected: String.raw`larger from some twenty bits on: for few bits $2 (\log_2 v + 1) 2^v / (v + 1) - 1$ is the larger one`,
    }),
  },
  mutants: {
    "a block for each input": {
      "shallow network, units": ({ d, s }) => 2 ** d * (2 ** Number(s) - 1) + Number(s),
    },
    "copying layers counted": { "deep network, units": (_, { theory }) => theory + 1 },
    "weights that grow with the inputs alone": { "deep network, greatest weight over γ": ({ d }) => 2 * d },
  },
  run({ d, s: outputs, j: shape, v }, { random, budget }) {
    const [s, j, eps] = [Number(outputs), Math.min(shape, d), 0.01];
    const kernel = randomKernel(random, d, s, "dirichlet");
    const [shallow, deep] = [shallowNetwork(kernel, eps), deepNetwork(kernel, j, eps)];
    const [a, b] = [shallowSizes(d, s), deepSizes(d, s, overlayBits(s)!, j)];
    const rounding = { tolerance: 2 ** -30 };
    const [before, after] = boltzmannUnits(v);
    return {
      figure: budget === "cheap" ? undefined : figure(),
      table: budget === "cheap" ? undefined : table(),
      claims: {
        "shallow network, units": checked(unitsOf(shallow), a.units),
        "shallow network, greatest weight over γ": checked(
          greatestParameter(shallow) / gammaOf(eps),
          a.greatestWeight,
          rounding,
        ),
        "deep network, units": checked(unitsOf(deep), b.units),
        "deep network, all parameters": checked(fullParameters(deep), b.parameters),
        "deep network, greatest weight over γ": checked(
          greatestParameter(deep) / gammaOf(eps),
          b.greatestWeight,
          rounding,
        ),
        "hidden units of the book, over those of a Boltzmann machine": checked(before / after, 1),
      },
    };
  },
});

function table(): LemmaTable {
  return {
    title:
      "Sizes by reference: units and greatest weight over γ; layers of belief networks; units of Boltzmann machines",
    columns: [
      "d",
      "s",
      "shallow units",
      "its weight",
      "deep units, j = d",
      "its weight",
      "belief network layers",
      "Boltzmann units",
    ],
    rows: [
      [1, 2],
      [2, 2],
      [2, 4],
      [4, 4],
    ].map(([d, s]) => {
      const [a, b] = [shallowSizes(d!, s!), deepSizes(d!, s!, overlayBits(s!)!, d!)];
      const layers = beliefLayers(s!).map((n) => Math.ceil(n));
      const machines = boltzmannUnits(d! + s!).map((n) => Math.ceil(n));
      return [
        d!,
        s!,
        a.units,
        a.greatestWeight,
        b.units,
        b.greatestWeight,
        layers.join(" / "),
        machines.join(" / "),
      ];
    }),
  };
}

function figure(): Figure {
  const inputs = [1, 2, 3, 4, 5, 6];
  const [s, b] = [4, 2];
  return {
    title: "Tables of four bits: shallow against deep",
    panels: [
      {
        title: "Units",
        x: { label: "inputs d" },
        y: { label: "units", scale: "log" },
        series: [
          {
            name: "shallow",
            mark: "line",
            points: inputs.map((d) => [d, shallowSizes(d, s).units] as const),
          },
          {
            name: "deep, j = d",
            mark: "line",
            points: inputs.map((d) => [d, deepSizes(d, s, b, d).units] as const),
          },
          {
            name: "deep, j = 0",
            mark: "line",
            points: inputs.map((d) => [d, deepSizes(d, s, b, 0).units] as const),
          },
        ],
      },
      {
        title: "Greatest weight",
        x: { label: "inputs d" },
        y: { label: "over γ", scale: "log" },
        series: [
          {
            name: "shallow",
            mark: "line",
            points: inputs.map((d) => [d, shallowSizes(d, s).greatestWeight] as const),
          },
          {
            name: "deep, j = d",
            mark: "line",
            points: inputs.map((d) => [d, deepSizes(d, s, b, d).greatestWeight] as const),
          },
          {
            name: "deep, j = 0",
            mark: "line",
            points: inputs.map((d) => [d, deepSizes(d, s, b, 0).greatestWeight] as const),
          },
        ],
      },
    ],
  };
}
