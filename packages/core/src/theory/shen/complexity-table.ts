import type { Figure } from "../../figure/figure.ts";
import {
  type ComplexityQuantities,
  type ComplexityTable,
  complexityQuantities,
  complexityTable,
} from "../../generalization/complexity-table.ts";
import type { Graph } from "../../graph/graph.ts";
import { toDense } from "../../graph/sparse.ts";
import { layer, layersOf, network, sparseLayer } from "../../networks/layers/layers.ts";
import { logFactorial } from "../../numbers/combinatorics.ts";
import { exactFactorial, log10Of } from "../../numbers/factorial.ts";
import type { Random } from "../../numbers/random.ts";
import { draw } from "../../train/initialization.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const names = {
  bartlett2017: "Bartlett et al. 2017",
  neyshabur2018: "Neyshabur et al. 2018",
  linZhang2019: "Lin and Zhang 2019",
  bartlett2019: "Bartlett et al. 2019",
  shen2024: "Shen 2024",
} as const satisfies Partial<Record<keyof ComplexityTable, string>>;
const rows = Object.keys(names) as (keyof typeof names)[];

export default lemma({
  id: "S-16",
  covers: ["S-16"],
  kind: "measure",
  title: "Five complexity formulas for one network",
  source: "Shen, Comparison to existing results",
  statement: String.raw`\frac{B_x^2 (\bar\rho \bar s)^2\, \mathcal U \log W}{\varepsilon^2}, \quad \frac{B_x^2 (\bar\rho \bar s)^2 \mathcal S L^2 \log (WL)}{\varepsilon^2}, \quad \frac{B_x \bar\rho \bar s\, \mathcal S^2 L}{\varepsilon}, \quad L \mathcal S \log \mathcal S \log \tfrac{\bar\rho \bar s B_x}{\varepsilon}, \quad \mathcal S L \log \bar\rho \bar s + \mathcal S \log \tfrac{B_x}{\varepsilon} - \sum_l \log d_l!`,
  parameters: {
    inputs: integer({ min: 1, max: 20, default: 10, label: "inputs d_0" }),
    width: integer({ min: 2, max: 64, default: 32, label: "units of a hidden layer" }),
    layers: integer({ min: 1, max: 4, default: 2, label: "hidden layers L" }),
    eps: real({ min: 0.001, max: 0.5, default: 0.1, label: "ε" }),
  },
  claims: {
    "greatest relative change by a permutation of units": equals("0"),
    "greatest relative change of norms' products when a layer is doubled and the next one halved":
      equals("0"),
    "last row, its logarithms apart": equals("the last row, as typeset").printed(),
    "first row, layers 2 I": equals(String.raw`4^{L+1} L W \ln W / \varepsilon^2`),
    "second row, layers 2 I": equals(String.raw`4^{L+1} (L+1)(W+1) W L^2 \ln(WL) / \varepsilon^2`),
    "third row, layers 2 I": equals(String.raw`2^{L+1} ((L+1)(W+1) W)^2 L / \varepsilon`),
    "theorem of Bartlett et al., layers 2 I": equals(
      String.raw`4^{L+1} (L+1)^3 W^2 \ln(2 W^2) / \varepsilon^2, \text{ the most}`,
    ),
    "theorem of Bartlett et al., one unit of each layer read": equals(
      String.raw`4^{L+1} (L+1)^3 \ln(2 W^2) / \varepsilon^2, \text{ the least}`,
    ),
  },
  mutants: {
    "ε alone under the L-th root": {
      "last row, its logarithms apart": ({ layers, width }, { theory }) =>
        theory - (layers - 1) * layers * logFactorial(width),
    },
    "hidden units for all parameters": {
      "second row, layers 2 I": ({ layers, width }, { theory }) =>
        (theory * layers) / ((layers + 1) * (width + 1)),
    },
    "(Σ b/s)² for (Σ (b/s)^{2/3})³": {
      "theorem of Bartlett et al., layers 2 I": ({ layers }, { theory }) => theory / (layers + 1),
    },
  },
  run({ inputs, width, layers, eps }, { random, budget }) {
    const net = randomLayers([inputs, ...Array.from({ length: layers }, () => width), 1], random);
    const table = (graph: Graph): ComplexityTable =>
      complexityTable(complexityQuantities(graph), { inputRadius: 1, eps });
    const own = table(net);
    const change = (other: ComplexityTable): number =>
      Math.max(...rows.map((row) => Math.abs(other[row] - own[row]) / (1 + Math.abs(own[row]))));
    const rounding = { tolerance: 1e-9 }; // norms are bounds, rounded up along sums in another order
    const typeset = lastRow(complexityQuantities(net), eps);
    const twice = table(equalLayers(width, layers, width));
    const close = (measured: number, theory: number) =>
      checked(measured, theory, { tolerance: 1e-12 * theory }); // some ten products and logarithms
    const [S, scale] = [(layers + 1) * (width + 1) * width, 2 ** (layers + 1) / eps];
    const least = scale ** 2 * (layers + 1) ** 3 * Math.log(2 * width ** 2);
    return {
      graph: net,
      ...(budget === "cheap" ? {} : { figure: figure(net) }),
      claims: {
        "greatest relative change by a permutation of units": checked(
          change(table(permuted(net, random))),
          0,
          rounding,
        ),
        "greatest relative change of norms' products when a layer is doubled and the next one halved":
          checked(change(table(doubled(net))), 0, rounding),
        "last row, its logarithms apart": checked(own.shen2024, typeset, {
          tolerance: 1e-12 * (layers + 1) * complexityQuantities(net).S, // L S times logarithms up to 40
        }),
        "first row, layers 2 I": close(twice.bartlett2017, scale ** 2 * layers * width * Math.log(width)),
        "second row, layers 2 I": close(
          twice.neyshabur2018,
          scale ** 2 * S * layers ** 2 * Math.log(width * layers),
        ),
        "third row, layers 2 I": close(twice.linZhang2019, scale * S ** 2 * layers),
        "theorem of Bartlett et al., layers 2 I": close(twice.bartlettTheorem, least * width ** 2),
        "theorem of Bartlett et al., one unit of each layer read": close(
          table(equalLayers(width, layers, 1)).bartlettTheorem,
          least,
        ),
      },
    };
  },
});

