import type { Figure } from "../../figure/figure.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { backpropagate } from "../../train/backpropagation.ts";
import { type DenseLayer, denseNetwork, preActivations } from "../../train/dense-network.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

interface Example {
  readonly x: readonly number[];
  readonly y: number;
}

export default lemma({
  id: "C1a-37",
  covers: ["C1a-37"],
  kind: "measure",
  title: "Flatness: which measures of it survive a rescaling of units",
  source: "Book, chapter 1, sect. 1.2.3; Keskar et al. 2017, Liang et al. 2019",
  statement: String.raw`\|\theta\|_{\mathrm{fr}}^2 = \mathbb E \langle \theta, \nabla_\theta \ell \rangle^2 = L^2 \, \mathbb E \Bigl[ \Bigl( f \frac{\partial \ell}{\partial f} \Bigr)^2 \Bigr], \qquad \max_{\|\delta\| \le \rho} r(\theta^* + \delta) - r(\theta^*) = \tfrac12 \rho^2 \lambda_{\max}(\nabla^2 r) \text{ for quadratic } r`,
  parameters: {
    d: integer({ min: 1, max: 4, default: 2, label: "inputs" }),
    width: integer({ min: 1, max: 4, default: 3, label: "units of a hidden layer" }),
    L: integer({ min: 2, max: 4, default: 2, label: "layers" }),
    m: integer({ min: 2, max: 12, default: 8, label: "examples" }),
    c: real({ min: 0.25, max: 4, default: 3, label: "factor of the first layer; the second has 1/c" }),
    rho: real({ min: 0.01, max: 2, default: 0.5, label: "radius ρ" }),
  },
  claims: {
    "squared Fisher-Rao norm, from gradients": equals(
      String.raw`L^2 \, \mathbb E [(f \, \partial \ell / \partial f)^2]`,
    ),
    "squared Fisher-Rao norm after rescaling": equals("that before"),
    "risk after rescaling": equals("that before"),
    "trace of the Hessian after rescaling": equals(
      String.raw`\operatorname{tr} H_1 / c^2 + c^2 \operatorname{tr} H_2 + \operatorname{tr} H_{>2}`,
    ),
    "trace of the Hessian by second differences": equals(
      String.raw`\tfrac2m \sum_i \|\nabla_\theta f(x_i)\|^2`,
    ),
    "rise along a filter-normalized direction after rescaling": equals("that before"),
    "quadratic: rise in random directions of length ρ": atMost(String.raw`\tfrac12 \rho^2 \lambda_{\max}`),
    "quadratic: rise along the top eigenvector": equals(String.raw`\tfrac12 \rho^2 \lambda_{\max}`),
  },
  mutants: {
    "L for L²": { "squared Fisher-Rao norm, from gradients": ({ L }, { theory }) => theory / L },
    "the factors of the two layers swapped": ({ c }) => ({ c: 1 / c }),
    "ρ² λ without the half": {
      "quadratic: rise along the top eigenvector": (_, { theory }) => 2 * theory,
    },
  },
  run({ d, width, L, m, c, rho }, { random, scale, budget }) {
    const layers = randomLayers(d, width, L, random);
    const examples = Array.from({ length: m }, () => ({ x: [...random.normal(d)], y: random.normal() }));
    const rescaled = layers.map((layer, l) => times(layer, l === 0 ? c : l === 1 ? 1 / c : 1));
    const before = fisherRao(layers, examples);
    const after = fisherRao(rescaled, examples);
    const traces = [layers, rescaled].map((network) =>
      layers.map((_, l) => blockTrace(network, examples, l)),
    );
    const expected = traces[0]!.reduce(
      (sum, t, l) => sum + (l === 0 ? t / c ** 2 : l === 1 ? t * c ** 2 : t),
      0,
    );
    const total = traces[1]!.reduce((sum, t) => sum + t, 0);
    const differences = traceByDifferences(layers, examples);
    const direction = randomLayers(d, width, L, random);
    const rises = [layers, rescaled].map((network) => {
      const moved = moveAlong(network, filterNormalized(direction, network), 0.3);
      return riskOf(moved, examples) - riskOf(network, examples);
    });
    const risk = riskOf(layers, examples);
    const size = 1 + risk + Math.abs(rises[0]!) + before.fromGradients;
    const quadratic = quadraticSharpness(examples, d, rho, scale(500), random);
    return {
      graph: denseNetwork(layers, "relu"),
      ...(budget === "cheap" ? {} : { figure: figure(layers, examples, direction) }),
      claims: {
        "squared Fisher-Rao norm, from gradients": checked(before.fromGradients, before.fromOutputs, {
          tolerance: 1e-12 * size, // two orders of adding some hundred products
        }),
        "squared Fisher-Rao norm after rescaling": checked(after.fromGradients, before.fromGradients, {
          tolerance: 1e-11 * size,
        }),
        "risk after rescaling": checked(riskOf(rescaled, examples), risk, { tolerance: 1e-12 * size }),
        "trace of the Hessian after rescaling": checked(total, expected, {
          tolerance: 1e-10 * (1 + Math.abs(expected)), // sums of squares of gradients
        }),
        ...(differences !== undefined && {
          "trace of the Hessian by second differences": checked(
            differences,
            traces[0]!.reduce((sum, t) => sum + t, 0),
            // Between kinks the risk is quadratic in each weight: only the rounding of its values counts.
            { tolerance: (layers.flatMap(({ W }) => W.flat()).length * 2 ** -46 * size) / step ** 2 },
          ),
        }),
        "rise along a filter-normalized direction after rescaling": checked(rises[1]!, rises[0]!, {
          tolerance: 1e-11 * size,
        }),
        "quadratic: rise in random directions of length ρ": checked(quadratic.random, quadratic.theory, {
          tolerance: 1e-9 * (1 + quadratic.theory), // the minimum is found by an eigendecomposition
        }),
        "quadratic: rise along the top eigenvector": checked(quadratic.top, quadratic.theory, {
          tolerance: 1e-9 * (1 + quadratic.theory),
        }),
      },
    };
  },
});

