import type { Figure } from "../../figure/figure.ts";
import { exponentialDepthFactor, normRademacher } from "../../generalization/bounds/rademacher-norm.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { pathNorms } from "../../passes/path-norm.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C2-13",
  covers: ["C2-13"],
  kind: "bound",
  title: "Path norm, product of Frobenius norms, and bounds with 2 to the depth",
  source: "Book, chapter 2, sections 2.2 and 2.5.2",
  statement: String.raw`\sum_k \|\bar w_k\|_2^2 \le \prod_{l=1}^L \|W^{[l]}\|_F^2, \qquad \hat{\mathfrak R}_S \le \frac{2^{L-1}}{m} \prod_{l=1}^L \|W^{[l]}\|_F \Bigl( \sum_i \|x_i\|^2 \Bigr)^{1/2}`,
  parameters: {
    inputs: integer({ min: 1, max: 5, default: 3, label: "inputs" }),
    width: integer({ min: 1, max: 6, default: 4, label: "units of a hidden layer" }),
    layers: integer({ min: 1, max: 4, default: 3, label: "layers L" }),
    outputs: integer({ min: 1, max: 4, default: 2, label: "outputs" }),
    m: integer({ min: 1, max: 8, default: 6, label: "examples m" }),
  },
  claims: {
    "path norms over Frobenius norms, normal weights": atMost("1"),
    "the same, weights ±1": equals(String.raw`1 / (n_1 \cdots n_{L-1})`),
    "the same, one unit of each hidden layer connected": equals("1"),
    "Rademacher complexity of what one chain of units computes": atMost(
      String.raw`\tfrac{2^{L-1}}{m} B (\sum_i \|x_i\|^2)^{1/2}`,
    ),
    "the same, against a factor that grows with the root of L": atMost(
      String.raw`\tfrac1m \min(2^{L-1}, 1 + \sqrt{2 (L-1) \ln 2}) \, B (\sum_i \|x_i\|^2)^{1/2}`,
    ),
  },
  mutants: {
    "a hidden layer not counted": {
      "the same, weights ±1": ({ width, layers }, { theory }) => (layers > 1 ? theory * width : Number.NaN),
    },
    "half the depth factor": {
      "Rademacher complexity of what one chain of units computes": (_, { theory }) => theory / 2,
    },
    "a layer lost": ({ layers }) => ({ layers: layers - 1 }),
  },
  async run({ inputs, width, layers, outputs, m }, { random, budget }) {
    const widths = [inputs, ...Array.from({ length: layers - 1 }, () => width), outputs];
    const normal = await ratio(drawn(widths, () => random.normal()));
    const signs = await ratio(drawn(widths, () => (random.uniform() < 0.5 ? -1 : 1)));
    const chain = await ratio(connected(widths, random));
    // On points of one ray with ReLUs in a chain, f = B <u, x>: the supremum over the sign of the last weight is known.
    const lengths = Array.from({ length: m }, () => 0.1 + random.uniform());
    const B = 0.5 + random.uniform();
    const measured = B * meanAbsolute(lengths);
    const energy = Math.sqrt(lengths.reduce((s, v) => s + v * v, 0));
    const rounding = { tolerance: 1e-12 };
    return {
      ...(budget === "cheap" ? {} : { figure: await depthFigure(random) }),
      claims: {
        "path norms over Frobenius norms, normal weights": checked(normal, 1, rounding),
        "the same, weights ±1": checked(signs, 1 / width ** (layers - 1), rounding),
        "the same, one unit of each hidden layer connected": checked(chain, 1, rounding),
        "Rademacher complexity of what one chain of units computes": checked(
          measured,
          (exponentialDepthFactor(layers) * B * energy) / m,
          rounding,
        ),
        "the same, against a factor that grows with the root of L": checked(
          measured,
          normRademacher({ depth: layers, normProduct: B, dataNorm: energy, n: m }),
          rounding,
        ),
      },
    };
  },
});

const drawn = (widths: readonly number[], weight: () => number): readonly Layer[] =>
  widths
    .slice(1)
    .map((rows, l) =>
      layer(Array.from({ length: rows }, () => Array.from({ length: widths[l]! }, () => weight()))),
    );

/** Normal weights, but in each hidden layer only the first unit has weights that are not 0. */
const connected = (widths: readonly number[], random: Random): readonly Layer[] =>
  widths
    .slice(1)
    .map((rows, l) =>
      layer(
        Array.from({ length: rows }, (_, i) =>
          Array.from({ length: widths[l]! }, (__, k) =>
            (i === 0 || l === widths.length - 2) && (k === 0 || l === 0) ? random.normal() : 0,
          ),
        ),
      ),
    );

/** sum_k |w_k|^2 over prod_l |W_l|_F^2. */
async function ratio(layers: readonly Layer[]): Promise<number> {
  const { norm2 } = await pathNorms(network(layers));
  const product = layers.reduce((p, { weights }) => p * weights.values.reduce((s, v) => s + v * v, 0), 1);
  return norm2.reduce((s, v) => s + v * v, 0) / product;
}

/** E_xi |sum_i xi_i a_i| / m over all signs. */
function meanAbsolute(a: readonly number[]): number {
  let sum = 0;
  for (let code = 0; code < 2 ** a.length; code++)
    sum += Math.abs(a.reduce((s, v, i) => s + ((code >> i) & 1 ? v : -v), 0));
  return sum / 2 ** a.length / a.length;
}

async function depthFigure(random: Random): Promise<Figure> {
  const depths = [1, 2, 3, 4, 5, 6];
  const rows = [];
  for (const layers of depths) {
    const widths = [10, ...Array.from({ length: layers - 1 }, () => 20), 1];
    const net = drawn(widths, () => random.normal());
    rows.push({ layers, ratio: await ratio(net) });
  }
  return {
    title: "Networks 10-20-...-20-1 with normal weights",
    panels: [
      {
        title: "Σ |w̄_k|² over Π |W|_F²",
        x: { label: "layers L" },
        y: { label: "ratio", scale: "log" },
        series: [
          { name: "drawn", mark: "dots", points: rows.map((r) => [r.layers, r.ratio]) },
          {
            name: "theory for weights ±1: 20^(1-L)",
            mark: "line",
            role: "theory",
            points: depths.map((l) => [l, 20 ** (1 - l)]),
          },
        ],
      },
      {
        title: "Factor of the depth in a bound",
        x: { label: "layers L" },
        y: { label: "factor", scale: "log" },
        series: [
          { name: "2^(L-1)", mark: "line", role: "theory", points: depths.map((l) => [l, 2 ** (l - 1)]) },
          {
            name: "1 + √(2 (L-1) ln 2)",
            mark: "line",
            role: "theory",
            points: depths.map((l) => [l, 1 + Math.sqrt(2 * (l - 1) * Math.LN2)]),
          },
        ],
      },
    ],
  };
}
