import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { covariancesOf } from "../../landscape/linear/covariances.ts";
import { linearMinimum } from "../../landscape/linear/global-minimum.ts";
import { type Chain, chainNorm, linearRisk } from "../../landscape/linear/linear-risk.ts";
import { doubles, type MatrixOf, matrixAlgebra } from "../../linear-algebra/matrix-algebra.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import { singularDecomposition } from "../../linear-algebra/svd.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C4-05",
  covers: ["C4-05", "C4-07"],
  kind: "construction",
  title: "The least risk of a linear network in closed form; a linear autoencoder is PCA",
  source: "Book, chapter 4, Theorems 4.2 and 4.3, (4.26)",
  statement: String.raw`\min_{U, V} \mathcal R = \operatorname{tr} \Sigma_{yy} - \sum_{i \le n_1} \lambda_i(\Sigma_{yx} \Sigma_{xx}^+ \Sigma_{xy}), \quad U V^\top = Q_{1:n_1} Q_{1:n_1}^\top \Sigma_{yx} \Sigma_{xx}^+; \qquad y = x: \; \mathcal R^* = \sum_{i > n_1} \lambda_i(\Sigma_{xx})`,
  parameters: {
    n0: integer({ min: 1, max: 6, default: 5, label: "inputs" }),
    n1: integer({ min: 1, max: 4, default: 2, label: "hidden units" }),
    n2: integer({ min: 1, max: 5, default: 4, label: "outputs" }),
    m: integer({ min: 2, max: 20, default: 12, label: "examples: Σxx is singular for fewer than inputs" }),
  },
  claims: {
    "mean square error of the weights on ONNX Runtime": equals(
      String.raw`\tfrac1m \bigl( \|Y\|^2 - \sum_{i \le n_1} \sigma_i(Y \Pi_X)^2 \bigr)`,
    ),
    "closed form of the least risk": equals(
      String.raw`\tfrac1m \bigl( \|Y\|^2 - \sum_{i \le n_1} \sigma_i(Y \Pi_X)^2 \bigr)`,
    ),
    "gradient at the weights, relative to tr Σyy": equals("0"),
    "balance |UᵀU - VᵀV|": equals("0"),
    "least risk that gradient descent finds": atLeast("the closed form"),
    "autoencoder: least risk": equals(String.raw`\sum_{i > n_1} \lambda_i(\Sigma_{xx})`),
    "autoencoder: distance of the map from the projector on principal directions": equals("0"),
    "directions of the inputs that the data do not show": equals(String.raw`\max(0, n_0 - m)`),
  },
  mutants: {
    "one eigenvalue too few taken off": ({ n1 }) => ({ n1: Math.max(1, n1 - 1) }),
    "the sum over i ≤ n1 for an autoencoder": {
      "autoencoder: least risk": ({ n0, n1 }, { theory }) => (n0 === n1 ? theory + 1 : theory * 2 + 1e-3),
    },
    "every direction is seen": { "directions of the inputs that the data do not show": () => 0 },
  },
  async run({ n0, n1, n2, m }, { random, progress, budget }) {
    const draw = (columns: number, label: string): number[][] =>
      Array.from({ length: m }, (_, i) => [...random.split(`${label} ${i}`).normal(columns)]);
    const [x, y] = [draw(n0, "x"), draw(n2, "y")];
    const covariances = covariancesOf(x, y);
    const total = covariances.yy.reduce((sum, row, i) => sum + row[i]!, 0);
    const minimum = linearMinimum(covariances, [n0, n1, n2]);
    const rank = Math.min(n0, n1, n2);
    const theory = await leastRisk(x, y, rank);
    const risk = linearRisk(matrixAlgebra(doubles), covariances);
    await progress(0.3);
    const descended = descent(covariances, { n0, n1, n2 }, random.split("start").normal(n1 * (n0 + n2)));
    const net = denseNetwork(
      minimum.weights.map((W) => ({ W })),
      "linear",
    );
    const own = covariancesOf(x, x);
    const auto = linearMinimum(own, [n0, n1, n0]);
    const spectrum = (await singularDecomposition(matrixOfRows(x))).values;
    const tail = spectrum.slice(Math.min(n0, n1)).reduce((sum, s) => sum + (s * s) / m, 0);
    // Second moments square the condition of the data; eigenvalues below 1e-12 of the greatest count as 0.
    const tolerance = 1e-9 * total;
    return {
      graph: net,
      ...(budget !== "cheap" && { figure: await figure(x, y) }),
      claims: {
        "mean square error of the weights on ONNX Runtime": checked(await meanSquare(net, x, y), theory, {
          tolerance,
        }),
        "closed form of the least risk": checked(minimum.risk, theory, { tolerance }),
        "gradient at the weights, relative to tr Σyy": checked(
          chainNorm(risk.gradient(minimum.weights)) / total,
          0,
          { tolerance: 1e-7 },
        ),
        "balance |UᵀU - VᵀV|": checked(imbalance(minimum.weights), 0, { tolerance: 1e-7 * (1 + total) }),
        "least risk that gradient descent finds": checked(descended, theory, { tolerance }),
        "autoencoder: least risk": checked(auto.risk, tail, { tolerance: 1e-9 * n0 }),
        ...(n1 <= Math.min(n0, m) && {
          "autoencoder: distance of the map from the projector on principal directions": checked(
            await distanceFromProjector(auto.map, x, n1),
            0,
            // Directions of nearly equal variance turn by rounding over their gap.
            { tolerance: 1e-5 },
          ),
        }),
        "directions of the inputs that the data do not show": checked(minimum.unseen, Math.max(0, n0 - m)),
      },
    };
  },
});