/** ReLU layers without biases, one output. */
const randomLayers = (d: number, width: number, L: number, random: Random): readonly DenseLayer[] =>
  Array.from({ length: L }, (_, l) => {
    const [rows, columns] = [l === L - 1 ? 1 : width, l === 0 ? d : width];
    return { W: Array.from({ length: rows }, () => [...random.normal(columns)]) };
  });

const times = ({ W }: DenseLayer, c: number): DenseLayer => ({ W: W.map((row) => row.map((v) => c * v)) });
const outputOf = (layers: readonly DenseLayer[], x: readonly number[]): number =>
  preActivations(layers, "relu", x).at(-1)![0]!;

/** (1/m) sum (f(x) - y)^2. */
const riskOf = (layers: readonly DenseLayer[], examples: readonly Example[]): number =>
  examples.reduce((sum, { x, y }) => sum + (outputOf(layers, x) - y) ** 2, 0) / examples.length;

/** E <theta, grad l>^2 by backpropagation, and by Euler's identity for functions of degree L in theta. */
function fisherRao(layers: readonly DenseLayer[], examples: readonly Example[]) {
  let [fromGradients, fromOutputs] = [0, 0];
  for (const { x, y } of examples) {
    const f = outputOf(layers, x);
    const slope = 2 * (f - y);
    const gradient = backpropagate(layers, "relu", x, [slope]);
    const along = layers.reduce(
      (sum, { W }, l) =>
        sum + W.reduce((s, row, i) => s + row.reduce((t, w, k) => t + w * gradient[l]!.W[i]![k]!, 0), 0),
      0,
    );
    fromGradients += along ** 2 / examples.length;
    fromOutputs += (layers.length * f * slope) ** 2 / examples.length;
  }
  return { fromGradients, fromOutputs };
}

/**
 * The trace of the Hessian in the weights of one layer: f is piecewise linear in these, so that it is
 * (2/m) sum |grad f|^2 away from kinks.
 */
const blockTrace = (layers: readonly DenseLayer[], examples: readonly Example[], l: number): number =>
  examples.reduce((sum, { x }) => {
    const { W } = backpropagate(layers, "relu", x, [1])[l]!;
    return sum + W.reduce((s, row) => s + row.reduce((t, g) => t + g * g, 0), 0);
  }, 0) *
  (2 / examples.length);

const step = 1e-3;

/** The trace by second differences in every weight; undefined if a step crosses a kink. */
function traceByDifferences(layers: readonly DenseLayer[], examples: readonly Example[]): number | undefined {
  const pattern = (network: readonly DenseLayer[]): string =>
    examples
      .map(({ x }) =>
        preActivations(network, "relu", x)
          .slice(0, -1)
          .flat()
          .map((z) => (z > 0 ? 1 : 0))
          .join(""),
      )
      .join();
  const risk = riskOf(layers, examples);
  let sum = 0;
  for (const [l, { W }] of layers.entries())
    for (const [i, row] of W.entries())
      for (const k of row.keys()) {
        const [ahead, behind] = [step, -step].map((h) =>
          layers.map((layer, j) =>
            j === l ? { W: W.map((r, p) => r.map((v, q) => (p === i && q === k ? v + h : v))) } : layer,
          ),
        ) as [DenseLayer[], DenseLayer[]];
        if (pattern(ahead) !== pattern(layers) || pattern(behind) !== pattern(layers)) return undefined;
        sum += (riskOf(ahead, examples) + riskOf(behind, examples) - 2 * risk) / step ** 2;
      }
  return sum;
}

