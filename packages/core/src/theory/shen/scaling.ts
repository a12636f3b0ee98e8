import { symmetryGroup } from "../../equivalence/group.ts";
import { activation } from "../../functions/activation.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import {
  type Dense,
  denseValue,
  differenceOf,
  networkOfDense,
  randomDense,
  runtimeValue,
  denseRounding as tolerance,
} from "./dense.ts";

/** The identity from -1 to 1, flat beyond. */
const hardTanh = (z: number): number => Math.max(-1, Math.min(1, z));

const names = ["relu", "leakyRelu(0.1)", "repu(2)"] as const;
type Name = (typeof names)[number];

export default lemma({
  id: "S-04",
  covers: ["S-04"],
  kind: "algorithm",
  title: "Scaling a unit on the way in and on the way out",
  source: "Shen, slides of April 2024, functionally equivalent networks via scaling",
  statement: String.raw`\sigma(\lambda z) = \lambda^p \sigma(z): \quad (W^{(l)}, b^{(l)}) \to (A W^{(l)}, A b^{(l)}), \; W^{(l+1)} \to W^{(l+1)} A^{-p}, \quad A = \operatorname{diag}(\alpha_j) > 0`,
  parameters: {
    activation: choice(names, { label: "activation" }),
    width: integer({ min: 1, max: 30, default: 8, label: "units a layer" }),
    depth: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
    tenths: integer({ min: 0, max: 10, default: 5, label: "spread of ln α, in tenths" }),
    q: integer({ min: 0, max: 3, default: 1, label: "power of α on the way out" }),
  },
  claims: {
    "difference, one α for each unit": equals("0"),
    "difference, one α for a layer": equals("0"),
    "l1 path norm after, over before": equals("1"),
    "dimension of the group that the graph shows": equals(String.raw`\sum_l d_l`),
    "output, all units times α, the next weights over α^q": equals(
      String.raw`\alpha^{p - q} \text{ times the output}`,
    ),
    "difference with a piecewise-linear activation (hard tanh)": equals("0").printed({
      where: "slide Scaling Invariance",
      printed: "$\\text{Applicable to ReLU, Leaky ReLU, and piecewise-linear activated networks.}$",
      corrected:
        "$\\text{to networks with positively homogeneous activations, such as ReLU and Leaky ReLU; hard tanh is piecewise linear and is not}$",
    }),
  },
  mutants: {
    "q = p + 1 on the way out": {
      "output, all units times α, the next weights over α^q": ({ tenths }, { theory }) =>
        theory / Math.exp(tenths / 10),
    },
    "one scale a layer": { "dimension of the group that the graph shows": ({ depth }) => depth },
    "the outputs scaled too": {
      "dimension of the group that the graph shows": ({ depth, width }) => depth * width + 2,
    },
  },
  async run({ activation: name, width, depth, tenths, q }, { random, scale }) {
    const { homogeneity, value: sigma } = activation(name);
    const [p, spread] = [homogeneity!, tenths / 10];
    const layers = randomDense(random, [3, ...Array.from({ length: depth }, () => width), 2]);
    const net = networkOfDense(layers, name);
    const alphas = Array.from({ length: depth }, () =>
      Array.from(random.normal(width), (g) => Math.exp(spread * g)),
    );
    const scaled = rescaled(layers, alphas, p);
    const common = alphas.map((a) => a.map(() => a[0]!));
    const points = Array.from({ length: scale(200) }, () => Array.from(random.normal(3)));
    const apart = (rho: (z: number) => number, other: readonly Dense[]): number =>
      Math.max(
        ...points.map((x) => {
          const [before, after] = [denseValue(layers, rho, x), denseValue(other, rho, x)];
          return Math.max(...before.map((v, i) => Math.abs(v - after[i]!) / (1 + Math.abs(v))));
        }),
      );
    const plainRounding = tolerance * width; // one output may be small where sums of many terms are not
    return {
      graph: networkOfDense(scaled, name),
      claims: {
        "difference, one α for each unit": sampled(
          await differenceOf(net, networkOfDense(scaled, name), random, 3, scale(200)),
          0,
          { tolerance },
        ),
        "difference, one α for a layer": sampled(apart(sigma, rescaled(layers, common, p)), 0, {
          tolerance: plainRounding,
        }),
        ...(p === 1 && {
          "l1 path norm after, over before": checked(pathNorm(scaled) / pathNorm(layers), 1, { tolerance }),
        }),
        "dimension of the group that the graph shows": checked(symmetryGroup(net).dimension, depth * width),
        "output, all units times α, the next weights over α^q": await otherPower(
          [layers[0]!, { ...layers.at(-1)!, bias: [0, 0] }],
          { name, alpha: Math.exp(spread), p, q },
          points[0]!,
        ),
        "difference with a piecewise-linear activation (hard tanh)": sampled(apart(hardTanh, scaled), 0, {
          tolerance: plainRounding,
        }),
      },
    };

    /** One hidden layer, run; against the original, by plain sums. */
    async function otherPower(
      shallow: readonly [Dense, Dense],
      { name, alpha, p, q }: { name: Name; alpha: number; p: number; q: number },
      x: readonly number[],
    ) {
      const after = rescaled(shallow, [shallow[0].bias.map(() => alpha)], q);
      const [measured] = await runtimeValue(networkOfDense(after, name), x);
      const [before] = denseValue(shallow, sigma, x);
      return sampled(measured!, alpha ** (p - q) * before!, { tolerance: tolerance * width });
    }
  },
});

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
