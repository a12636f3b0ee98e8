import { singularThresholding } from "../../landscape/certificate/factorization.ts";
import { regressionFactors, regressionGap } from "../../landscape/certificate/regression-factors.ts";
import type { Matrix } from "../../linear-algebra/matrix-norm.ts";
import { matrixProduct } from "../../linear-algebra/product.ts";
import { singularDecomposition, transposeOf } from "../../linear-algebra/svd.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const gapTolerance = 1e-9;

export default lemma({
  id: "C4-16",
  covers: ["C4-16"],
  kind: "algorithm",
  title: "A linear network with weight decay, certified on data",
  source: "Book, chapter 4, (4.33)-(4.36), with data X for the identity",
  statement: String.raw`\min_{U, V} \tfrac12 \|Y - U V^\top X\|_F^2 + \tfrac\lambda2 (\|U\|_F^2 + \|V\|_F^2): \quad \text{global} \iff \langle R, U V^\top X \rangle = \tfrac\lambda2 (\|U\|^2 + \|V\|^2), \; \sigma_{\max}(R X^\top) \le \lambda, \quad R = Y - U V^\top X`,
  parameters: {
    inputs: choice(["white", "any"], { label: "inputs: X Xᵀ = s² I, or Gaussian" }),
    n0: integer({ min: 1, max: 4, default: 3, label: "inputs" }),
    n2: integer({ min: 1, max: 4, default: 3, label: "outputs" }),
    lambda: real({ min: 0.5, max: 20, default: 4, label: "λ" }),
  },
  claims: {
    "gap at the end, relative": atMost("10^{-9}"),
    "objective, for white inputs": equals(
      String.raw`\tfrac12 \|Y\|^2 - \tfrac1{2 s^2} \|Y X^\top\|^2 + s^2 \operatorname{SVT}(Y X^\top / s^2, \lambda / s^2)`,
    ),
    "rank, for white inputs": equals(String.raw`\#\{\sigma_i(Y X^\top) > \lambda\}`),
    "greatest singular value of R Xᵀ": atMost(String.raw`\lambda`),
    "residual of the scaling condition, relative": equals("0"),
    "objective of random factors": atLeast("the lower bound").looseBy(1.01),
    "objective where all weights are 0, λ ≥ σ_max(Y Xᵀ)": equals("the lower bound there"),
  },
  mutants: {
    "no condition on X: σ_max(R) ≤ λ": {
      "greatest singular value of R Xᵀ": (_, { theory }) => theory / 4,
    },
    "λ not divided by s²": {
      "objective, for white inputs": ({ lambda }, { theory }) => theory + lambda,
    },
    "half of the decay": ({ lambda }) => ({ lambda: lambda / 2 }),
  },
  async run({ inputs, n0, n2, lambda }, { random, budget }) {
    const m = 4 * n0;
    const drawn = gaussian(n0, m, random.split("X"));
    const s = 2;
    const x = inputs === "white" ? await whitened(drawn, s) : drawn;
    const map = gaussian(n2, n0, random.split("map"));
    const noise = gaussian(n2, m, random.split("noise"));
    const signal = await matrixProduct(map, x);
    const y: Matrix = { ...noise, entries: signal.entries.map((v, k) => v + 0.3 * noise.entries[k]!) };
    const { certificate, rank, steps } = await regressionFactors(x, y, lambda, { tolerance: gapTolerance });
    const { objective, gap, polar, scaling, lowerBound } = certificate;
    const products = await matrixProduct(y, transposeOf(x));
    const { values } = await singularDecomposition(products);
    const total = square(y) / 2;
    const longest = (await singularDecomposition(x)).values[0]!;
    const zero = {
      u: { rows: n2, columns: 1, entries: new Float64Array(n2) },
      v: { rows: n0, columns: 1, entries: new Float64Array(n0) },
    };
    const pair = { u: gaussian(n2, 2, random.split("U")), v: gaussian(n0, 2, random.split("V")) };
    const flat = await regressionGap(x, y, values[0]! * 1.01, zero);
    const closed = async (): Promise<number> => {
      const scaled: Matrix = { ...products, entries: products.entries.map((v) => v / s ** 2) };
      const { value } = await singularThresholding(scaled, lambda / s ** 2);
      return total - square(products) / (2 * s ** 2) + s ** 2 * value;
    };
    // Some m n roundings of numbers of the size of |Y|^2.
    const rounding = 2 ** -48 * m * n2 * (1 + total);
    return {
      ...(budget !== "cheap" && { figure: await figure(x, y, values[0]!) }),
      table: {
        title: "the certified network",
        columns: ["steps", "rank", "objective", "lower bound", "σ_max(R Xᵀ) / λ"],
        rows: [[steps, rank, objective, lowerBound, polar / lambda]],
      },
      claims: {
        "gap at the end, relative": checked(gap / objective, gapTolerance),
        ...(inputs === "white" && {
          "objective, for white inputs": checked(objective, await closed(), {
            tolerance: gapTolerance * objective + rounding,
          }),
          // Singular values at λ itself are not drawn.
          "rank, for white inputs": checked(rank, values.filter((v) => v > lambda).length),
        }),
        // A column of the best size lowers the objective by (polar - λ)² / (2 |X|²) or more, which is at most the gap.
        "greatest singular value of R Xᵀ": checked(polar, lambda, {
          tolerance: longest * Math.sqrt(2 * gapTolerance * objective) + rounding,
        }),
        // Scaling Z lowers the objective by residual² / (2 |Z X|²), at most the gap; and |Z X| <= 2 |Y|.
        "residual of the scaling condition, relative": checked(scaling / total, 0, {
          tolerance: 4 * Math.sqrt(gapTolerance),
        }),
        "objective of random factors": checked(
          (await regressionGap(x, y, lambda, pair)).objective,
          lowerBound,
        ),
        "objective where all weights are 0, λ ≥ σ_max(Y Xᵀ)": checked(flat.objective, flat.lowerBound, {
          tolerance: rounding,
        }),
      },
    };
  },
});

