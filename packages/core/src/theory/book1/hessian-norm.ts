import { drawTwoLayer, padded } from "../../dynamics/lazy/features.ts";
import {
  type CurvedName,
  hessianBound,
  hessianNorm,
  type SmoothNetwork,
} from "../../dynamics/lazy/hessian.ts";
import { sampleGradients } from "../../dynamics/sample-gradients.ts";
import { shallowGraph } from "../../dynamics/shallow-network.ts";
import type { Figure } from "../../figure/figure.ts";
import { activation } from "../../functions/activation.ts";
import { tensor } from "../../graph/tensor.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { type SymmetricEigen, symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { weightVector } from "../../train/empirical-risk.ts";
import { hessianProduct } from "../../train/hessian-product.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

export default lemma({
  id: "C1b-23",
  covers: ["C1b-23"],
  kind: "measure",
  title: "The Hessian of a two-layer network, exactly",
  source: "Book, chapter 1, sect. 1.5.2, (1.50)",
  statement: String.raw`\|\nabla^2_\theta \Phi(x, \theta)\|_{\mathrm{op}} = \max_j \tfrac12 \Bigl( |q_j| + \sqrt{q_j^2 + 4 p_j^2} \Bigr), \qquad p_j = \varrho'(z_j) \|\tilde x\|, \; q_j = \theta^{(2)}_j \varrho''(z_j) \|\tilde x\|^2, \; z_j = \langle \theta^{(1)}_j, \tilde x \rangle, \; \tilde x = (x, 1)`,
  parameters: {
    sigma: choice(["tanh", "logistic", "softplus"], { label: "activation" }),
    d: integer({ min: 1, max: 4, default: 2, label: "inputs d" }),
    n: integer({ min: 1, max: 24, default: 16, label: "neurons n" }),
    tau: real({ min: 0, max: 2, default: 1, label: "size of the outer weights, times √n" }),
    R: real({ min: 0.001, max: 1, default: 0.1, label: "distance R from the start" }),
  },
  claims: {
    "norm of the Hessian, by its columns on ONNX Runtime": equals(
      String.raw`\max_j \tfrac12 ( |q_j| + \sqrt{q_j^2 + 4 p_j^2} )`,
    ),
    "sum of its eigenvalues": equals(String.raw`\textstyle\sum_j q_j`),
    "eigenvalues other than 0": equals("2n"),
    "greatest entry between two neurons": equals("0"),
    "bandwidth, neuron after neuron": equals("d + 1"),
    "norm at weights at most R away, over the bound": atMost(
      String.raw`1: \; p = \sup |\varrho'| \, \|\tilde x\|, \; q = (\max_j |\theta^{(2)}_j| + R) \sup |\varrho''| \, \|\tilde x\|^2`,
    ),
    "change of ∇Φ over a distance R, over R times the bound": atMost("1"),
  },
  mutants: {
    "a sum for the greatest block": {
      "norm of the Hessian, by its columns on ONNX Runtime": ({ n }, { theory }) => n * theory,
    },
    "the curvature of the neurons forgotten": ({ tau }) => ({ tau: tau / 2 }),
    "biases not counted": { "bandwidth, neuron after neuron": ({ d }) => d },
  },
  async run({ sigma, d, n, tau, R }, { random, budget, progress }) {
    const network = drawNetwork(sigma, n, d, tau, random.split("network"));
    const x = padded(random.split("x").normal(d));
    const graph = shallowGraph(network);
    const { H, start } = await denseHessian(network, x);
    await progress(0.5);
    const eigen = symmetricEigen(H);
    const size = Math.max(...eigen.values.map(Math.abs));
    const spectrum = blockSpectrum(network, x);
    // Sums of d + 1 products, some of them near 0 where neurons are saturated; Jacobi's rotations.
    const tolerance = 2 ** -46 * size;
    const bound = hessianBound(network, x, R);
    const neuron = (index: number): number =>
      index < n * (d + 1) ? Math.floor(index / (d + 1)) : index - n * (d + 1);
    const across = H.flatMap((row, i) => row.filter((_, j) => neuron(i) !== neuron(j)));
    const gradient = sampleGradients(graph, tensor([[...x]]));
    const [top, away] = [topVector(eigen), random.split("away").sphere(start.length)];
    const changes: number[] = [];
    const norms = [hessianNorm(network, x)];
    const first = (await gradient(start))[0]!;
    for (const direction of [top, top.map((v) => -v), away]) {
      const theta = start.map((v, k) => v + R * direction[k]!);
      const change = (await gradient(theta))[0]!.map((v, k) => v - first[k]!);
      changes.push(Math.sqrt(dot(change, change)));
      norms.push(hessianNorm(networkAt(network, theta), x));
    }
    // rho' is never 0 for these activations, but -p^2 / q may be as small as rounding: then nothing is counted.
    const nonzero = spectrum.filter((v) => Math.abs(v) > 16 * tolerance);
    return {
      graph,
      ...(budget !== "cheap" && { figure: figure(sigma, d, tau, eigen, spectrum, random.split("figure")) }),
      claims: {
        "norm of the Hessian, by its columns on ONNX Runtime": checked(size, hessianNorm(network, x), {
          tolerance,
        }),
        "sum of its eigenvalues": checked(
          eigen.values.reduce((s, v) => s + v, 0),
          spectrum.reduce((s, v) => s + v, 0),
          { tolerance: tolerance * start.length },
        ),
        ...(nonzero.length === 2 * n && {
          "eigenvalues other than 0": checked(
            eigen.values.filter((v) => Math.abs(v) > 8 * tolerance).length,
            2 * n,
          ),
        }),
        "greatest entry between two neurons": checked(Math.max(0, ...across.map(Math.abs)), 0),
        "bandwidth, neuron after neuron": checked(bandwidth(H, n, d), d + 1),
        "norm at weights at most R away, over the bound": sampled(Math.max(...norms) / bound, 1),
        "change of ∇Φ over a distance R, over R times the bound": sampled(
          Math.max(...changes) / (R * bound),
          1,
          {
            tolerance: 2 ** -48 / R, // a difference of gradients of size 1
          },
        ),
      },
    };
  },
});

