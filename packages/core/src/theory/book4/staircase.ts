import type { Figure } from "../../figure/figure.ts";
import { linearMinimum } from "../../landscape/linear/global-minimum.ts";
import { type Chain, linearRisk } from "../../landscape/linear/linear-risk.ts";
import { doubles, matrixAlgebra } from "../../linear-algebra/matrix-algebra.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { rationalProblem } from "./rational-problem.ts";

const algebra = matrixAlgebra(doubles);

export default lemma({
  id: "C4-23",
  covers: ["C4-23"],
  kind: "experiment",
  title: "From saddle to saddle: gradient descent on a linear network from a small start",
  source: "Book, chapter 4, after Theorem 4.2; Lee et al. 2019",
  statement: String.raw`\mathcal R(W_t) \to \mathcal R^* \text{ from almost every start, resting near } \operatorname{tr} \Sigma_{yy} - \sum_{i \le r} \lambda_i, \; r = 0, 1, \dots, n_1`,
  parameters: {
    n1: integer({ min: 1, max: 3, default: 2, label: "hidden units" }),
    more: integer({ min: 0, max: 1, default: 1, label: "inputs and outputs more than that" }),
    decades: integer({ min: 6, max: 10, default: 8, label: "start of size 10^-k" }),
  },
  claims: {
    "excess over the least risk at the end, relative to tr Σyy": atMost("10^{-9}"),
    "saddles of rank below the width that are passed": equals("n_1"),
    "greatest distance of a resting value from its saddle, relative": atMost(
      String.raw`\varepsilon^{0.8}, \; \varepsilon = 10^{-k}`,
    ).looseBy(2),
    "greatest rise of the risk in a step": atMost("0"),
  },
  mutants: {
    "rests at every saddle, not those of the leading eigenvalues": {
      "saddles of rank below the width that are passed": ({ n1 }) => 2 ** n1,
    },
    "ends at a saddle": {
      "excess over the least risk at the end, relative to tr Σyy": () => -1,
    },
  },
  async run({ n1, more, decades }, { random, progress }) {
    const n2 = n1 + more;
    // Each singular value half of the one before: the next saddle is left when this one has been rested at.
    const sizes = Array.from({ length: n2 }, (_, k) => 2 ** (n2 - 1 - k));
    const { covariances: exact, eigenvalues } = rationalProblem(n2, n2, random.split("problem"), sizes);
    const plain = (a: (typeof exact)["xx"]) => a.map((row) => row.map(toNumber));
    // White inputs: the saddles are then left one after the other, by the sizes of eigenvalues alone.
    const yx = plain(exact.yx);
    const covariances = { xx: algebra.identity(n2), yx: whitened(plain(exact.xx), yx), yy: plain(exact.yy) };
    const risk = linearRisk(algebra, covariances);
    const total = algebra.trace(covariances.yy);
    const minimum = linearMinimum(covariances, [n2, n1, n2]);
    const draw = (label: string) => (rows: number, columns: number) =>
      Array.from({ length: rows }, (_, i) =>
        [...random.split(`${label} ${i}`).normal(columns)].map((v) => v * 10 ** -decades),
      );
    let weights: Chain = [draw("first")(n1, n2), draw("second")(n2, n1)];
    const rate = 0.05 / Math.sqrt(eigenvalues[0]!);
    const risks: number[] = [risk.value(weights)];
    const mostSteps = Math.ceil((40 * decades) / (rate * Math.sqrt(Math.min(...eigenvalues))));
    let rise = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < mostSteps; k++) {
      if (k % 100 === 0) await progress(k / mostSteps);
      const slope = risk.gradient(weights);
      weights = weights.map((w, l) => w.map((row, i) => row.map((v, j) => v - rate * slope[l]![i]![j]!)));
      const value = risk.value(weights);
      rise = Math.max(rise, value - risks.at(-1)!);
      risks.push(value);
      if (value - minimum.risk <= 1e-9 * total) break;
    }
    const levels = Array.from({ length: n1 }, (_, r) =>
      eigenvalues.slice(0, r).reduce((sum, l) => sum - l, total),
    );
    const distances = levels.map((level) => Math.min(...risks.map((v) => Math.abs(v - level))) / total);
    return {
      graph: denseNetwork(
        weights.map((W) => ({ W })),
        "linear",
      ),
      figure: staircase(risks, [...levels, minimum.risk], rate),
      claims: {
        "excess over the least risk at the end, relative to tr Σyy": checked(
          (risks.at(-1)! - minimum.risk) / total,
          1e-9,
        ),
        "saddles of rank below the width that are passed": checked(rests(risks, levels, total), n1),
        // A mode of strength w grows as e^(4 s t) from ε², so when one is there (rate s), the next one (s / 2) has come to ε. What
        // is left of the first falls as e^(-8 s t), the second grows as e^(2 s t): they meet at ε ε^(-2/10).
        "greatest distance of a resting value from its saddle, relative": checked(
          Math.max(...distances),
          10 ** (-0.8 * decades),
        ),
        "greatest rise of the risk in a step": checked(rise, 0, { tolerance: 1e-13 * total }),
      },
    };
  },
});

/** Syx L^-T for Sxx = L L^T: the same Sigma with inputs of covariance 1. */
function whitened(xx: readonly (readonly number[])[], yx: readonly (readonly number[])[]) {
  const n = xx.length;
  const lower = xx.map((row) => row.map(() => 0));
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      const rest = lower[i]!.slice(0, j).reduce((sum, v, k) => sum - v * lower[j]![k]!, xx[i]![j]!);
      lower[i]![j] = i === j ? Math.sqrt(rest) : rest / lower[j]![j]!;
    }
  return algebra.product(yx, algebra.transpose(algebra.inverse(lower)));
}

/** Levels near which the risk stays for thirty steps or more while it hardly falls. */
function rests(risks: readonly number[], levels: readonly number[], total: number): number {
  return levels.filter((level) => risks.filter((v) => Math.abs(v - level) < 5e-3 * total).length >= 30)
    .length;
}

function staircase(risks: readonly number[], levels: readonly number[], rate: number): Figure {
  const stride = Math.max(1, Math.floor(risks.length / 600));
  const end = risks.length * rate;
  return {
    title: "Gradient descent rests at saddles of rank 0, 1, 2, ...",
    panels: [
      {
        title: "Risk over time",
        x: { label: "steps times rate" },
        y: { label: "risk" },
        series: [
          {
            name: "risk",
            mark: "line",
            points: risks.flatMap((v, k) => (k % stride === 0 ? [[k * rate, v] as const] : [])),
          },
          ...levels.map((level, r) => ({
            name: `saddle of rank ${r}`,
            mark: "line" as const,
            role: "theory" as const,
            points: [
              [0, level],
              [end, level],
            ] as const,
          })),
        ],
      },
    ],
  };
}
