import { activation } from "../../construct/activation.ts";
import { symmetryGroup } from "../../symmetry/group.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import {
  type Dense,
  differenceOf,
  networkOfDense,
  randomDense,
  denseRounding as tolerance,
} from "./dense.ts";

/** The identity from -1 to 1, flat beyond. */
const hardTanh = (z: number): number => Math.max(-1, Math.min(1, z));

export default lemma({
  id: "S-04",
  covers: ["S-04"],
  kind: "algorithm",
  title: "Scaling a unit on the way in and on the way out",
  source: "Shen, slides of April 2024, functionally equivalent networks via scaling",
  statement: String.raw`\sigma(\lambda z) = \lambda^p \sigma(z): \quad (W^{(l)}, b^{(l)}) \to (A W^{(l)}, A b^{(l)}), \; W^{(l+1)} \to W^{(l+1)} A^{-p}, \quad A = \operatorname{diag}(\alpha_j) > 0`,
  parameters: {
    activation: choice(["relu", "leakyRelu(0.1)", "repu(2)"], { label: "activation" }),
    width: integer({ min: 1, max: 30, default: 8, label: "units a layer" }),
    depth: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
    spread: real({ min: 0, max: 1, default: 0.5, label: "spread of ln α" }),
  },
  claims: {
    "difference, one α for each unit": equals("0"),
    "difference, one α for a layer": equals("0"),
    "l1 path norm after, over before": equals("1"),
    "dimension of the group that the graph shows": equals(String.raw`\sum_l d_l`),
    "difference with a piecewise-linear activation (hard tanh)": equals("0").printed({
      where: "slide Scaling Invariance",
      printed: "applicable to ReLU, Leaky ReLU, and piecewise-linear activated networks",
      corrected:
        "only where the activation is positively homogeneous: hard tanh is piecewise linear and is not",
    }),
  },
  async run({ activation: name, width, depth, spread }, { random, scale }) {
    const p = activation(name).homogeneity!;
    const layers = randomDense(random, [3, ...Array.from({ length: depth }, () => width), 2]);
    const net = networkOfDense(layers, name);
    const alphas = Array.from({ length: depth }, () =>
      Array.from(random.normal(width), (g) => Math.exp(spread * g)),
    );
    const scaled = rescaled(layers, alphas, p);
    const common = alphas.map((a) => a.map(() => a[0]!));
    const difference = (other: readonly Dense[]) =>
      differenceOf(net, networkOfDense(other, name), random, 3, scale(200));
    return {
      graph: networkOfDense(scaled, name),
      claims: {
        "difference, one α for each unit": sampled(await difference(scaled), 0, { tolerance }),
        "difference, one α for a layer": sampled(await difference(rescaled(layers, common, p)), 0, {
          tolerance,
        }),
        ...(p === 1 && {
          "l1 path norm after, over before": checked(pathNorm(scaled) / pathNorm(layers), 1, { tolerance }),
        }),
        "dimension of the group that the graph shows": checked(symmetryGroup(net).dimension, depth * width),
        "difference with a piecewise-linear activation (hard tanh)": checked(hardTanhGap(2, 1), 0),
      },
    };
  },
});

/** |hardTanh(α z) / α - hardTanh(z)|: one unit, in and out. */
const hardTanhGap = (alpha: number, z: number): number => Math.abs(hardTanh(alpha * z) / alpha - hardTanh(z));

/** Row j of a hidden layer times α_j, column j of the next over α_j^p. */
function rescaled(
  layers: readonly Dense[],
  alphas: readonly (readonly number[])[],
  p: number,
): readonly Dense[] {
  return layers.map(({ weights, bias }, l) => ({
    weights: weights.map((row, i) =>
      row.map((w, j) => (w * (alphas[l]?.[i] ?? 1)) / (alphas[l - 1]?.[j] ?? 1) ** p),
    ),
    bias: bias.map((b, i) => b * (alphas[l]?.[i] ?? 1)),
  }));
}

/** The sum over all paths of the products of their weights, in size: 1^T |W_L| ... |W_1| 1. */
function pathNorm(layers: readonly Dense[]): number {
  const paths = layers.reduce<readonly number[]>(
    (before, { weights }) =>
      weights.map((row) => row.reduce((sum, w, j) => sum + Math.abs(w) * (before[j] ?? 1), 0)),
    [],
  );
  return paths.reduce((a, b) => a + b, 0);
}