const square = (m: Matrix): number => m.entries.reduce((sum, v) => sum + v * v, 0);

const gaussian = (rows: number, columns: number, random: Random): Matrix => ({
  rows,
  columns,
  entries: random.normal(rows * columns),
});

/** s times the orthonormal rows that span the same. */
async function whitened(x: Matrix, s: number): Promise<Matrix> {
  const { right } = await singularDecomposition(x);
  return {
    rows: x.rows,
    columns: x.columns,
    entries: right.entries.slice(0, x.rows * x.columns).map((v) => s * v),
  };
}

async function figure(x: Matrix, y: Matrix, greatest: number) {
  const decays = Array.from({ length: 25 }, (_, k) => greatest * 1.2 * 0.8 ** k);
  const rows = await Promise.all(
    decays.map(async (lambda) => ({
      lambda,
      ...(await regressionFactors(x, y, lambda, { tolerance: 1e-6 })),
    })),
  );
  return {
    title: "Linear networks with weight decay",
    panels: [
      {
        title: "Rank of the global minimum",
        x: { label: "λ", scale: "log" as const },
        y: { label: "rank" },
        series: [
          {
            name: "certified",
            mark: "dots" as const,
            role: "measured" as const,
            points: rows.map(({ lambda, rank }) => [lambda, rank] as const),
          },
        ],
      },
      {
        title: "Objective and bound",
        x: { label: "λ", scale: "log" as const },
        y: { label: "½|Y - UVᵀX|² + ½λ(|U|² + |V|²)" },
        series: [
          {
            name: "objective",
            mark: "dots" as const,
            role: "measured" as const,
            points: rows.map(({ lambda, certificate }) => [lambda, certificate.objective] as const),
          },
          {
            name: "lower bound",
            mark: "line" as const,
            role: "theory" as const,
            points: rows.map(({ lambda, certificate }) => [lambda, certificate.lowerBound] as const),
          },
        ],
      },
    ],
  };
}
