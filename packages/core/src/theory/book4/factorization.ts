import type { Figure } from "../../figure/figure.ts";
import {
  type FactorPair,
  factorizationGap,
  grownFactors,
  singularThresholding,
  variationalExcess,
} from "../../landscape/certificate/factorization.ts";
import type { Matrix } from "../../linear-algebra/matrix-norm.ts";
import { matrixProduct } from "../../linear-algebra/product.ts";
import { singularDecomposition, transposeOf } from "../../linear-algebra/svd.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C4-14",
  covers: ["C4-12", "C4-13", "C4-14", "C4-15"],
  kind: "bound",
  title: "A regularized factorization certifies itself, and grows until it is certified",
  source: "Book, chapter 4, (4.34)-(4.43), Corollary 4.6",
  statement: String.raw`\min_{U, V} \tfrac12 \|Y - U V^\top\|_F^2 + \tfrac{\lambda}{2} (\|U\|_F^2 + \|V\|_F^2) = \sum_i \tfrac12 \min(\sigma_i, \lambda)^2 + \lambda (\sigma_i - \lambda)_+; \quad \text{global} \iff \langle Y - U V^\top, U V^\top \rangle = \tfrac{\lambda}{2} (\|U\|^2 + \|V\|^2), \; \sigma_{\max}(Y - U V^\top) \le \lambda`,
  parameters: {
    rows: integer({ min: 1, max: 6, default: 5, label: "rows of Y" }),
    columns: integer({ min: 1, max: 6, default: 4, label: "columns of Y" }),
    width: integer({ min: 1, max: 6, default: 1, label: "columns of U and V that are tried" }),
    lambda: real({ min: 0.05, max: 3, default: 0.8, label: "λ" }),
  },
  claims: {
    "½|Y - Z|² + λ|Z|_* at the thresholded matrix": equals(
      String.raw`\sum_i \tfrac12 \min(\sigma_i, \lambda)^2 + \lambda (\sigma_i - \lambda)_+`,
    ),
    "objective of its factors": equals("the same"),
    "gap there": equals("0"),
    "(|U|² + |V|²)/2 - |UVᵀ|_* of random factors": atLeast("0"),
    "the same of balanced ones": equals("0"),
    "best factors of the width: what they are above the minimum": atMost("the gap that is certified"),
    "best factors of the width: greatest singular value of the rest": equals(
      String.raw`\max(\min(\sigma_1, \lambda), \sigma_{n_1 + 1})`,
    ),
    "residual of (i) there": equals("0"),
    "columns that are grown": equals(String.raw`\#\{i : \sigma_i > \lambda\}`),
    "what all columns lower the objective by": equals(String.raw`\tfrac12 \sum_i (\sigma_i - \lambda)_+^2`),
    "(4.41), second identity: its sides": equals("0").printed({
      where: "(4.41)",
      printed: String.raw`\mathbf{U}^\top(\mathbf{Y} - \mathbf{U}\mathbf{V}^\top)\mathbf{V}^\top = \lambda\mathbf{V}^\top\mathbf{V}.`,
      corrected: String.raw`$U^\top (Y - U V^\top) V = \lambda V^\top V$`,
    }),
  },
  mutants: {
    "σ - λ for its square": {
      "what all columns lower the objective by": (_, { theory }) => Math.sqrt(2 * theory),
    },
    "shrunk by half of λ": ({ lambda }) => ({ lambda: lambda / 2 }),
    "a width less is enough": {
      "columns that are grown": (_, { theory }) => theory - 1,
    },
  },
  async run({ rows, columns, width, lambda }, { random, budget }) {
    const y = gaussian(rows, columns, random.split("Y"));
    const best = await singularThresholding(y, lambda);
    const { values } = await singularDecomposition(y);
    const value = values.reduce(
      (sum, s) => sum + Math.min(s, lambda) ** 2 / 2 + lambda * Math.max(0, s - lambda),
      0,
    );
    const nuclear = (await singularDecomposition(best.z)).values.reduce((sum, s) => sum + s, 0);
    const rest = y.entries.reduce((sum, t, k) => sum + (t - best.z.entries[k]!) ** 2, 0);
    const atBest = await factorizationGap(y, lambda, best);
    const drawn = {
      u: gaussian(rows, width, random.split("U")),
      v: gaussian(columns, width, random.split("V")),
    };
    const narrow = truncated(best, Math.min(width, best.u.columns));
    const atNarrow = await factorizationGap(y, lambda, narrow);
    const grown = await grownFactors(y, lambda);
    const kept = Math.min(width, best.rank);
    const tolerance = 1e-12 * (1 + value + rows * columns);
    const [first, last] = [grown.steps[0]!, grown.steps.at(-1)!];
    const square = padded(best, columns);
    return {
      ...(budget !== "cheap" && { figure: await figure(y, lambda, best) }),
      claims: {
        "½|Y - Z|² + λ|Z|_* at the thresholded matrix": checked(rest / 2 + lambda * nuclear, value, {
          tolerance,
        }),
        "objective of its factors": checked(atBest.objective, value, { tolerance }),
        "gap there": checked(atBest.gap, 0, { tolerance }),
        "(|U|² + |V|²)/2 - |UVᵀ|_* of random factors": checked(await variationalExcess(drawn), 0),
        "the same of balanced ones": checked(await variationalExcess(best), 0, { tolerance }),
        "best factors of the width: what they are above the minimum": checked(
          atNarrow.objective - value,
          atNarrow.gap,
          { tolerance },
        ),
        "best factors of the width: greatest singular value of the rest": checked(
          atNarrow.polar,
          Math.max(Math.min(values[0]!, lambda), kept < best.rank ? values[kept]! : 0),
          { tolerance },
        ),
        "residual of (i) there": checked(atNarrow.scaling, 0, { tolerance }),
        "columns that are grown": checked(grown.steps.length - 1, values.filter((s) => s > lambda).length),
        "what all columns lower the objective by": checked(
          first.objective - last.objective,
          values.reduce((sum, s) => sum + Math.max(0, s - lambda) ** 2, 0) / 2,
          { tolerance },
        ),
        ...(best.rank > 0 &&
          columns > 1 && {
            "(4.41), second identity: its sides": checked(await printedSides(y, lambda, square), 0, {
              tolerance,
            }),
          }),
      },
    };
  },
});