const drawNetwork = (
  sigma: CurvedName,
  n: number,
  d: number,
  tau: number,
  random: Random,
): SmoothNetwork => ({
  ...drawTwoLayer(sigma, n, d + 1, { inner: 1, outer: tau / Math.sqrt(n) }, random),
  sigma,
});

/** The same network with these weights: inner rows first, then the outer ones. */
function networkAt(network: SmoothNetwork, theta: Float64Array): SmoothNetwork {
  const [n, width] = [network.V.length, network.V[0]!.length];
  return {
    ...network,
    V: network.V.map((_, k) => theta.subarray(k * width, (k + 1) * width)),
    a: [...theta.subarray(n * width)],
  };
}

async function denseHessian(network: SmoothNetwork, x: Float64Array) {
  const graph = shallowGraph(network);
  const { start } = weightVector(graph);
  const product = hessianProduct(graph, tensor([[...x]]));
  const H: number[][] = [];
  for (let k = 0; k < start.length; k++)
    H.push([
      ...(await product(
        start,
        start.map((_, j) => (j === k ? 1 : 0)),
      )),
    ]);
  return { H, start };
}

/** Both eigenvalues (q ± sqrt(q^2 + 4 p^2)) / 2 of each neuron. */
function blockSpectrum({ sigma, a, V }: SmoothNetwork, x: Float64Array): readonly number[] {
  const rho = activation(sigma);
  const size = dot(x, x);
  return V.flatMap((v, j) => {
    const z = dot(v, x);
    const [p, q] = [rho.derivative(1, z) * Math.sqrt(size), a[j]! * rho.derivative(2, z) * size];
    const root = Math.hypot(q, 2 * p);
    // The smaller one by the product -p^2: no cancellation.
    const large = q >= 0 ? (q + root) / 2 : (q - root) / 2;
    return [large, large === 0 ? 0 : (-p * p) / large];
  });
}

/** The farthest entry from the diagonal once the weights of a neuron stand together. */
function bandwidth(H: readonly (readonly number[])[], n: number, d: number): number {
  const order = Array.from({ length: n }, (_, k) => [
    ...Array.from({ length: d + 1 }, (_, j) => k * (d + 1) + j),
    n * (d + 1) + k,
  ]).flat();
  const distances = order.flatMap((from, i) =>
    order.flatMap((to, j) => (H[from]![to] === 0 ? [] : [Math.abs(i - j)])),
  );
  return Math.max(0, ...distances);
}

const topVector = ({ values, vectors }: SymmetricEigen): readonly number[] =>
  Math.abs(values[0]!) > values.at(-1)! ? vectors[0]! : vectors.at(-1)!;

function figure(
  sigma: CurvedName,
  d: number,
  tau: number,
  { values }: SymmetricEigen,
  spectrum: readonly number[],
  random: Random,
): Figure {
  const x = padded(random.split("x").normal(d));
  const widths = Array.from({ length: 25 }, (_, k) => Math.round(2 ** (2 + k / 2)));
  const drawn = widths.flatMap((n) =>
    [0, 1, 2].map((k) => {
      const network = drawNetwork(sigma, n, d, tau, random.split(`${n}/${k}`));
      return { n, norm: hessianNorm(network, x), bound: hessianBound(network, x, 1) };
    }),
  );
  const slope = activation(sigma).lipschitz * Math.hypot(...x);
  const sorted = [...spectrum, ...values.slice(spectrum.length).map(() => 0)].toSorted((a, b) => a - b);
  return {
    title: "Curvature in the weights does not grow with the width",
    panels: [
      {
        title: "Eigenvalues, two for each neuron",
        x: { label: "number" },
        y: { label: "eigenvalue" },
        series: [
          {
            name: "(q ± √(q² + 4p²)) / 2",
            mark: "line",
            role: "theory",
            points: sorted.map((v, k) => [k + 1, v]),
          },
          {
            name: "Hessian on ONNX Runtime",
            mark: "dots",
            role: "measured",
            points: values.map((v, k) => [k + 1, v]),
          },
        ],
      },
      {
        title: "Norm of the Hessian by width",
        x: { label: "neurons n", scale: "log" },
        y: { label: "norm" },
        series: [
          {
            name: "drawn networks",
            mark: "dots",
            role: "measured",
            points: drawn.map(({ n, norm }) => [n, norm]),
          },
          {
            name: "bound on the ball of radius 1",
            mark: "dots",
            points: drawn.map(({ n, bound }) => [n, bound]),
          },
          { name: "limit sup |ϱ'| ‖x̃‖", mark: "line", role: "theory", points: widths.map((n) => [n, slope]) },
        ],
      },
    ],
  };
}