/** The direction with each unit's weights as long as the network's own. */
const filterNormalized = (
  direction: readonly DenseLayer[],
  network: readonly DenseLayer[],
): readonly DenseLayer[] =>
  direction.map(({ W }, l) => ({
    W: W.map((row, i) => {
      const factor = Math.hypot(...network[l]!.W[i]!) / Math.hypot(...row);
      return row.map((v) => v * factor);
    }),
  }));

const moveAlong = (
  network: readonly DenseLayer[],
  direction: readonly DenseLayer[],
  t: number,
): readonly DenseLayer[] =>
  network.map(({ W }, l) => ({ W: W.map((row, i) => row.map((v, k) => v + t * direction[l]!.W[i]![k]!)) }));

/** Linear least squares: r is quadratic with the Hessian (2/m) X^T X; it is moved away from its minimum. */
function quadraticSharpness(
  examples: readonly Example[],
  d: number,
  rho: number,
  tries: number,
  random: Random,
) {
  const entry = (i: number, j: number): number =>
    (2 / examples.length) * examples.reduce((sum, { x }) => sum + x[i]! * x[j]!, 0);
  const hessian = Array.from({ length: d }, (_, i) => Array.from({ length: d }, (__, j) => entry(i, j)));
  const { values, vectors } = symmetricEigen(hessian);
  const linear = Array.from(
    { length: d },
    (_, i) => (2 / examples.length) * examples.reduce((sum, { x, y }) => sum + x[i]! * y, 0),
  );
  // The minimum of least norm: along each eigenvector, the slope over the curvature.
  const minimum = new Float64Array(d);
  values.forEach((value, k) => {
    if (value < 1e-9 * values.at(-1)!) return;
    const along = vectors[k]!.reduce((sum, v, i) => sum + v * linear[i]!, 0) / value;
    vectors[k]!.forEach((v, i) => {
      minimum[i]! += along * v;
    });
  });
  const risk = (theta: ArrayLike<number>): number =>
    examples.reduce((sum, { x, y }) => sum + (x.reduce((s, v, i) => s + v * theta[i]!, 0) - y) ** 2, 0) /
    examples.length;
  const rise = (v: ArrayLike<number>): number => risk(minimum.map((w, i) => w + rho * v[i]!)) - risk(minimum);
  let most = 0;
  for (let k = 0; k < tries; k++) most = Math.max(most, rise(random.sphere(d)));
  return { random: most, top: rise(vectors.at(-1)!), theory: 0.5 * rho ** 2 * values.at(-1)! };
}

/** The same function, its Hessian's trace and its rise along a direction as units are rescaled. */
function figure(
  layers: readonly DenseLayer[],
  examples: readonly Example[],
  direction: readonly DenseLayer[],
): Figure {
  const factors = Array.from({ length: 33 }, (_, k) => 2 ** ((k - 16) / 4));
  const scaled = (c: number) => layers.map((layer, l) => times(layer, l === 0 ? c : l === 1 ? 1 / c : 1));
  const curve = (value: (network: readonly DenseLayer[]) => number) =>
    factors.flatMap((c) => {
      const v = value(scaled(c));
      return v > 0 ? [[c, v] as const] : [];
    });
  const rise = (network: readonly DenseLayer[], along: readonly DenseLayer[]): number =>
    riskOf(moveAlong(network, along, 0.3), examples) - riskOf(network, examples);
  return {
    title: "One function, many weights: the first layer times c, the second over c",
    panels: [
      {
        title: "Measures of flatness",
        x: { label: "c", scale: "log" },
        y: { label: "measure", scale: "log" },
        series: [
          {
            name: "trace of the Hessian",
            mark: "line",
            points: curve((network) =>
              layers.reduce((sum, _, l) => sum + blockTrace(network, examples, l), 0),
            ),
          },
          {
            name: "rise along a fixed direction",
            mark: "line",
            points: curve((network) => Math.abs(rise(network, direction))),
          },
          {
            name: "rise along it, filter-normalized",
            mark: "line",
            points: curve((network) => Math.abs(rise(network, filterNormalized(direction, network)))),
          },
          {
            name: "squared Fisher-Rao norm",
            mark: "line",
            points: curve((network) => fisherRao(network, examples).fromGradients),
          },
        ],
      },
    ],
  };
}
