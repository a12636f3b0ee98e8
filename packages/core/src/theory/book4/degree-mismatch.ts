import type { Figure } from "../../figure/figure.ts";
import { tensor } from "../../graph/tensor.ts";
import { homogeneity } from "../../landscape/certificate/homogeneity.ts";
import { hessianSpectrum } from "../../landscape/point/hessian-spectrum.ts";
import { weightObjective } from "../../landscape/point/weight-objective.ts";
import { doubles, type MatrixOf, matrixAlgebra } from "../../linear-algebra/matrix-algebra.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C4-17",
  covers: ["C4-17"],
  kind: "measure",
  title: "Penalty and network must have the same degree: weight decay on deep subnetworks does not",
  source: "Book, chapter 4, Definition 4.7 and Theorem 4.9",
  statement: String.raw`\phi(\alpha W) = \alpha^L \phi(W), \quad \theta(W) = \tfrac12 \sum_l \|W_l\|^2 \text{ of degree } 2: \text{ for } L \ge 3 \text{ the zero subnetwork is a strict local minimum of } (1 - w_1 \cdots w_L)^2 + \tfrac{\lambda}{2} \sum_l w_l^2, \text{ though not a global one}`,
  parameters: {
    L: integer({ min: 2, max: 5, default: 3, label: "layers" }),
    decay: real({ min: 0.01, max: 0.2, default: 0.1, label: "weight decay λ" }),
  },
  claims: {
    "degree of the network in its weights": equals("L"),
    "degree of weight decay": equals("2"),
    "degree of the product of norms": equals("L"),
    "degrees that fit a network with a bias behind its first layer": equals("0"),
    "least eigenvalue of the Hessian at 0": equals(
      String.raw`\lambda - 2 \; (L = 2), \; \lambda \; (L \ge 3)`,
    ),
    "objective at 0 less the least on the diagonal": atLeast("0"),
    "objective of the printed chain, 3 layers: its least value": equals("0.1448"),
    "W₂ W₁ᵀ less the sum of w₂ w₁ᵀ over hidden units": equals("0"),
    "W₂ W₁ᵀ less the sum of w₁ w₂ᵀ": equals("0").printed({
      where: "after (4.45), against (4.44)",
      printed: String.raw`Clearly,  $\phi(\mathbf{X}, \mathbf{w}^{[1]}, \mathbf{w}^{[2]}) = \mathbf{w}^{[1]}(\mathbf{w}^{[2]})^\top$`,
      corrected: String.raw`$w^{[2]} (w^{[1]})^\top$: what is printed are the columns of the transpose`,
    }),
    "U Vᵀ less W₂ W₁ᵀ for (W₁, W₂) = (U, V)": equals("0").printed({
      where: "before (4.11), against (4.44)",
      printed: String.raw`the network weights  $(\mathbf{W}^{[1]}, \mathbf{W}^{[2]}) = (\mathbf{U}, \mathbf{V})$`,
      corrected: String.raw`$(W^{[1]}, W^{[2]}) = (V, U)$, for which (4.44) is $U V^\top$`,
    }),
  },
  mutants: {
    "flat at 0 for L = 2 already": {
      "least eigenvalue of the Hessian at 0": ({ decay }) => decay,
    },
    "decay without its half": {
      "least eigenvalue of the Hessian at 0": ({ decay }, { theory }) => theory + decay,
    },
    "a layer more": ({ L }) => ({ L: L + 1 }),
  },
  async run({ L, decay }, { random }) {
    const relu = (v: number): number => Math.max(0, v);
    // Of two inputs one passes the first layer, and of a ray's weights w_2 .. w_(L-1) all must be positive: one in 2^(L-2).
    const network = async (w: Float64Array): Promise<Float64Array> =>
      Float64Array.from([1, -1], (x) => w.slice(1).reduce((z, v) => v * relu(z), w[0]! * x));
    const withBias = async (w: Float64Array): Promise<Float64Array> =>
      Float64Array.from([1, -1], (x) => w.slice(1).reduce((z, v) => v * relu(z + 1), w[0]! * x));
    const squares = async (w: Float64Array): Promise<Float64Array> =>
      Float64Array.of(w.reduce((sum, v) => sum + v * v, 0) / 2);
    const product = async (w: Float64Array): Promise<Float64Array> =>
      Float64Array.of(w.reduce((p, v) => p * Math.abs(v), 1));
    const origin = denseNetwork(
      Array.from({ length: L }, () => ({ W: [[0]] })),
      "linear",
    );
    const objective = weightObjective(
      origin,
      { x: tensor([[1]]), target: tensor([[1]]) },
      { loss: "square", decay },
    );
    const spectrum = await hessianSpectrum((v) => objective.curvature(objective.start, v), L, {
      random: createRandom(1),
      rounding: 1e-12,
    });
    const least = leastOn((w) => (1 - w ** L) ** 2 + (decay / 2) * L * w * w);
    const degree = async (f: (w: Float64Array) => Promise<Float64Array>, label: string) =>
      (await homogeneity(f, L, random.split(label), { rays: 200 })).degree ?? Number.POSITIVE_INFINITY;
    return {
      graph: origin,
      figure: figure(L, decay),
      claims: {
        "degree of the network in its weights": checked(await degree(network, "network"), L),
        "degree of weight decay": checked(await degree(squares, "decay"), 2),
        "degree of the product of norms": checked(await degree(product, "norms"), L),
        "degrees that fit a network with a bias behind its first layer": checked(
          (await degree(withBias, "bias")) === Number.POSITIVE_INFINITY ? 0 : 1,
          0,
        ),
        "least eigenvalue of the Hessian at 0": checked(spectrum.min, L === 2 ? decay - 2 : decay, {
          tolerance: 1e-12,
        }),
        "objective at 0 less the least on the diagonal": checked(
          (await objective.value(objective.start)) - least,
          0,
        ),
        "objective of the printed chain, 3 layers: its least value": checked(
          leastOn((w) => 0.5 * (1 - w ** 3) ** 2 + 0.15 * w * w),
          0.1448,
          // Four digits are known.
          { tolerance: 5e-5 },
        ),
        ...productClaims(random.split("product")),
      },
    };
  },
});

