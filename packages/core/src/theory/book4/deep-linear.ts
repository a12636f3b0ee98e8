import type { Figure } from "../../figure/figure.ts";
import type { Covariances } from "../../landscape/linear/covariances.ts";
import { criticalClasses, criticalWeights } from "../../landscape/linear/critical-points.ts";
import { deepSaddle } from "../../landscape/linear/deep-saddle.ts";
import { linearMinimum } from "../../landscape/linear/global-minimum.ts";
import { type Chain, chainNorm, linearRisk } from "../../landscape/linear/linear-risk.ts";
import { exactInertia } from "../../linear-algebra/exact-inertia.ts";
import { doubles, type MatrixOf, matrixAlgebra, rationals } from "../../linear-algebra/matrix-algebra.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { type RationalProblem, rationalProblem } from "./rational-problem.ts";

const algebra = matrixAlgebra(doubles);

export default lemma({
  id: "C4-08",
  covers: ["C4-08", "C4-09"],
  kind: "measure",
  title: "Deep linear networks: their minimum, and saddles that second derivatives do not show",
  source: "Book, chapter 4, Theorem 4.4; Kawaguchi 2016",
  statement: String.raw`\min \mathcal R = \operatorname{tr} \Sigma_{yy} - \sum_{i \le p} \lambda_i, \; p = \min_l n_l; \qquad \operatorname{rank}(W_{L-1} \cdots W_2) = \min_{1 \le l \le L-1} n_l \text{ at a saddle } \Rightarrow \lambda_{\min}(\nabla^2 \mathcal R) < 0; \qquad W_1 = W_L = 0: \; \lambda_{\min} = -2 \|W_{L-1} \cdots W_2\| \, \|\Sigma_{yx}\|`,
  parameters: {
    L: integer({ min: 2, max: 4, default: 3, label: "layers of weights" }),
    n: integer({ min: 1, max: 3, default: 2, label: "width of the hidden layers" }),
    n2: integer({ min: 1, max: 3, default: 2, label: "outputs" }),
    more: integer({ min: 0, max: 1, default: 1, label: "inputs beyond the outputs" }),
    kept: integer({ min: 0, max: 3, default: 1, label: "rank of the middle weights at the saddle" }),
  },
  claims: {
    "risk of the balanced weights": equals(
      String.raw`\operatorname{tr} \Sigma_{yy} - \sum_{i \le p} \lambda_i`,
    ),
    "gradient there": equals("0"),
    "imbalance of neighbouring layers there": equals("0"),
    "least eigenvalue there, relative to the greatest": equals("0"),
    "gradient at the saddle W_1 = W_L = 0": equals("0"),
    "least eigenvalue at that saddle": equals(String.raw`-2 \|W_{L-1} \cdots W_2\| \, \|\Sigma_{yx}\|`),
    "size of the Hessian at the origin": equals(String.raw`0 \; (L \ge 3)`),
    "saddles with a middle of full rank and no negative curvature": equals("0"),
    "two layers of weights: kinds of saddles without negative curvature": atLeast("1").printed({
      where: "sect. 4.1, on Kawaguchi (2016)",
      printed:
        "saddle points of networks with one hidden layer are strict, but networks with two or more layers can have “bad” (non-strict) saddle points",
      corrected: "networks with two or more hidden layers, as section 4.3.2 has it",
    }),
  },
  mutants: {
    "the curvature without its 2": { "least eigenvalue at that saddle": (_, { theory }) => theory / 2 },
    "rank deficiency always hides the curvature": {
      "least eigenvalue at that saddle": ({ n, kept, L }, { theory }) => (L > 2 && kept < n ? 0 : theory),
    },
    "a hidden unit lost": ({ n }) => ({ n: n - 1 }),
  },
  run({ L, n, n2, more, kept }, { random, budget }) {
    const n0 = n2 + more; // Sigma of full rank needs no more outputs than inputs.
    if (n < 1) throw new HypothesisError("a hidden layer has a unit");
    const problem = rationalProblem(n0, n2, random.split("problem"));
    const { covariances: exact, eigenvalues } = problem;
    const inDoubles = (a: MatrixOf<Parameters<typeof toNumber>[0]>) => a.map((row) => row.map(toNumber));
    const covariances = { xx: inDoubles(exact.xx), yx: inDoubles(exact.yx), yy: inDoubles(exact.yy) };
    const widths = [n0, ...Array.from({ length: L - 1 }, () => n), n2];
    const risk = linearRisk(algebra, covariances);
    const { weights } = linearMinimum(covariances, widths);
    const total = algebra.trace(covariances.yy);
    const least = eigenvalues.slice(0, Math.min(...widths)).reduce((sum, l) => sum - l, total);
    const spectrum = symmetricEigen(risk.hessian(weights)).values;
    const saddle = saddleWith(widths, Math.min(kept, n));
    const at = deepSaddle(covariances, saddle);
    const spread = symmetricEigen(algebra.product(covariances.yx, algebra.transpose(covariances.yx))).values;
    const norm = Math.sqrt(spread.at(-1)!);
    const middle = L === 2 || kept > 0 ? 1 : 0;
    const origin = deepSaddle(covariances, saddleWith(widths, 0));
    const points = Array.from({ length: n + 1 }, (_, rank) =>
      deepSaddle(covariances, saddleWith(widths, rank)),
    );
    const size = chainNorm([risk.hessian(saddleWith(widths, 0))]);
    return {
      graph: denseNetwork(
        weights.map((W) => ({ W })),
        "linear",
      ),
      ...(budget !== "cheap" && { figure: figure(covariances, widths, eigenvalues, norm) }),
      table: {
        title: "saddles with W_1 = W_L = 0",
        columns: ["rank of the middle", "least eigenvalue", "strict by Theorem 4.4", "kind"],
        rows: points.map((p) => [
          p.middleRank,
          p.leastEigenvalue,
          p.isStrictByRank ? "yes" : "not said",
          p.verdict,
        ]),
      },
      claims: {
        // Products of some ten numbers, and eigenvalues by Jacobi.
        "risk of the balanced weights": checked(risk.value(weights), least, { tolerance: 1e-11 * total }),
        "gradient there": checked(chainNorm(risk.gradient(weights)), 0, { tolerance: 1e-9 * total }),
        "imbalance of neighbouring layers there": checked(imbalance(weights), 0, {
          tolerance: 1e-10 * total,
        }),
        "least eigenvalue there, relative to the greatest": checked(
          Math.min(0, spectrum[0]!) / spectrum.at(-1)!,
          0,
          { tolerance: 1e-9 },
        ),
        "gradient at the saddle W_1 = W_L = 0": checked(at.gradientNorm, 0),
        "least eigenvalue at that saddle": checked(at.leastEigenvalue, -2 * middle * norm, {
          tolerance: 1e-11 * (1 + norm),
        }),
        ...(L >= 3 && { "size of the Hessian at the origin": checked(size, 0) }),
        "saddles with a middle of full rank and no negative curvature": checked(
          points.filter((p) => p.isStrictByRank && p.verdict === "degenerate saddle").length,
          0,
        ),
        ...(L === 2 && {
          "two layers of weights: kinds of saddles without negative curvature": checked(
            flatSaddles(problem, n) + (origin.verdict === "degenerate saddle" ? 1 : 0),
            1,
          ),
        }),
      },
    };
  },
});

