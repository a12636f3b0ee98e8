import type { Figure, Panel } from "../../figure/figure.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import {
  affineImage,
  expectedStretch,
  type Polyline,
  polylineLength,
  trajectory,
} from "../../networks/trajectory.ts";
import type { Random } from "../../numbers/random.ts";
import { mean } from "../../numbers/sum.ts";
import { atMost, checked, equals, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

/** How often Chebyshev's inequality may fail. */
const delta = 0.25;

export default lemma({
  id: "C1a-58",
  covers: ["C1a-58"],
  kind: "measure",
  title: "How long a curve becomes on its way through a random network",
  source: "Book, chapter 1, section 1.3.3 and Figure 1.11",
  statement: String.raw`\mathbb{E}\,\mathrm{Length}(\bar\Phi^{(\ell)} \circ \gamma) = (\sigma \kappa_n)^{\ell}\, \mathrm{Length}(\gamma) \le (\sigma / \sqrt2)^{\ell}\, \mathrm{Length}(\gamma), \quad W^{(\ell)}_{ij} \sim \mathcal{N}(0, \sigma^2 / n), \; \kappa_n = \tfrac{1}{\sqrt n} \mathbb{E} \chi_K, \; K \sim \mathrm{Bin}(n, \tfrac12)`,
  parameters: {
    n: integer({ min: 2, max: 30, default: 20, label: "width" }),
    depth: integer({ min: 1, max: 6, default: 4, label: "hidden layers" }),
    s: integer({ min: -2, max: 2, default: 1, label: "log2 of sigma" }),
  },
  claims: {
    "length without biases": equals(String.raw`\sigma^\ell \text{ times that for } \sigma = 1`),
    "expected length": atMost(String.raw`(\sigma / \sqrt2)^\ell \, \mathrm{Length}(\gamma)`),
    "base of the expected length in the depth": equals(String.raw`\sigma`).printed({
      where: "section 1.3.3, after the expected length",
      printed: String.raw`$\mathbb{E}[\text{Length}(\bar{\Phi}^{(\ell)}(\gamma(\cdot), \Theta_\sigma))] = \sigma^\ell c.$ This shows that the expected trajectory length depends exponentially on the depth of the NN`,
      corrected: String.raw`$c$ depends on $\ell$ and falls like $\kappa_n^\ell$, with $\kappa_n < 1 / \sqrt2$: the length is of order $(\sigma \kappa_n)^\ell$, which grows with the depth from $\sigma = 1 / \kappa_n > \sqrt2$ on and falls below it`,
    }),
    "mean length of networks drawn, off its expectation": atMost(
      String.raw`\bigl((\sigma^2 / 2)^\ell - (\sigma \kappa_n)^{2\ell}\bigr)^{1/2} \mathrm{Length}(\gamma) / \sqrt{N \delta}, \text{ by Chebyshev}`,
    ).probable(),
    "mean square of the speed, all signs of two units a layer": equals(String.raw`(\sigma^2 / 2)^\ell`),
    "squares of a layer and of its mirror image": equals(
      String.raw`|z|^2 = |\varrho(z)|^2 + |\varrho(-z)|^2, \text{ so } \mathbb{E}|\varrho(z)|^2 = \tfrac12 \mathbb{E}|z|^2`,
    ),
    "share of the last layer's variance that ReLU keeps, off 1/2": atMost(
      String.raw`\sqrt{5 / (4 n \delta)}, \text{ by Chebyshev}`,
    ).probable(),
    "mean square of the activations, all signs of two units a layer": equals(
      String.raw`a_\ell = \tfrac12 \sigma^2 (a_{\ell-1} + 1), \; a_0 = 1/n`,
    ),
    "mean square of the activations, with biases": equals(
      String.raw`\sigma^{2\ell} \text{ times that for } \sigma = 1`,
    ).printed({
      where: "section 1.3.3, before the expected length",
      printed: String.raw`changed the variances of the entries corresponding to the weight matrices and bias vectors to $\sigma^2/n$ and $\sigma^2$, respectively. [...] Then it is clear that $\bar{\Phi}^{(\ell)}(\cdot, \Theta_\sigma) \sim \sigma^\ell \bar{\Phi}^{(\ell)}(\cdot, \Theta_1)$`,
      corrected: String.raw`it holds without biases, or with biases of variance $\sigma^{2\ell}$ in layer $\ell$; the expected length is $\sigma^\ell c$ all the same, since the law of the speed does not depend on biases`,
    }),
    "length in the last layer of the zigzag with corners (1, ±1)/j, j = 1, ..., N, by these": equals(
      String.raw`|A - B| H_N + \textstyle\sum_{j < N} |A \text{ or } B| / (j (j + 1)), \; A, B = \bar\Phi^{(\ell)}(1, \pm 1), \; H_N = \sum_{j \le N} 1/j`,
    ),
    "what its corners from N to N² add, of what those from 1 to N do": equals(
      String.raw`0 \text{ in the limit, for a length that is finite}`,
    ).printed({
      where: "section 1.3.3, after the length of the trajectory",
      printed: String.raw`Given a non-constant continuous curve $\gamma: [0, 1] \rightarrow \mathbb{R}^{N_0}$ in the input space [...] Here the length of the curve is well defined since $\bar{\Phi}^{(\ell)}(\cdot, \theta)$ is continuous and therefore $\bar{\Phi}^{(\ell)}(\gamma(\cdot), \theta)$ is continuous.`,
      corrected: String.raw`a continuous curve may have infinite length, as the zigzag to 0 through $(1, 1), (1, -1), \tfrac12 (1, -1), \tfrac12 (1, 1), \tfrac13 (1, 1), \dots$ has, and so has its image; for a curve of finite length (Lipschitz, say) the image has one, as the layers are Lipschitz`,
    }),
  },
  mutants: {
    "half of the units for half of the squares": {
      "expected length": ({ depth }, { theory }) => theory * 2 ** (-depth / 2),
    },
    "every unit on": {
      "mean square of the speed, all signs of two units a layer": ({ depth, s }) =>
        4 ** (s * Math.min(depth, 2)),
    },
    "a layer lost": ({ depth }) => ({ depth: depth - 1 }),
  },
  async run({ n, depth, s }, { random, scale, budget, progress }) {
    const sigma = 2 ** s;
    const circle = unitCircle(64);
    const bound = (sigma / Math.SQRT2) ** depth * polylineLength(circle);
    const plain = draw(random.split("plain"), n, depth, { sigma: 1, biased: false });
    const lengthOf = (layers: readonly Layer[]) => polylineLength(trajectory(layers, circle).at(-1)!);
    const lengths: number[] = [];
    const draws = scale(200);
    for (let k = 0; k < draws; k++) {
      lengths.push(lengthOf(draw(random.split(k), n, depth, { sigma, biased: true })));
      if (k % 16 === 0) await progress(k / draws);
    }
    const whole = polylineLength(circle);
    const expected = (sigma * expectedStretch(n)) ** depth * whole;
    const deviation = Math.sqrt(bound ** 2 - expected ** 2); // of one length, at most
    const signs = allSigns(Math.min(depth, 2), sigma, circle[1]!);
    const rounding = 2 ** -46 * (1 + sigma ** 4); // means of 4096 numbers
    return {
      graph: network([...draw(random.split("graph"), n, depth, { sigma, biased: true }), readOut(random, n)]),
      ...(budget !== "cheap" && { figure: figure(random, n, depth, sigma) }),
      claims: {
        // Weights scaled by a power of two scale every number of the computation, without rounding.
        "length without biases": checked(
          lengthOf(plain.map((l) => scaled(l, sigma))),
          sigma ** depth * lengthOf(plain),
        ),
        "expected length": checked(expected, bound),
        // Whose expectation of a layer is held against networks drawn, below.
        "base of the expected length in the depth": checked(sigma * expectedStretch(n), sigma),
        "mean length of networks drawn, off its expectation": sampled(
          Math.abs(mean(lengths) - expected),
          deviation / Math.sqrt(draws * delta),
          { delta },
        ),
        "mean square of the speed, all signs of two units a layer": checked(
          signs.speed,
          (sigma ** 2 / 2) ** Math.min(depth, 2),
          { tolerance: rounding },
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
        "mean square of the activations, all signs of two units a layer": checked(
          signs.activation,
          meanSquare(2, Math.min(depth, 2), sigma),
          { tolerance: rounding },
        ),
        "mean square of the activations, with biases": checked(
          meanSquare(n, depth, sigma),
          sigma ** (2 * depth) * meanSquare(n, depth, 1),
        ),
        ...endlessCurve(plain),
      },
    };
  },
});

/** E |activations|^2 / n at a point of norm 1: a_l = (sigma^2 a_{l-1} + sigma^2) / 2, a_0 = 1/n. */
const meanSquare = (n: number, depth: number, sigma: number): number =>
  Array.from({ length: depth }).reduce<number>((a) => (sigma ** 2 * a + sigma ** 2) / 2, 1 / n);

/** The means over all signs of weights of size sigma / sqrt 2 and biases of size sigma: moments as of normal ones. */
function allSigns(depth: number, sigma: number, start: Float64Array) {
  const sign = (mask: number, bit: number): number => ((mask >> bit) & 1 ? sigma : -sigma);
  const layers = Array.from({ length: 64 }, (_, mask) =>
    layer(
      [0, 2].map((row) => [sign(mask, row) / Math.SQRT2, sign(mask, row + 1) / Math.SQRT2]),
      [sign(mask, 4), sign(mask, 5)],
    ),
  );
  const sum = { activation: 0, speed: 0 };
  const visit = (x: Float64Array, v: Float64Array, left: number): void => {
    if (left === 0) {
      sum.activation += sumOfSquares(x) / 2;
      sum.speed += sumOfSquares(v);
      return;
    }
    for (const l of layers) {
      const z = affineImage(l, x);
      const w = affineImage({ ...l, bias: new Float64Array(2) }, v);
      visit(
        z.map((value) => Math.max(0, value)),
        w.map((value, i) => (z[i]! > 0 ? value : 0)),
        left - 1,
      );
    }
  };
  visit(start, Float64Array.of(-start[1]!, start[0]!), depth);
  return { activation: sum.activation / 64 ** depth, speed: sum.speed / 64 ** depth };
}

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

/** So many turns of the curve without length, and the square of that. */
const turns = 32;

/**
 * Without biases a layer maps s x to s times the image of x, so that (1, ±1) / j go to A / j and B / j. The zigzag goes
 * across, |A - B| / j, and inwards, 1 / j - 1 / (j + 1) times A or B: its length grows with the logarithm of j.
 */
function endlessCurve(layers: readonly Layer[]) {
  const image = (x: Float64Array): Float64Array =>
    layers.reduce((h, l) => affineImage(l, h).map((v) => Math.max(0, v)), x);
  const side = (j: number): number => (j % 2 === 0 ? 1 : -1);
  const at = (j: number, y: number): Float64Array => image(Float64Array.of(1 / j, y / j));
  const length = (from: number, to: number): number => {
    let sum = 0;
    for (let j = from; j < to; j++) {
      sum += distance(at(j, -side(j)), at(j, side(j)));
      if (j + 1 < turns ** 2) sum += distance(at(j, side(j)), at(j + 1, side(j)));
    }
    return sum;
  };
  const [first, more] = [length(1, turns), length(turns, turns ** 2)];
  const ends = [image(Float64Array.of(1, 1)), image(Float64Array.of(1, -1))] as const;
  let theory = 0;
  for (let j = 1; j < turns ** 2; j++) {
    theory += distance(...ends) / j;
    if (j + 1 < turns ** 2) theory += Math.sqrt(sumOfSquares(ends[side(j) > 0 ? 0 : 1])) / (j * (j + 1));
  }
  const size = 1 + Math.sqrt(sumOfSquares(ends[0])) + Math.sqrt(sumOfSquares(ends[1]));
  return {
    "length in the last layer of the zigzag with corners (1, ±1)/j, j = 1, ..., N, by these": checked(
      first + more,
      theory,
      { tolerance: turns ** 2 * 2 ** -44 * size }, // sums of so many numbers, of layers of up to 30 units
    ),
    // Of turns as long as 1/j², which have a length, it is about 1/N.
    "what its corners from N to N² add, of what those from 1 to N do": checked(
      first === 0 ? 0 : more / first,
      0,
      { tolerance: 1 / 2 },
    ),
  };
}

const distance = (a: Float64Array, b: Float64Array): number =>
  Math.sqrt(sumOfSquares(a.map((v, i) => v - b[i]!)));

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
