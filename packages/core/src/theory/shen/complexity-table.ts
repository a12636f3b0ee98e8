import {
  type ComplexityTable,
  complexityQuantities,
  complexityTable,
} from "../../capacity/complexity-table.ts";
import { layer, layersOf, network, sparseLayer } from "../../construct/layers.ts";
import { toDense } from "../../construct/layers-matrix.ts";
import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { draw } from "../../train/initialization.ts";
import { atMost, checked, equals } from "../claim.ts";
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
    "greatest relative change by a permutation of units": atMost("0"),
    "the first row when all units are doubled and their successors' weights halved": equals("the first row"),
    "theorem of Bartlett et al. over the first row, exponent in W, identity layers": equals("0").printed({
      where: "the table, first row",
      printed: String.raw`$B_x^2 (\bar\rho \bar s)^2 \, \mathcal U \log(W) / \epsilon^2$`,
      corrected: String.raw`Theorem 3.3 of Bartlett, Foster and Telgarsky (2017) has $(\sum_i (b_i / s_i)^{2/3})^3$, between $L^3$ and $L^3 W^2$, in place of $\mathcal U \le L W$; identity matrices reach $L^3 W^2$`,
    }),
  },
  run({ inputs, width, layers, eps }, { random, budget }) {
    const net = randomLayers([inputs, ...Array.from({ length: layers }, () => width), 1], random);
    const table = (graph: Graph): ComplexityTable =>
      complexityTable(complexityQuantities(graph), { inputRadius: 1, eps });
    const own = table(net);
    const moved = table(permuted(net, random));
    const scaled = table(doubled(net));
    return {
      graph: net,
      ...(budget === "cheap" ? {} : { figure: figure(net) }),
      claims: {
        "greatest relative change by a permutation of units": checked(
          Math.max(...rows.map((row) => Math.abs(moved[row] / own[row] - 1))),
          0,
          { tolerance: 1e-6 }, // norms are bounds, rounded up along sums in another order
        ),
        // Products of norms do not notice it when a whole layer is scaled.
        "the first row when all units are doubled and their successors' weights halved": checked(
          scaled.bartlett2017,
          own.bartlett2017,
          { tolerance: 1e-6 * own.bartlett2017 },
        ),
        "theorem of Bartlett et al. over the first row, exponent in W, identity layers": checked(
          growthOfRatio(layers),
          0,
        ),
      },
    };
  },
});

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

/** log of (theorem / first row) by log W, between two widths, for layers that are identities; logarithms cancel. */
function growthOfRatio(layers: number): number {
  const logRatio = (W: number): number => {
    const identity = sparseLayer(
      W,
      W,
      Array.from({ length: W }, (_, k) => [k, k, 1] as const),
    );
    const quantities = complexityQuantities(network(Array.from({ length: layers + 1 }, () => identity)));
    const t = complexityTable(
      {
        ...quantities,
        spectralProduct: 1,
        matrices: quantities.matrices.map((m) => ({ ...m, spectral: 1 })),
      },
      { inputRadius: 1, eps: 1 },
    );
    return Math.log(t.bartlettTheorem / Math.log(2 * W * W) / (t.bartlett2017 / Math.log(W)));
  };
  return (logRatio(32) - logRatio(8)) / Math.log(4);
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
