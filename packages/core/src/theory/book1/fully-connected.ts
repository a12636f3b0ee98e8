import { run as runGraph } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { sizes } from "../../passes/sizes.ts";
import { type DenseLayer, denseNetwork, layersFrom, preActivations } from "../../train/dense-network.ts";
import { weightVector } from "../../train/empirical-risk.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const activations = ["relu", "tanh", "softplus", "logistic"] as const;
type Activation = (typeof activations)[number];

export default lemma({
  id: "C1a-01",
  covers: ["C1a-01"],
  kind: "algorithm",
  title: "Fully connected networks: realization, pre-activations, parameters",
  source: "Book, Definition 1.4",
  statement: String.raw`\Phi^{(1)} = W^{(1)} x + b^{(1)}, \quad \bar\Phi^{(\ell)} = \varrho(\Phi^{(\ell)}), \quad \Phi^{(\ell+1)} = W^{(\ell+1)} \bar\Phi^{(\ell)} + b^{(\ell+1)}, \qquad P(N) = \sum_{\ell=1}^{L} (N_\ell N_{\ell-1} + N_\ell)`,
  parameters: {
    rho: choice(activations, { label: "activation" }),
    L: integer({ min: 1, max: 5, default: 3, label: "layers" }),
    d: integer({ min: 1, max: 5, default: 3, label: "inputs" }),
    n: integer({ min: 1, max: 8, default: 6, label: "greatest width of a hidden layer" }),
    k: integer({ min: 1, max: 3, default: 1, label: "outputs" }),
  },
  claims: {
    "parameters of the graph": equals(String.raw`\sum_{\ell=1}^{L} (N_\ell N_{\ell-1} + N_\ell)`),
    "parameters, as printed": equals(
      String.raw`\big( \sum_{\ell=1}^{L} N_\ell N_{\ell-1} \big) + N_L`,
    ).printed({
      where: "Definition 1.4",
      printed: String.raw`P(N) := \sum_{\ell=1}^L N_\ell N_{\ell-1} + N_\ell`,
      corrected: String.raw`P(N) := \sum_{\ell=1}^L (N_\ell N_{\ell-1} + N_\ell)`,
    }),
    "parameters of (3, 4, 6, 1), Figure 1.1": equals("53"),
    "nonzero weights, every second one set to 0": equals(String.raw`\lceil P(N) / 2 \rceil`),
    "Φ(x) on ONNX Runtime less Φ^{(L)}(x)": equals("0"),
    "pre-activations Φ^{(ℓ)}(x) less those of the first ℓ layers on ONNX Runtime": equals("0"),
    "theta to layers and back, weights that differ": equals("0"),
    "without the last weights: Φ(x) less b^{(L)}": equals("0"),
    "hidden neurons in another order: change of Φ(x)": equals("0"),
  },
  mutants: {
    "no biases": {
      "parameters of the graph": ({ k }, { theory }) => theory - k,
    },
    "a layer lost": ({ L }) => ({ L: L === 1 ? 2 : L - 1 }),
    "an activation at the output": {
      "without the last weights: Φ(x) less b^{(L)}": () => 1,
    },
  },
  async run({ rho, L, d, n, k }, { random }) {
    const widths = [d, ...Array.from({ length: L - 1 }, () => random.integer(1, n)), k];
    const layers = draw(widths, random.split("weights"));
    const graph = denseNetwork(layers, rho);
    const points = Array.from({ length: 6 }, () => [...random.normal(d)]);
    const vector = weightVector(graph);
    const back = denseNetwork(layersFrom(vector, vector.start, widths), rho);
    const again = weightVector(back).start;
    const constant = layers.map((l, at) =>
      at === L - 1 ? { ...l, W: l.W.map((row) => row.map(() => 0)) } : l,
    );
    const thinned = layersFrom(
      vector,
      vector.start.map((w, at) => (at % 2 === 1 ? 0 : w)),
      widths,
    );
    const parameters = widths.slice(1).reduce((sum, w, l) => sum + w * widths[l]! + w, 0);
    const byHand = points.map((x) => preActivations(layers, rho, x));
    const size = 1 + Math.max(...byHand.flat(2).map(Math.abs));
    const rounding = 1e-13 * size * (n + d);
    return {
      graph,
      figure: figure(widths, byHand[0]!),
      claims: {
        "parameters of the graph": checked(sizes(graph).parameters, parameters),
        "parameters, as printed": checked(
          sizes(graph).parameters,
          widths.slice(1).reduce((sum, w, l) => sum + w * widths[l]!, 0) + k,
        ),
        "parameters of (3, 4, 6, 1), Figure 1.1": checked(
          sizes(denseNetwork(draw([3, 4, 6, 1], random.split("figure")), rho)).parameters,
          53,
        ),
        "nonzero weights, every second one set to 0": checked(
          sizes(denseNetwork(thinned, rho)).nonzeros,
          Math.ceil(parameters / 2),
        ),
        "Φ(x) on ONNX Runtime less Φ^{(L)}(x)": sampled(
          await difference(
            layers,
            rho,
            points,
            byHand.map((h) => h.at(-1)!),
          ),
          0,
          { tolerance: rounding },
        ),
        "pre-activations Φ^{(ℓ)}(x) less those of the first ℓ layers on ONNX Runtime": sampled(
          Math.max(
            ...(await Promise.all(
              layers.map((_, l) =>
                difference(
                  layers.slice(0, l + 1),
                  rho,
                  points,
                  byHand.map((h) => h[l]!),
                ),
              ),
            )),
          ),
          0,
          { tolerance: rounding },
        ),
        "theta to layers and back, weights that differ": checked(
          again.filter((w, at) => w !== vector.start[at]).length,
          0,
        ),
        "without the last weights: Φ(x) less b^{(L)}": sampled(
          await difference(
            constant,
            rho,
            points,
            points.map(() => layers.at(-1)!.b!),
          ),
          0,
        ),
        "hidden neurons in another order: change of Φ(x)": sampled(
          await difference(
            reordered(layers, random.split("order")),
            rho,
            points,
            byHand.map((h) => h.at(-1)!),
          ),
          0,
          { tolerance: rounding },
        ),
      },
    };
  },
});

