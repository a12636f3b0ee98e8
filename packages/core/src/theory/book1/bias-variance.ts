import type { Figure } from "../../figure/figure.ts";
import {
  minimumNormRisk,
  normalDesignBias,
  normalDesignVariance,
} from "../../generalization/double-descent/bias-variance.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Matrix } from "../../linear-algebra/matrix-norm.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import { solveLinear } from "../../linear-algebra/solve.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals, type Measurement, sampled } from "../claim.ts";
import { type LemmaTable, lemma, type RunContext } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

type Rows = readonly Float64Array[];
const delta = 0.1;

export default lemma({
  id: "C1a-43",
  covers: ["C1a-43"],
  kind: "measure",
  title: "Bias and variance of minimum-norm regression",
  source: "Book, chapter 1, sect. 1.2.4, the display before Figure 1.7",
  statement: String.raw`\mathbb E[\mathcal R(\hat f_S) \mid X^{(1)}, \dots, X^{(m)}] - \mathcal R^* = (\theta^*)^T P \, \mathbb E[XX^T] \, P \theta^* + \mathbb E[\nu^2] \operatorname{Tr}(\Sigma^+ \mathbb E[XX^T]), \qquad P = I_d - \Sigma^+ \Sigma`,
  parameters: {
    m: integer({ min: 1, max: 6, default: 5, label: "examples m" }),
    d: integer({ min: 1, max: 10, default: 9, label: "features d" }),
    sigma: real({ min: 0.125, max: 2, default: 0.5, label: "size of the noise" }),
  },
  claims: {
    "excess risk over all noises and inputs": equals(
      String.raw`(\theta^*)^T P C P \theta^* + \sigma^2 \operatorname{Tr}(\Sigma^+ C)`,
    ),
    "bias, as many examples as features": equals("0"),
    "normal features, mean variance": equals(String.raw`\sigma^2 \min(m, d) / (|m - d| - 1)`).probable(),
    "normal features, mean bias": equals(String.raw`\|\theta^*\|^2 \max(1 - m/d, 0)`).probable(),
    "mean distance without the square": equals(
      String.raw`(\theta^*)^T P C P \theta^* + \sigma^2 \operatorname{Tr}(\Sigma^+ C)`,
    ).printed({
      where: "section 1.2.4, the display that splits the risk",
      printed: String.raw`$\mathbb{E}[\mathcal{R}(\widehat{f}_S)|(X^{(i)})_{i=1}^m] - \mathcal{R}^* = \mathbb{E}[\|\widehat{f}_S - f^*\|_{L^2(\mathcal{I}_X)}|(X^{(i)})_{i=1}^m]$`,
      corrected: String.raw`$\mathbb{E}[\|\widehat{f}_S - f^*\|^2_{L^2(\mathcal{I}_X)}|(X^{(i)})_{i=1}^m]$`,
    }),
  },
  mutants: {
    "Σ divided by m": {
      "excess risk over all noises and inputs": ({ m }, { theory }) => (m === 1 ? Number.NaN : theory * m),
    },
    "a feature forgotten": {
      "normal features, mean variance": ({ m, d, sigma }) =>
        sigma ** 2 * normalDesignVariance(m, d + Math.sign(d - m)).mean,
    },
    "the seen share for the unseen one": {
      "normal features, mean bias": ({ m, d }, { theory }) => (m < d ? (theory * m) / (d - m) : Number.NaN),
    },
  },
  async run({ m, d, sigma }, context) {
    const { random, budget, scale } = context;
    const mixing = Array.from({ length: d }, () => random.normal(d)); // X = A Z, so that C = A A^T
    const design = Array.from({ length: m }, () => mixed(mixing, random.normal(d)));
    const target = random.normal(d);
    const covariance = matrixOfRows(mixing.map((a) => mixing.map((b) => dot(a, b))));
    const { bias, variance } = await minimumNormRisk(matrixOfRows(design), {
      covariance,
      target,
      noise: sigma ** 2,
    });
    const seen = await overNoises(design, mixing, target, sigma);
    const tolerance = roundingOf(seen.condition, Math.max(m, d), seen.scale);
    return {
      ...(budget === "cheap" ? {} : await shown(context)),
      claims: {
        "excess risk over all noises and inputs": checked(seen.squared, bias + variance, { tolerance }),
        ...(d <= m ? { "bias, as many examples as features": checked(bias, 0, { tolerance }) } : {}),
        "mean distance without the square": checked(seen.distance, bias + variance, { tolerance }),
        ...normalClaims(m, d, sigma, scale(6000), random),
      },
    };
  },
});

const mixed = (mixing: Rows, z: ArrayLike<number>): Float64Array =>
  Float64Array.from(mixing, (row) => dot(row, z));
const signs = (count: number): readonly Float64Array[] =>
  Array.from({ length: 2 ** count }, (_, k) =>
    Float64Array.from({ length: count }, (__, i) => ((k >> i) & 1 ? 1 : -1)),
  );

/**
 * The excess risk by its definition: every noise in {-sigma, sigma}^m is fitted, every input A z with z in {-1, 1}^d is
 * asked. The fit solves X^T X theta = X^T y or theta = X^T (X X^T)^{-1} y.
 */
