import { type Layer, layer, network } from "../../construct/layers.ts";
import type { Random } from "../../engine/random.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import { affineImage, type Polyline, polylineLength, trajectory } from "../../passes/trajectory.ts";
import { atMost, checked, equals, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

/** How often Markov's inequality may fail. */
const delta = 0.1;
/** Standard errors that a mean may be off by chance; beyond this it is not chance. */
const errors = 6;

export default lemma({
  id: "C1a-58",
  covers: ["C1a-58"],
  kind: "measure",
  title: "How long a curve becomes on its way through a random network",
  source: "Book, chapter 1, section 1.3.3 and Figure 1.11",
  statement: String.raw`\mathbb{E}\,\mathrm{Length}(\bar\Phi^{(\ell)} \circ \gamma) \le (\sigma / \sqrt2)^{\ell}\, \mathrm{Length}(\gamma), \quad W^{(\ell)}_{ij} \sim \mathcal{N}(0, \sigma^2 / n)`,
  parameters: {
    n: integer({ min: 2, max: 30, default: 20, label: "width" }),
    depth: integer({ min: 1, max: 6, default: 4, label: "hidden layers" }),
    s: integer({ min: -2, max: 2, default: 1, label: "log2 of sigma" }),
  },
  claims: {
    "length without biases": equals(String.raw`\sigma^\ell \text{ times that for } \sigma = 1`),
    "length of one draw": atMost(
      String.raw`(\sigma / \sqrt2)^\ell \, \mathrm{Length}(\gamma) / \delta, \text{ by Markov}`,
    ).probable(),
    "mean length, less six standard errors": atMost(
      String.raw`(\sigma / \sqrt2)^\ell \, \mathrm{Length}(\gamma)`,
    ),
    "squares of a layer and of its mirror image": equals(
      String.raw`|z|^2 = |\varrho(z)|^2 + |\varrho(-z)|^2, \text{ so } \mathbb{E}|\varrho(z)|^2 = \tfrac12 \mathbb{E}|z|^2`,
    ),
    "share of the last layer's variance that ReLU keeps, off 1/2": atMost(
      String.raw`\sqrt{5 / (4 n \delta)}, \text{ by Chebyshev}`,
    ).probable(),
    "mean square of the activations, drawn": atMost(
      String.raw`a_\ell / \delta, \; a_\ell = \tfrac12 \sigma^2 (a_{\ell-1} + 1), \text{ by Markov}`,
    ).probable(),
    "mean square of the activations, with biases": equals(
      String.raw`\sigma^{2\ell} \text{ times that for } \sigma = 1`,
    ).printed({
      where: "section 1.3.3, the identity in law that gives the expected length",
      printed: String.raw`\bar\Phi^{(\ell)}(\cdot, \Theta_\sigma) \sim \sigma^\ell \bar\Phi^{(\ell)}(\cdot, \Theta_1) \text{ for weights } \mathcal{N}(0, \sigma^2/n) \text{ and biases } \mathcal{N}(0, \sigma^2)`,
      corrected: String.raw`\text{it holds without biases, or with biases } \mathcal{N}(0, \sigma^{2\ell}) \text{ in layer } \ell`,
    }),
  },
  async run({ n, depth, s }, { random, scale, budget, progress }) {
    const sigma = 2 ** s;
    const circle = unitCircle(64);
    const bound = (sigma / Math.SQRT2) ** depth * polylineLength(circle);
    const plain = draw(random.split("plain"), n, depth, { sigma: 1, biased: false });
    const lengthOf = (layers: readonly Layer[]) => polylineLength(trajectory(layers, circle).at(-1)!);
    const lengths: number[] = [];
    const squares: number[] = [];
    const draws = scale(200);
    for (let k = 0; k < draws; k++) {
      const layers = draw(random.split(k), n, depth, { sigma, biased: true });
      lengths.push(lengthOf(layers));
      squares.push(meanSquareAt(layers, circle[0]!));
      if (k % 16 === 0) await progress(k / draws);
    }
    return {
      graph: network([...draw(random.split("graph"), n, depth, { sigma, biased: true }), readOut(random, n)]),
      ...(budget !== "cheap" && { figure: figure(random, n, depth, sigma) }),
      claims: {
        // Weights scaled by a power of two scale every number of the computation, without rounding.
        "length without biases": checked(
          lengthOf(plain.map((l) => scaled(l, sigma))),
          sigma ** depth * lengthOf(plain),
        ),
        "length of one draw": sampled(lengths[0]!, bound / delta, { delta }),
        "mean length, less six standard errors": sampled(
          mean(lengths) - errors * standardError(lengths),
          bound,
        ),
        "squares of a layer and of its mirror image": mirrored(plain[0]!, circle[1]!),
        "share of the last layer's variance that ReLU keeps, off 1/2": sampled(
          Math.abs(
            keptShare(draw(random.split("share"), n, depth, { sigma, biased: true }), circle[2]!, sigma) -
              1 / 2,
          ),
          Math.sqrt(5 / (4 * n * delta)),
          { delta },
        ),
        "mean square of the activations, drawn": sampled(mean(squares), meanSquare(n, depth, sigma) / delta, {
          delta,
        }),
        "mean square of the activations, with biases": checked(
          meanSquare(n, depth, sigma),
          sigma ** (2 * depth) * meanSquare(n, depth, 1),
        ),
      },
    };
  },
});

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const standardError = (values: readonly number[]): number => {
  const center = mean(values);
  return Math.sqrt(mean(values.map((v) => (v - center) ** 2)) / Math.max(1, values.length - 1));
};

/** E |activations|^2 / n at a point of norm 1: a_l = (sigma^2 a_{l-1} + sigma^2) / 2, a_0 = 1/n. */
const meanSquare = (n: number, depth: number, sigma: number): number =>
  Array.from({ length: depth }).reduce<number>((a) => (sigma ** 2 * a + sigma ** 2) / 2, 1 / n);

const meanSquareAt = (layers: readonly Layer[], start: Float64Array): number => {
  const end = layers.reduce((x, l) => affineImage(l, x).map((v) => Math.max(0, v)), start);
  return sumOfSquares(end) / end.length;
};

const sumOfSquares = (values: Float64Array): number => values.reduce((sum, v) => sum + v * v, 0);

/** The two sides of |z|^2 = |relu(z)|^2 + |relu(-z)|^2; sums of n squares round by at most n units of 2^-52. */
function mirrored(l: Layer, point: Float64Array): Measurement {
  const z = affineImage(l, point);
  const halves = [1, -1].map((sign) => sumOfSquares(z.map((v) => Math.max(0, sign * v))));
  const whole = sumOfSquares(z);
  return checked(halves[0]! + halves[1]!, whole, { tolerance: z.length * 2 ** -52 * whole });
}

/** Mean of relu(z)^2 / s^2 over the last layer, z ~ N(0, s^2), s^2 = sigma^2 (|x|^2 / n + 1): mean 1/2, variance 5/4. */
function keptShare(layers: readonly Layer[], start: Float64Array, sigma: number): number {
  const last = layers.at(-1)!;
  const before = layers.slice(0, -1).reduce((x, l) => affineImage(l, x).map((v) => Math.max(0, v)), start);
  const n = last.bias.length;
  const variance = sigma ** 2 * (sumOfSquares(before) / n + 1);
  return sumOfSquares(affineImage(last, before).map((v) => Math.max(0, v))) / n / variance;
}

const unitCircle = (corners: number): Polyline =>
  Array.from({ length: corners + 1 }, (_, k) => {
    const angle = (2 * Math.PI * k) / corners;
    return Float64Array.of(Math.cos(angle), Math.sin(angle));
  });

interface Initialization {
  readonly sigma: number;
  readonly biased: boolean;
}

function draw(random: Random, n: number, depth: number, { sigma, biased }: Initialization): Layer[] {
  return Array.from({ length: depth }, (_, l) =>
    layer(
      Array.from({ length: n }, () =>
        [...random.normal(l === 0 ? 2 : n)].map((w) => (sigma * w) / Math.sqrt(n)),
      ),
      [...random.normal(n)].map((b) => (biased ? sigma * b : 0)),
    ),
  );
}

const readOut = (random: Random, n: number): Layer =>
  layer(Array.from({ length: 2 }, () => [...random.normal(n)].map((w) => w / Math.sqrt(n))));

const scaled = (l: Layer, factor: number): Layer => ({
  ...l,
  weights: { ...l.weights, values: l.weights.values.map((w) => w * factor) },
});

/** As Figure 1.11: the circle, and what 3 and 10 hidden layers with variance 4/n make of it. */
function figure(random: Random, n: number, depth: number, sigma: number): Figure {
  const circle = unitCircle(256);
  const shape = (layers: number): Panel => {
    const hidden = draw(random.split(`figure ${layers}`), n, layers, { sigma: 2, biased: true });
    const end = trajectory(hidden, circle).at(-1) ?? circle;
    const out = layers === 0 ? end : end.map((point) => affineImage(readOut(random.split("out"), n), point));
    return {
      title: layers === 0 ? "The curve" : `After ${layers} hidden layers, variance 4/n`,
      x: { label: "first output" },
      y: { label: "second output" },
      series: [{ name: "image of the circle", mark: "line", points: out.map((p) => [p[0]!, p[1]!]) }],
    };
  };
  const levels = Array.from({ length: depth + 1 }, (_, l) => l);
  const runs = Array.from({ length: 8 }, (_, k) => {
    const images = trajectory(draw(random.split(`run ${k}`), n, depth, { sigma, biased: true }), circle);
    return [circle, ...images].map((image, l) => [l, polylineLength(image)] as const);
  });
  const lengths: Panel = {
    title: `Length by layer, sigma = ${sigma}`,
    x: { label: "hidden layer" },
    y: { label: "length", scale: "log" },
    series: [
      { name: "8 random networks", mark: "dots", points: runs.flat() },
      {
        name: "theory: bound on the mean, (sigma/√2)^l times 2π",
        mark: "line",
        role: "theory",
        points: levels.map((l) => [l, (sigma / Math.SQRT2) ** l * polylineLength(circle)]),
      },
    ],
  };
  return {
    title: `A circle through random ReLU networks of width ${n}`,
    panels: [shape(0), shape(3), shape(10), lengths],
  };
}