/** The best factors of each width, and the columns that are grown one by one. */
async function figure(y: Matrix, lambda: number, best: FactorPair & { value: number }): Promise<Figure> {
  const widths = Array.from({ length: Math.min(y.rows, y.columns) + 1 }, (_, k) => k);
  const gaps = await Promise.all(
    widths.map((width) => factorizationGap(y, lambda, truncated(best, Math.min(width, best.u.columns)))),
  );
  const { steps } = await grownFactors(y, lambda);
  return {
    title: "A factorization that certifies itself",
    panels: [
      {
        title: `Best factors of each width, λ = ${lambda}`,
        x: { label: "columns of U and V" },
        y: { label: "above the minimum" },
        series: [
          {
            name: "objective",
            mark: "line",
            points: gaps.map((gap, k) => [k, gap.objective - best.value] as const),
          },
          { name: "certified gap", mark: "line", points: gaps.map(({ gap }, k) => [k, gap] as const) },
          {
            name: "σ_max of the rest less λ",
            mark: "dots",
            points: gaps.map(({ polar }, k) => [k, polar - lambda] as const),
          },
        ],
      },
      {
        title: "Columns grown one by one",
        x: { label: "columns" },
        y: { label: "objective" },
        series: [
          { name: "grown", mark: "step", points: steps.map(({ objective }, k) => [k, objective] as const) },
          {
            name: "minimum",
            mark: "line",
            role: "theory",
            points: [0, Math.max(1, steps.length - 1)].map((k) => [k, best.value] as const),
          },
        ],
      },
    ],
  };
}

const gaussian = (rows: number, columns: number, random: Random): Matrix => ({
  rows,
  columns,
  entries: random.normal(rows * columns),
});

/** The first columns: factors of the best matrix of that rank for this penalty. */
function truncated({ u, v }: FactorPair, width: number): FactorPair {
  const cut = (m: Matrix): Matrix => ({
    rows: m.rows,
    columns: width,
    entries: Float64Array.from(
      { length: m.rows * width },
      (_, k) => m.entries[Math.floor(k / width) * m.columns + (k % width)]!,
    ),
  });
  return { u: cut(u), v: cut(v) };
}

/** With columns of zeros: V is then square, and what is printed can be read. */
function padded({ u, v }: FactorPair, width: number): FactorPair {
  const wide = (m: Matrix): Matrix => ({
    rows: m.rows,
    columns: width,
    entries: Float64Array.from({ length: m.rows * width }, (_, k) =>
      k % width < m.columns ? m.entries[Math.floor(k / width) * m.columns + (k % width)]! : 0,
    ),
  });
  return { u: wide(u), v: wide(v) };
}

async function printedSides(y: Matrix, lambda: number, { u, v }: FactorPair): Promise<number> {
  const vt = transposeOf(v);
  const z = await matrixProduct(u, vt);
  const rest: Matrix = { ...y, entries: y.entries.map((t, k) => t - z.entries[k]!) };
  const left = await matrixProduct(await matrixProduct(transposeOf(u), rest), vt);
  const right = await matrixProduct(vt, v);
  return Math.hypot(...left.entries.map((l, k) => l - lambda * right.entries[k]!));
}
