import { sampleGradients, tangentKernel } from "../../dynamics/sample-gradients.ts";
import type { Figure } from "../../figure/figure.ts";
import { activation } from "../../functions/activation.ts";
import { tensor } from "../../graph/tensor.ts";
import { empiricalKernel } from "../../kernels/empirical-kernel.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { type DenseLayer, denseNetwork, preActivations } from "../../train/dense-network.ts";
import { weightVector } from "../../train/empirical-risk.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

export default lemma({
  id: "T-18",
  covers: ["T-18", "C1a-31"],
  kind: "algorithm",
  title: "The tangent kernel of a network, layer by layer, and regression with it",
  source: "Telgarsky, section 3.3; book, (1.23)",
  statement: String.raw`K(x, x') = \langle \nabla_\theta \Phi(x), \nabla_\theta \Phi(x') \rangle = \sum_\ell \langle \delta^\ell(x), \delta^\ell(x') \rangle \left( \langle \bar\Phi^{\ell-1}(x), \bar\Phi^{\ell-1}(x') \rangle + 1 \right), \qquad w_\lambda = w_0 + J^\top (J J^\top + \lambda I)^+ (y - F(X; w_0)), \quad w_{\mathrm{ols}} = w_{\lambda = 0}`,
  parameters: {
    L: integer({ min: 1, max: 4, default: 3, label: "layers" }),
    d: integer({ min: 1, max: 4, default: 2, label: "inputs" }),
    n: integer({ min: 1, max: 10, default: 6, label: "hidden units (tanh)" }),
    m: integer({ min: 2, max: 8, default: 6, label: "examples" }),
    lambda: real({ min: 0, max: 1, default: 0, label: "ridge λ" }),
    biases: choice(["with", "without"], { label: "biases" }),
  },
  claims: {
    "J Jᵀ less the sum over layers, greatest entry": equals("0"),
    "K(x, x'), by the gradients": equals(
      String.raw`\sum_\ell \langle \delta^\ell(x), \delta^\ell(x') \rangle (\langle \bar\Phi^{\ell-1}(x), \bar\Phi^{\ell-1}(x') \rangle + 1), \text{ by the chain rule; without } 1 \text{ for no biases}`,
    ),
    "least eigenvalue": atLeast("0"),
    rank: atMost("P"),
    "greatest residual of the linear model at w_ols": equals("0"),
    "greatest residual of the linear model at w_ols, as printed": equals("0").printed({
      where: 'section 3.3, "The standard ordinary least squares solution is"',
      printed: String.raw`w_{\text{ols}} := [\bar{\partial}F(X; w_0)^\top \bar{\partial}F(X; w_0)]^+ \bar{\partial}F(X; w_0) (y - F(X; w_0))`,
      corrected: String.raw`w_{\text{ols}} := w_0 + [\bar{\partial}F(X; w_0)^\top \bar{\partial}F(X; w_0)]^+ \bar{\partial}F(X; w_0)^\top (y - F(X; w_0))`,
    }),
    "residual of the linear model at w_λ, first example": equals(
      String.raw`\lambda \alpha_1, \quad \alpha = (J J^\top + \lambda I)^+ (y - F(X; w_0))`,
    ),
    "change of the prediction at a new point, by w_ols": equals(
      String.raw`k(x, X) (J J^\top)^+ (y - F(X; w_0))`,
    ),
  },
  mutants: {
    "biases forgotten": ({ biases }) => ({ biases: biases === "with" ? "without" : "with" }),
    "the ridge of 1 kept": () => ({ lambda: 1 }),
    "twice the kernel": {
      "change of the prediction at a new point, by w_ols": (_, { theory }) => 2 * theory,
    },
  },
  async run({ L, d, n, m, lambda, biases }, { random, budget, progress }) {
    const layers = draw([d, ...Array<number>(L - 1).fill(n), 1], biases === "with", random);
    const net = denseNetwork(layers, "tanh");
    const points = Array.from({ length: m + 1 }, () => [...random.normal(d)]);
    const { start } = weightVector(net);
    const rows = await sampleGradients(net, tensor(points))(start);
    const all = tangentKernel(rows);
    const { ntk, weights } = await empiricalKernel(net, tensor(points), { perWeight: true });
    await progress(0.6);
    const gram = all.slice(0, m).map((row) => row.slice(0, m));
    const eigen = symmetricEigen(gram);
    const size = eigen.values.at(-1)!;
    const cut = 2 ** -44 * size;
    const values = points.map((x) => preActivations(layers, "tanh", x).at(-1)![0]!);
    const wanted = [...random.normal(m)].map((v, i) =>
      eigen.values[0]! > cut ? v : values[i]! + all[i]![0]!,
    );
    const missing = wanted.map((y, i) => y - values[i]!);
    const alpha = inverseTimes(eigen, missing, 0, cut);
    const ridge = inverseTimes(eigen, missing, lambda, cut);
    /** J^T alpha. */
    const along = (a: readonly number[]): Float64Array =>
      rows[0]!.map((_, k) => a.reduce((s, v, i) => s + v * rows[i]![k]!, 0));
    const step = along(alpha);
    const moved = (i: number, w: Float64Array): number =>
      values[i]! + rows[i]!.reduce((s, g, k) => s + g * w[k]!, 0);
    const residual = (w: Float64Array): number =>
      Math.max(...wanted.map((y, i) => Math.abs(moved(i, w) - y)));
    const without = step.map((v, k) => v - start[k]!);
    const tolerance = (1e-9 * size * (1 + Math.max(...alpha.map(Math.abs)))) / Math.min(1, size);
    return {
      graph: net,
      ...(budget !== "cheap" && { figure: figure(eigen.values, weights, m) }),
      claims: {
        "J Jᵀ less the sum over layers, greatest entry": checked(
          Math.max(...all.flatMap((row, i) => row.map((k, j) => Math.abs(k - ntk[i * (m + 1) + j]!)))),
          0,
          { tolerance: 2 ** -44 * size },
        ),
        "K(x, x'), by the gradients": checked(all[0]![1]!, byLayers(layers, points[0]!, points[1]!), {
          tolerance: 2 ** -44 * size,
        }),
        "least eigenvalue": checked(eigen.values[0]!, 0, { tolerance: cut }),
        rank: checked(eigen.values.filter((v) => v > cut).length, start.length),
        "greatest residual of the linear model at w_ols": checked(residual(step), 0, { tolerance }),
        "greatest residual of the linear model at w_ols, as printed": checked(residual(without), 0, {
          tolerance,
        }),
        "residual of the linear model at w_λ, first example": checked(
          wanted[0]! - moved(0, along(ridge)),
          lambda * ridge[0]!,
          { tolerance },
        ),
        "change of the prediction at a new point, by w_ols": checked(
          moved(m, step) - values[m]!,
          alpha.reduce((s, a, i) => s + a * all[m]![i]!, 0),
          { tolerance },
        ),
      },
    };
  },
});