/** The least risk by the width of the hidden layers, and the least eigenvalue by the size of the middle weights. */
function figure(
  covariances: Covariances,
  widths: readonly number[],
  eigenvalues: readonly number[],
  norm: number,
): Figure {
  const [layers, inputs, outputs] = [widths.length - 1, widths[0]!, widths.at(-1)!];
  const risk = linearRisk(algebra, covariances);
  const total = algebra.trace(covariances.yy);
  const hidden = Array.from({ length: Math.max(outputs + 1, widths[1]!) }, (_, k) => k + 1);
  const withHidden = (n: number): number[] => [inputs, ...widths.slice(1, -1).map(() => n), outputs];
  const identity = saddleWith(widths, widths[1]!);
  const scaled = (s: number): Chain => identity.map((w) => algebra.times(s, w));
  const sizes = Array.from({ length: 61 }, (_, k) => k / 40);
  const [closed, form] = ["trace less p eigenvalues", "-2 |middle| |Σyx|"];
  return {
    title: `Linear networks of ${layers} layers`,
    panels: [
      {
        title: "The least risk",
        x: { label: "width of the hidden layers" },
        y: { label: "risk" },
        series: [
          {
            name: closed,
            mark: "line",
            role: "theory",
            points: hidden.map(
              (n) => [n, eigenvalues.slice(0, n).reduce((sum, l) => sum - l, total)] as const,
            ),
          },
          {
            name: "balanced weights",
            mark: "dots",
            like: closed,
            points: hidden.map(
              (n) => [n, risk.value(linearMinimum(covariances, withHidden(n)).weights)] as const,
            ),
          },
        ],
      },
      {
        title: "The saddle W_1 = W_L = 0, W_l = s I between",
        x: { label: "s" },
        y: { label: "least eigenvalue" },
        series: [
          {
            name: form,
            mark: "line",
            role: "theory",
            points: sizes.map((s) => [s, -2 * s ** (layers - 2) * norm] as const),
          },
          {
            name: "of the Hessian",
            mark: "dots",
            like: form,
            points: sizes
              .filter((_, k) => k % 10 === 0)
              .map((s) => [s, deepSaddle(covariances, scaled(s)).leastEigenvalue] as const),
          },
        ],
      },
    ],
  };
}

/** Classes of critical points of one hidden layer, but for the minimum, whose exact Hessian has no negative eigenvalue. */
function flatSaddles({ covariances, vectors }: RationalProblem, hidden: number): number {
  const exact = matrixAlgebra(rationals);
  const risk = linearRisk(exact, covariances);
  const sizes = { inputs: covariances.xx.length, hidden, outputs: covariances.yy.length };
  const [, ...saddles] = criticalClasses(sizes);
  return saddles.filter(({ chosen }) => {
    const point = { vectors: chosen.map((j) => vectors[j]!), gauge: exact.identity(hidden) };
    return exactInertia(risk.hessian(criticalWeights(exact, covariances, point))).negative === 0;
  }).length;
}

/** First and last weights 0, those between with ones on so much of the diagonal. */
const saddleWith = (widths: readonly number[], rank: number): Chain =>
  widths.slice(1).map((rows, l) => {
    const isMiddle = l > 0 && l < widths.length - 2;
    return Array.from({ length: rows }, (_, i) =>
      Array.from({ length: widths[l]! }, (__, j) => (isMiddle && i === j && i < rank ? 1 : 0)),
    );
  });

/** The greatest |W_(l+1)^T W_(l+1) - W_l W_l^T|. */
const imbalance = (weights: Chain): number =>
  Math.max(
    0,
    ...weights.slice(1).map((next, l) => {
      const { product, transpose, minus } = algebra;
      return Math.hypot(
        ...minus(product(transpose(next), next), product(weights[l]!, transpose(weights[l]!))).flat(),
      );
    }),
  );
