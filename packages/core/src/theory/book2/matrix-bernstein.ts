import type { Figure } from "../../figure/figure.ts";
import {
  bernsteinQuantile,
  logBernsteinTail,
  type MatrixSum,
  splitQuantile,
} from "../../generalization/path-space/matrix-bernstein.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const delta = 0.1;

export default lemma({
  id: "C2-18",
  covers: ["C2-18"],
  kind: "bound",
  title: "Matrix Bernstein: the greatest eigenvalue of a sum of independent matrices",
  source: "Book, chapter 2, Lemma 2.11; Tropp 2012, Theorem 1.4",
  statement: String.raw`\lambda_{\max}\Bigl(\sum_i M_i\Bigr) \le \frac{2R}{3} \ln\frac d\delta + \sqrt{2 \gamma^2 \ln\frac d\delta} \quad \text{with probability} \ge 1 - \delta, \qquad \gamma^2 = \Bigl\|\sum_i \mathbb E M_i^2\Bigr\|_2`,
  parameters: {
    d: integer({ min: 1, max: 6, default: 3, label: "rows d" }),
    n: integer({ min: 4, max: 60, default: 30, label: "matrices" }),
    size: real({ min: 0.001, max: 0.02, default: 0.01, label: "greatest norm R of a matrix" }),
  },
  claims: {
    "greatest eigenvalue of the sum": atMost(
      String.raw`\tfrac{2R}{3} \ln\tfrac d\delta + \sqrt{2 \gamma^2 \ln\tfrac d\delta}`,
    ).probable(),
    "greatest eigenvalue of the sum, root not split": atMost(
      String.raw`\tfrac{R q}{3} + \sqrt{(\tfrac{R q}{3})^2 + 2 \gamma^2 q}, \; q = \ln\tfrac d\delta`,
    ).probable(),
    "the root, not split": atMost("Lemma 2.11"),
    "the tail at that root": equals(String.raw`\delta`),
    "greatest eigenvalue, as the proof ends": atMost(
      String.raw`\tfrac23 R (\ln d / \delta) + 2 \gamma^2 \ln d / \delta`,
    )
      .probable()
      .printed({
        where: "proof of Lemma 2.11, the last inequality",
        printed: String.raw`$t \leq \frac{2}{3}R(\ln d/\delta) + 2\gamma^2 \ln d/\delta$`,
        corrected: String.raw`$t \leq \frac{2}{3} R \ln(d/\delta) + \sqrt{2 \gamma^2 \ln(d/\delta)}$, as the lemma says`,
      }),
  },
  mutants: {
    "half of delta": { "the tail at that root": () => delta / 2 },
    "R for R / 3": {
      "the root, not split": ({ d, size }, { theory }) => theory - size * Math.log(d / delta),
    },
    "variance of one matrix": {
      "greatest eigenvalue of the sum, root not split": ({ n }, { theory }) => theory / Math.sqrt(n),
    },
  },
  run({ d, n, size }, { random, budget, scale }) {
    const sum = drawnMatrices(d, n, size, random);
    const greatest = Math.max(...symmetricEigen(signedSum(sum.matrices, random)).values);
    const [exact, split] = [bernsteinQuantile(sum, delta), splitQuantile(sum, delta)];
    const q = Math.log(d / delta);
    return {
      ...(budget === "cheap" ? {} : { figure: tailFigure(sum, random, scale(3000)) }),
      claims: {
        "greatest eigenvalue of the sum": checked(greatest, split, { delta }),
        "greatest eigenvalue of the sum, root not split": checked(greatest, exact, { delta }),
        "the root, not split": checked(exact, split),
        "the tail at that root": checked(Math.exp(logBernsteinTail(sum, exact)), delta, { tolerance: 1e-13 }),
        "greatest eigenvalue, as the proof ends": checked(
          greatest,
          (2 * sum.R * q) / 3 + 2 * sum.variance * q,
          { delta },
        ),
      },
    };
  },
});

type Square = readonly (readonly number[])[];

interface Matrices extends MatrixSum {
  readonly matrices: readonly Square[];
}

/** Fixed matrices A_i of norm `size`; M_i = +-A_i by coins: R is that norm, gamma^2 = |sum A_i^2|. Half of them commute. */
function drawnMatrices(d: number, n: number, size: number, random: Random): Matrices {
  const matrices = Array.from({ length: n }, (_, i) => {
    const u = random.sphere(d);
    const isDiagonal = i % 2 === 0;
    return Array.from({ length: d }, (_, a) =>
      Array.from({ length: d }, (__, b) => (isDiagonal ? (a === b ? size : 0) : size * u[a]! * u[b]!)),
    );
  });
  const squares = matrices.map((A) =>
    A.map((row) => A[0]!.map((_, b) => row.reduce((s, v, k) => s + v * A[k]![b]!, 0))),
  );
  const total = squares.reduce((S, A) => S.map((row, a) => row.map((v, b) => v + A[a]![b]!)));
  return {
    ...{ matrices, R: size, logDimension: Math.log(d) },
    variance: Math.max(...symmetricEigen(total).values),
  };
}

function signedSum(matrices: readonly Square[], random: Random): number[][] {
  const sum = matrices[0]!.map((row) => row.map(() => 0));
  for (const A of matrices) {
    const sign = random.uniform() < 0.5 ? -1 : 1;
    for (const [a, row] of A.entries()) for (const [b, v] of row.entries()) sum[a]![b]! += sign * v;
  }
  return sum;
}

function tailFigure(sum: Matrices, random: Random, draws: number): Figure {
  const seen = Array.from({ length: draws }, () =>
    Math.max(...symmetricEigen(signedSum(sum.matrices, random)).values),
  ).sort((a, b) => b - a);
  const deltas = [0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01];
  return {
    title: `λ_max of ${sum.matrices.length} matrices with random signs`,
    panels: [
      {
        title: "How far it strays",
        x: { label: "δ", scale: "log" },
        y: { label: "exceeded with probability δ" },
        series: [
          { name: "seen", mark: "dots", points: deltas.map((p) => [p, seen[Math.floor(p * draws)]!]) },
          {
            name: "Lemma 2.11, root not split",
            mark: "line",
            role: "theory",
            points: deltas.map((p) => [p, bernsteinQuantile(sum, p)]),
          },
          {
            name: "Lemma 2.11",
            mark: "line",
            role: "theory",
            points: deltas.map((p) => [p, splitQuantile(sum, p)]),
          },
        ],
      },
    ],
  };
}