function draw(widths: readonly number[], biased: boolean, random: Random): readonly DenseLayer[] {
  return widths.slice(1).map((rows, l) => {
    const W = Array.from({ length: rows }, () =>
      Array.from(random.normal(widths[l]!), (v) => v / Math.sqrt(widths[l]!)),
    );
    const b = [...random.normal(rows)];
    return biased ? { W, b } : { W };
  });
}

/** (K + lambda)^+ y. */
const inverseTimes = (
  { values, vectors }: ReturnType<typeof symmetricEigen>,
  y: readonly number[],
  lambda: number,
  cut: number,
): readonly number[] =>
  y.map((_, i) =>
    values.reduce((sum, value, k) => {
      const v = vectors[k]!;
      const shifted = value + lambda;
      return shifted > cut ? sum + (v[i]! * v.reduce((s, e, j) => s + e * y[j]!, 0)) / shifted : sum;
    }, 0),
  );

/** The kernel of two points by hand: deltas go back from the output, and each layer adds its part. */
function byLayers(layers: readonly DenseLayer[], x: readonly number[], z: readonly number[]): number {
  const { value, derivative } = activation("tanh");
  const [left, right] = [x, z].map((point) => {
    const before = preActivations(layers, "tanh", point);
    const inputs = [point, ...before.slice(0, -1).map((h) => h.map(value))];
    const deltas: (readonly number[])[] = [[1]];
    for (let l = layers.length - 1; l > 0; l--)
      deltas.unshift(
        before[l - 1]!.map(
          (h, j) => derivative(1, h) * deltas[0]!.reduce((s, g, i) => s + g * layers[l]!.W[i]![j]!, 0),
        ),
      );
    return { inputs, deltas };
  });
  return layers.reduce(
    (sum, { b }, l) =>
      sum +
      dot(left!.deltas[l]!, right!.deltas[l]!) * (dot(left!.inputs[l]!, right!.inputs[l]!) + (b ? 1 : 0)),
    0,
  );
}

/** The spectrum, and how much of the trace each weight has. */
function figure(values: readonly number[], weights: ReadonlyMap<string, Float64Array>, m: number): Figure {
  const trace = (k: Float64Array): number =>
    Array.from({ length: m }, (_, i) => k[i * (m + 1) + i]!).reduce((s, v) => s + v, 0);
  return {
    title: "The tangent kernel of a network",
    panels: [
      {
        title: "Eigenvalues",
        x: { label: "number" },
        y: { label: "eigenvalue", scale: "log" },
        series: [
          {
            name: "JJᵀ",
            mark: "dots",
            points: values.toReversed().flatMap((v, k) => (v > 0 ? [[k + 1, v] as const] : [])),
          },
        ],
      },
      {
        title: "Share of each weight in the trace",
        x: { label: "weight", names: [...weights.keys()] },
        y: { label: "trace" },
        series: [{ name: "trace", mark: "dots", points: [...weights.values()].map((k, l) => [l, trace(k)]) }],
      },
    ],
  };
}