async function overNoises(design: Rows, mixing: Rows, target: Float64Array, sigma: number) {
  const [m, d] = [design.length, target.length];
  const columns = Array.from({ length: d }, (_, j) => Float64Array.from(design, (row) => row[j]!));
  const labels = signs(m).map((nu) => design.map((row, i) => dot(row, target) + sigma * nu[i]!));
  const [inner, right] =
    d <= m ? [columns, labels.map((y) => columns.map((column) => dot(column, y)))] : [design, labels];
  const gram = matrixOfRows(inner.map((a) => inner.map((b) => dot(a, b))));
  const { solution, condition } = await solveLinear(gram, transposed(right));
  const inputs = signs(d).map((z) => mixed(mixing, z));
  let [squared, distance, greatest] = [0, 0, 0];
  labels.forEach((_, k) => {
    const solved = inner.map((__, i) => solution.entries[i * labels.length + k]!);
    const theta = d <= m ? solved : columns.map((column) => dot(column, solved));
    const error = theta.map((v, j) => v - target[j]!);
    const square = inputs.reduce((sum, x) => sum + dot(error, x) ** 2, 0) / inputs.length;
    squared += square / labels.length;
    distance += Math.sqrt(square) / labels.length;
    const size = (dot(theta, theta) + dot(target, target)) * mixing.reduce((s, a) => s + dot(a, a), 0);
    greatest = Math.max(greatest, size);
  });
  return { squared, distance, condition, scale: greatest };
}

const transposed = (rows: readonly (readonly number[])[]): Matrix =>
  matrixOfRows(rows[0]!.map((_, i) => rows.map((row) => row[i]!)));

/** theta errs by 2^-52 cond(X X^T) relatively for each of n sums of products; the risk is at most |A|_F^2 |theta|^2. */
const roundingOf = (condition: number, n: number, size: number): number =>
  2 ** -52 * 16 * n * Math.max(1, condition) * size;

/** Means over drawn designs, as near to those of the inverse Wishart and Beta laws as Chebyshev's inequality says. */
function normalClaims(
  m: number,
  d: number,
  sigma: number,
  draws: number,
  random: Random,
): Record<string, Measurement> {
  const [wishart, share] = [normalDesignVariance(m, d), normalDesignBias(m, d)];
  const target = random.normal(d);
  const length = dot(target, target);
  const found = meanOverDesigns(m, d, target, draws, random);
  const near = (variance: number): number => Math.sqrt(variance / (draws * delta));
  return {
    ...(wishart.variance < Infinity && {
      "normal features, mean variance": sampled(sigma ** 2 * found.variance, sigma ** 2 * wishart.mean, {
        tolerance: sigma ** 2 * near(wishart.variance),
        delta,
      }),
    }),
    ...(m < d && {
      "normal features, mean bias": sampled(found.bias, length * share.mean, {
        tolerance: length * near(share.variance),
        delta,
      }),
    }),
  };
}

/** Means of Tr(Sigma^+) and |P theta*|^2 over normal designs, by the eigenvalues of the smaller Gram matrix. */
function meanOverDesigns(m: number, d: number, target: Float64Array, draws: number, random: Random) {
  let [bias, variance] = [0, 0];
  for (let k = 0; k < draws; k++) {
    const design = Array.from({ length: m }, () => random.normal(d));
    const inner =
      m < d ? design : Array.from({ length: d }, (_, j) => Float64Array.from(design, (row) => row[j]!));
    const { values, vectors } = symmetricEigen(inner.map((a) => inner.map((b) => dot(a, b))));
    for (const lambda of values) variance += 1 / lambda / draws;
    if (m >= d) continue;
    const products = design.map((row) => dot(row, target));
    const seen = vectors.reduce((sum, u, i) => sum + dot(u, products) ** 2 / values[i]!, 0);
    bias += (dot(target, target) - seen) / draws;
  }
  return { bias, variance };
}

/** Twenty examples, more and more features: the expectations, and means over drawn designs. */
async function shown({
  random,
  scale,
  progress,
}: RunContext): Promise<{ figure: Figure; table: LemmaTable }> {
  const [m, draws] = [20, scale(30)];
  const dimensions = [1, 2, 4, 7, 10, 13, 15, 16, 17, 18, 22, 23, 24, 26, 30, 35, 40, 50, 60];
  const rows: { d: number; bias: number; variance: number }[] = [];
  for (const d of dimensions) {
    const target = random.sphere(d);
    const { bias, variance } = meanOverDesigns(m, d, target, draws, random);
    rows.push({ d, bias, variance: variance / 4 });
    await progress(d / 60);
  }
  const all = Array.from({ length: 60 }, (_, k) => k + 1).filter((d) => Math.abs(d - m) > 1);
  const variance = (d: number): number => normalDesignVariance(m, d).mean / 4;
  const pole: readonly [number, number] = [m, Number.NaN]; // no mean between m - 2 and m + 2: the curve breaks
  const bias = (d: number): number => normalDesignBias(m, d).mean;
  const figure: Figure = {
    title: "Minimum-norm regression: 20 examples, |θ*| = 1, noise of variance 1/4",
    panels: [
      {
        title: `Means over ${draws} designs, and their expectations`,
        x: { label: "features d" },
        y: { label: "excess risk" },
        series: [
          { name: "variance", mark: "dots", points: rows.map((r) => [r.d, r.variance]) },
          { name: "bias", mark: "dots", points: rows.map((r) => [r.d, r.bias]) },
          {
            name: "σ² min(m,d)/(|m-d|-1)",
            mark: "line",
            role: "theory",
            points: [...all.map((d) => [d, variance(d)] as const), pole].toSorted(([a], [b]) => a - b),
          },
          { name: "max(1 - m/d, 0)", mark: "line", role: "theory", points: all.map((d) => [d, bias(d)]) },
        ],
      },
    ],
  };
  const table: LemmaTable = {
    title: `Excess risk, m = ${m}, |θ*| = 1, σ² = 1/4, means over ${draws} normal designs`,
    columns: ["d", "variance, measured", "variance, expected", "bias, measured", "bias, expected"],
    rows: rows.map((r) => [r.d, r.variance, variance(r.d), r.bias, bias(r.d)]),
  };
  return { figure, table };
}