/** (4.44) with as many inputs as outputs, where both orders of the factors can be compared: whole numbers. */
function productClaims(random: Random) {
  const { product, transpose, plus, minus } = matrixAlgebra(doubles);
  const [inputs, units] = [2, 3];
  const draw = (label: string) =>
    Array.from({ length: inputs }, (_, i) =>
      Array.from({ length: units }, (__, k) => random.split(`${label} ${i} ${k}`).integer(-4, 4)),
    );
  const [first, second] = [draw("first"), draw("second")];
  const column = (w: MatrixOf<number>, k: number) => w.map((row) => [row[k]!]);
  const sum = (left: MatrixOf<number>, right: MatrixOf<number>) =>
    plus(...Array.from({ length: units }, (_, k) => product(column(left, k), transpose(column(right, k)))));
  const off = (a: MatrixOf<number>, b: MatrixOf<number>) => Math.hypot(...minus(a, b).flat());
  const map = product(second, transpose(first));
  return {
    "W₂ W₁ᵀ less the sum of w₂ w₁ᵀ over hidden units": checked(off(map, sum(second, first)), 0),
    "W₂ W₁ᵀ less the sum of w₁ w₂ᵀ": checked(off(map, sum(first, second)), 0),
    // U = W₁ and V = W₂, as they are named before (4.11).
    "U Vᵀ less W₂ W₁ᵀ for (W₁, W₂) = (U, V)": checked(off(product(first, transpose(second)), map), 0),
  };
}

/** The chain with all weights alike, with a penalty of degree 2 and one of its own degree: as a whole, and near 0. */
function figure(L: number, decay: number): Figure {
  const series = (end: number, from: number) => {
    const weights = Array.from({ length: 121 }, (_, k) => (end * k) / 120);
    const along = (penalty: (w: number) => number) =>
      weights.map((w) => [w, (1 - w ** L) ** 2 + decay * penalty(w) - from] as const);
    return [
      { name: "weight decay, degree 2", mark: "line" as const, points: along((w) => (L / 2) * w * w) },
      { name: `powers of degree ${L}`, mark: "line" as const, points: along((w) => w ** L) },
    ];
  };
  // Where decay and the chain's first order are one another's equal.
  const edge = L === 2 ? 0.2 : ((decay * L) / 4) ** (1 / (L - 2));
  return {
    title: "Weight decay on a chain",
    panels: [
      {
        title: `${L} layers, decay ${Number(decay.toPrecision(3))}`,
        x: { label: "each weight" },
        y: { label: "objective" },
        series: series(1.3, 0),
      },
      {
        title: "Near 0",
        x: { label: "each weight" },
        y: { label: "objective less that at 0" },
        series: series(1.3 * edge, 1),
      },
    ],
  };
}

/** By a fine grid, then golden sections around its least value. */
function leastOn(f: (w: number) => number): number {
  let best = 0;
  for (let w = 0; w <= 1.5; w += 1e-3) if (f(w) < f(best)) best = w;
  let [low, high] = [best - 1e-3, best + 1e-3];
  for (let k = 0; k < 80; k++) {
    const [a, b] = [low + 0.4 * (high - low), low + 0.6 * (high - low)];
    if (f(a) < f(b)) high = b;
    else low = a;
  }
  return f((low + high) / 2);
}