/** The least risk by width, of the weights and of the data's singular values; beside it that of the autoencoder. */
async function figure(x: MatrixOf<number>, y: MatrixOf<number>): Promise<Figure> {
  const [n0, n2] = [x[0]!.length, y[0]!.length];
  const widths = Array.from({ length: Math.max(n0, n2) }, (_, k) => k + 1);
  const panel = async (title: string, target: MatrixOf<number>) => {
    const covariances = covariancesOf(x, target);
    const outputs = target[0]!.length;
    const risk = linearRisk(matrixAlgebra(doubles), covariances);
    const theory = await Promise.all(
      widths.map(async (n) => [n, await leastRisk(x, target, Math.min(n0, n, outputs))] as const),
    );
    return {
      title,
      x: { label: "hidden units" },
      y: { label: "least risk" },
      series: [
        {
          name: "risk of the weights",
          mark: "dots" as const,
          points: widths.map(
            (n) => [n, risk.value(linearMinimum(covariances, [n0, n, outputs]).weights)] as const,
          ),
        },
        { name: "by singular values", mark: "line" as const, role: "theory" as const, points: theory },
      ],
    };
  };
  return {
    title: "The least risk of a linear network",
    panels: [await panel("Regression", y), await panel("Autoencoder: what PCA leaves", x)],
  };
}

/** By singular values of the data themselves, not of their moments: Y on the row space of X. */
async function leastRisk(x: MatrixOf<number>, y: MatrixOf<number>, rank: number): Promise<number> {
  const { values, left } = await singularDecomposition(matrixOfRows(x));
  const used = values.filter((v) => v > 1e-6 * values[0]!).length;
  const { product } = matrixAlgebra(doubles);
  const basis = Array.from({ length: used }, (_, k) => [
    ...left.entries.subarray(k * left.columns, (k + 1) * left.columns),
  ]);
  const seen = (await singularDecomposition(matrixOfRows(product(basis, y)))).values;
  const whole = y.flat().reduce((sum, v) => sum + v * v, 0);
  return seen.slice(0, rank).reduce((sum, s) => sum - s * s, whole) / x.length;
}

async function meanSquare(
  net: Parameters<typeof run>[0],
  x: MatrixOf<number>,
  y: MatrixOf<number>,
): Promise<number> {
  const found = numbers((await run(net, { x: tensor(x) }, { threads: 1 }))["y"]!);
  return y.flat().reduce((sum, t, k) => sum + (t - found[k]!) ** 2, 0) / x.length;
}

function imbalance([first, second]: Chain): number {
  const { product, transpose, minus } = matrixAlgebra(doubles);
  return Math.hypot(
    ...minus(product(transpose(second!), second!), product(first!, transpose(first!))).flat(),
  );
}

/** The end of gradient descent from a random start, with a rate that the size of the weights allows. */
function descent(
  covariances: ReturnType<typeof covariancesOf>,
  { n0, n1, n2 }: { readonly n0: number; readonly n1: number; readonly n2: number },
  start: Float64Array,
): number {
  const risk = linearRisk(matrixAlgebra(doubles), covariances);
  const at = (rows: number, columns: number, from: number) =>
    Array.from({ length: rows }, (_, i) =>
      [...start.subarray(from + i * columns, from + (i + 1) * columns)].map((v) => v / 2),
    );
  let weights: Chain = [at(n1, n0, 0), at(n2, n1, n1 * n0)];
  let [value, rate] = [risk.value(weights), 0.05];
  for (let k = 0; k < 2000; k++) {
    const slope = risk.gradient(weights);
    const next = weights.map((w, l) => w.map((row, i) => row.map((v, j) => v - rate * slope[l]![i]![j]!)));
    const lower = risk.value(next);
    if (lower <= value) [weights, value, rate] = [next, lower, rate * 1.1];
    else rate /= 2;
  }
  return value;
}

async function distanceFromProjector(
  map: MatrixOf<number>,
  x: MatrixOf<number>,
  n1: number,
): Promise<number> {
  const { right } = await singularDecomposition(matrixOfRows(x));
  const kept = Array.from({ length: n1 }, (_, k) => [
    ...right.entries.subarray(k * right.columns, (k + 1) * right.columns),
  ]);
  const { product, transpose, minus } = matrixAlgebra(doubles);
  return Math.hypot(...minus(map, product(transpose(kept), kept)).flat());
}
