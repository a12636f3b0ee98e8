import { fitWideLayer } from "../../approximate/interpolation/wide-layer.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";
import { sum } from "../../numbers/sum.ts";
import { initialNetwork } from "../../train/network.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

/** Pixels of a side: 3 x 3 kernels leave 4 x 4, max pooling 2 x 2. */
const side = 6;
const positions = 4;

export default lemma({
  id: "C3-44",
  covers: ["C3-44"],
  kind: "algorithm",
  title: "A wide convolutional network through any data",
  source: "Book, chapter 3, sect. 3.8.1; Nguyen and Hein 2018",
  statement: String.raw`F_{i \cdot} = \operatorname{maxpool}(\sigma(X_i * \kappa + b)), \; X_i \text{ distinct}, \; n_1 \ge n: \quad \operatorname{rank} F = n \text{ for almost all } \kappa, b, \qquad W = F^+ Y, \quad \sum_{i=1}^n |Y_i - \Phi(X_i)|^2 = 0`,
  parameters: {
    rho: choice(["tanh", "logistic", "softplus"], { label: "activation" }),
    n: integer({ min: 2, max: 24, default: 20, label: "images n" }),
    channels: integer({ min: 1, max: 8, default: 6, label: "channels: a fourth of the neurons n₁" }),
    s: integer({ min: 1, max: 3, default: 2, label: "values of an image" }),
  },
  claims: {
    neurons: equals("4 c"),
    "rank of the features": equals(String.raw`\min(n, n_1)`),
    "greatest |Y_i - Φ(X_i)| on ONNX Runtime": equals("0"),
    "least root of Σ|Y_i - Φ(X_i)|², the first image given twice with other values":
      equals(String.raw`|Y_1 - Y_1'| / \sqrt2`),
    "the same, as printed": equals("0").printed({
      where: "sect. 3.8.1, after Theorem 3.27",
      printed: String.raw`fit a *finite* set of  $n$  samples  $(X, Y) \in \mathbb{R}^{d \times n} \times \mathbb{R}^{s \times n}$  for some  $n \in \mathbb{N}$ . It was shown that for such a dataset there exist over-parametrized convolutional neural networks`,
      corrected:
        "samples with distinct $X_i$ (for convolutions, of which no two share a patch): no function has two values at one point",
    }),
  },
  mutants: {
    "pooling forgotten": { neurons: ({ channels }) => 16 * channels },
    "full rank whatever the width": { "rank of the features": ({ n }) => n },
    "the whole difference": {
      "least root of Σ|Y_i - Φ(X_i)|², the first image given twice with other values": (_, { theory }) =>
        theory * Math.SQRT2,
    },
  },
  async run({ rho, n, channels, s }, { random, budget, progress }) {
    const features = featuresOf(rho, channels, random);
    const images = random.split("images").normal(n * side * side);
    const values: Matrix = { rows: n, columns: s, entries: random.split("values").normal(n * s) };
    const fit = await fitWideLayer(features, batch(images), values);
    await progress(0.5);
    const greatest = Math.max(...values.entries.map(Math.abs));
    // A rounding of F by a part of 2^-53 of it moves F W by as much of |F| |W|.
    const tolerance = 2 ** -49 * (n + fit.features.columns) * fit.condition * greatest;
    const other = values.entries.slice(0, s).map((v, c) => v + 1 + c);
    const twice = await fitWideLayer(
      features,
      batch(Float64Array.of(...images, ...images.subarray(0, side * side))),
      {
        rows: n + 1,
        columns: s,
        entries: Float64Array.of(...values.entries, ...other),
      },
    );
    const apart = Math.sqrt(sum(Array.from(other, (v, c) => (v - values.entries[c]!) ** 2)));
    const isWide = fit.features.columns >= n;
    return {
      graph: fit.network,
      ...(budget !== "cheap" && { figure: await figure(rho, n, random) }),
      claims: {
        neurons: checked(fit.features.columns, positions * channels),
        "rank of the features": checked(fit.rank, Math.min(n, positions * channels)),
        ...(isWide && {
          "greatest |Y_i - Φ(X_i)| on ONNX Runtime": checked(
            await miss(fit.network, batch(images), values),
            0,
            {
              tolerance,
            },
          ),
          "least root of Σ|Y_i - Φ(X_i)|², the first image given twice with other values": checked(
            twice.residual,
            apart / Math.SQRT2,
            { tolerance },
          ),
          "the same, as printed": checked(twice.residual, 0, { tolerance }),
        }),
      },
    };
  },
});

const batch = (pixels: Float64Array): Tensor =>
  tensor(pixels, { dims: [pixels.length / side ** 2, 1, side, side] });

/** Biases of this law are 0: smooth activations do without. */
const featuresOf = (rho: string, channels: number, random: Random): Graph =>
  initialNetwork(`1x${side}x${side}-conv${channels}k3-${rho}-maxpool2-flatten`, {
    initialization: "he-normal",
    seed: random.split("kernels").integer(0, 2 ** 30),
    type: "float64",
  });

async function miss(network: Graph, x: Tensor, y: Matrix): Promise<number> {
  const found = numbers((await run(network, { x }, { threads: 1 }))["y"]!);
  return Math.max(...Array.from(found, (v, k) => Math.abs(v - y.entries[k]!)));
}

async function figure(rho: string, n: number, random: Random): Promise<Figure> {
  const images = batch(random.split("images").normal(n * side * side));
  const values: Matrix = { rows: n, columns: 1, entries: random.split("values").normal(n) };
  const rows: { readonly neurons: number; readonly rank: number; readonly residual: number }[] = [];
  for (let channels = 1; channels <= Math.ceil(n / 2); channels++) {
    const { features, rank, residual } = await fitWideLayer(
      featuresOf(rho, channels, random),
      images,
      values,
    );
    rows.push({ neurons: features.columns, rank, residual: Math.max(1e-17, residual) });
  }
  return {
    title: `${n} random images, random kernels, a linear map behind them`,
    panels: [
      {
        title: "Rank of the features",
        x: { label: "neurons n₁" },
        y: { label: "rank" },
        series: [
          {
            name: "measured",
            mark: "dots",
            role: "measured",
            points: rows.map(({ neurons, rank }) => [neurons, rank]),
          },
          {
            name: "min(n, n₁)",
            mark: "line",
            role: "theory",
            points: rows.map(({ neurons }) => [neurons, Math.min(n, neurons)]),
          },
        ],
      },
      {
        title: "What the best map misses",
        x: { label: "neurons n₁" },
        y: { label: "root of Σ|Y - Φ(X)|²", scale: "log" },
        series: [
          {
            name: "measured",
            mark: "dots",
            role: "measured",
            points: rows.map(({ neurons, residual }) => [neurons, residual]),
          },
        ],
      },
    ],
  };
}