/** LS log(s / ((d_1! ... d_L!)^{1/S} eps)^{1/L}), factorials by integers; rho = B_x = 1. */
function lastRow({ widths, S, L, spectralProduct }: ComplexityQuantities, eps: number): number {
  const orders = widths.slice(1, -1).reduce((product, d) => product * exactFactorial(d), 1n);
  const root = Math.exp((Math.LN10 * log10Of(orders)) / S);
  return L * S * Math.log(spectralProduct / (root * eps) ** (1 / L));
}

/** L + 1 layers with W units each; the first `kept` units have the weight 2, from the unit of the same number. */
function equalLayers(W: number, layers: number, kept: number): Graph {
  const diagonal = sparseLayer(
    W,
    W,
    Array.from({ length: kept }, (_, k) => [k, k, 2] as const),
  );
  return network(Array.from({ length: layers + 1 }, () => diagonal));
}

/** He's weights, small biases. */
function randomLayers(widths: readonly number[], random: Random): Graph {
  const layers = widths.slice(1).map((rows_, l) => {
    const columns = widths[l]!;
    const values = draw({ shape: "normal", variance: 2 / columns }, rows_ * columns, random, "float64");
    return layer(
      Array.from({ length: rows_ }, (_, r) => [...values.subarray(r * columns, (r + 1) * columns)]),
      random.normal(rows_).map((b) => b / 10),
    );
  });
  return network(layers);
}

function permuted(net: Graph, random: Random): Graph {
  const { layers } = layersOf(net);
  let before: readonly number[] = Array.from({ length: layers[0]!.weights.columns }, (_, k) => k);
  return network(
    layers.map(({ weights, bias }, l) => {
      const dense = toDense(weights);
      const order =
        l === layers.length - 1
          ? Array.from({ length: weights.rows }, (_, k) => k)
          : [...random.permutation(weights.rows)];
      const columns = before;
      before = order;
      return layer(
        order.map((r) => columns.map((c) => dense[r * weights.columns + c]!)),
        order.map((r) => bias[r]!),
      );
    }),
  );
}

/** The first hidden layer doubled, the next matrix halved. */
function doubled(net: Graph): Graph {
  const factors = [2, 0.5];
  return network(
    layersOf(net).layers.map(({ weights, bias }, l) => ({
      weights: { ...weights, values: weights.values.map((v) => v * (factors[l] ?? 1)) },
      bias: l === 0 ? bias.map((b) => 2 * b) : bias,
    })),
  );
}

function figure(net: Graph): Figure {
  const quantities = complexityQuantities(net);
  const radii = Array.from({ length: 31 }, (_, k) => 10 ** (-3 + k / 10));
  return {
    title: `Widths ${quantities.widths.join("-")}`,
    panels: [
      {
        title: "ln N, without the formulas' constants",
        x: { label: "ε", scale: "log" },
        y: { label: "ln N", scale: "log" },
        series: rows.map((row) => ({
          name: names[row],
          mark: "line",
          points: radii.flatMap((eps) => {
            const y = complexityTable(quantities, { inputRadius: 1, eps })[row];
            return y > 0 ? [[eps, y] as const] : [];
          }),
        })),
      },
    ],
  };
}