const draw = (
  widths: readonly number[],
  random: Random,
): readonly (DenseLayer & { readonly b: number[] })[] =>
  widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () => [...random.normal(widths[l]!)]),
    b: [...random.normal(rows)],
  }));

/** The greatest difference of a network's outputs on ONNX Runtime to these. */
async function difference(
  layers: readonly DenseLayer[],
  rho: Activation,
  points: readonly number[][],
  wanted: readonly (readonly number[])[],
): Promise<number> {
  const { y } = await runGraph(denseNetwork(layers, rho), { x: tensor(points) });
  const flat = wanted.flat();
  return Array.from(numbers(y!)).reduce((most, v, at) => Math.max(most, Math.abs(v - flat[at]!)), 0);
}

/** Rows of each hidden layer and columns of the next one, permuted. */
function reordered(layers: readonly DenseLayer[], random: Random): readonly DenseLayer[] {
  let before: Int32Array | undefined;
  return layers.map(({ W, b }, l) => {
    const columns = before;
    const turned = columns ? W.map((row) => Array.from(columns, (c) => row[c]!)) : W;
    if (l === layers.length - 1) return { W: turned, b };
    const order = random.permutation(W.length);
    before = order;
    return { W: Array.from(order, (r) => turned[r]!), b: Array.from(order, (r) => b![r]!) };
  });
}

/** Two dots of a layer side by side: there may be as many biases as weights. */
const beside = 0.06;

/** Pre-activations of all neurons at a point, layer by layer, as Figure 1.1 has them. */
function figure(widths: readonly number[], values: readonly (readonly number[])[]): Figure {
  const x = { label: "layer", names: values.map((_, l) => `layer ${l + 1}`) };
  return {
    title: `A network of widths (${widths.join(", ")}) at one point`,
    panels: [
      {
        title: "Pre-activations by layer",
        x,
        y: { label: "value" },
        series: [
          {
            name: "neurons",
            mark: "dots",
            points: values.flatMap((layer, l) => layer.map((v) => [l, v] as const)),
          },
        ],
      },
      {
        title: "Parameters by layer",
        x,
        y: { label: "number" },
        series: [
          {
            name: "weights",
            mark: "dots",
            points: widths.slice(1).map((w, l) => [l - beside, w * widths[l]!] as const),
          },
          { name: "biases", mark: "dots", points: widths.slice(1).map((w, l) => [l + beside, w] as const) },
        ],
      },
    ],
  };
}
