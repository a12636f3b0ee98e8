import type { Figure } from "../../figure/figure.ts";
import {
  type CriticalClass,
  criticalClasses,
  criticalWeights,
  exactLandscape,
} from "../../landscape/linear/critical-points.ts";
import { escapeDirection, escapeFromDeficient } from "../../landscape/linear/escape.ts";
import { type Chain, linearRisk } from "../../landscape/linear/linear-risk.ts";
import { exactInertia } from "../../linear-algebra/exact-inertia.ts";
import { type MatrixOf, matrixAlgebra, rationals } from "../../linear-algebra/matrix-algebra.ts";
import { abs, add, compare, type Exact, sub, toNumber } from "../../numbers/exact/rational.ts";
import { equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { type RationalProblem, rationalProblem, wholeGauge } from "./rational-problem.ts";

const algebra = matrixAlgebra(rationals);

export default lemma({
  id: "C4-04",
  covers: ["C4-04", "C4-06"],
  kind: "construction",
  title: "Every critical point of a linear network with one hidden layer",
  source: "Book, chapter 4, Theorem 4.2; Baldi and Hornik 1989",
  statement: String.raw`U = Q_J C, \; V = \Sigma_{xx}^{-1} \Sigma_{xy} Q_J C^{-\top}: \quad \mathcal R = \operatorname{tr} \Sigma_{yy} - \sum_{j \in J} \lambda_j, \quad \#\{\text{negative eigenvalues of } \nabla^2 \mathcal R\} = \#\{(j, k): j \in J, k \notin J, \lambda_k > \lambda_j\} + (n_1 - |J|)(n_2 - |J|)`,
  parameters: {
    n1: integer({ min: 1, max: 3, default: 2, label: "hidden units" }),
    more: integer({ min: 0, max: 2, default: 2, label: "outputs more than hidden units" }),
    free: integer({ min: 0, max: 1, default: 0, label: "inputs more than outputs" }),
    which: real({ min: 0, max: 1, default: 0.5, label: "which of the critical points" }),
  },
  claims: {
    "greatest entry of the gradient": equals("0"),
    risk: equals(String.raw`\operatorname{tr} \Sigma_{yy} - \sum_{j \in J} \lambda_j`),
    "negative eigenvalues of the Hessian": equals(
      String.raw`\#\{(j, k): j \in J, k \notin J, \lambda_k > \lambda_j\} + (n_1 - |J|)(n_2 - |J|)`,
    ),
    "zero eigenvalues of the Hessian": equals("|J|^2 + (n_1 - |J|)(n_0 - n_2 + 2|J|)"),
    "classes of full rank": equals(String.raw`\binom{n_2}{n_1}`),
    "classes without negative curvature": equals("1"),
    "risk outside of the enclosure that is listed": equals("0"),
    "curvature along the escape direction": equals(
      String.raw`2(\lambda_j - \lambda_k), \; -4 \lambda_k \text{ for an unused unit}`,
    ),
    "curvature along e_i aᵀ, α e_j aᵀ where U a = 0": equals(
      String.raw`2 \|\Sigma_{xx}^{1/2} V a\|^2 + 4 \alpha \|a\|^2 E_{ij} < 0`,
    ),
    "curvature, as printed": equals(String.raw`\lambda_J - \lambda_k`).printed({
      where: "proof of Theorem 4.2, part (ii)",
      printed: String.raw`\nabla^2 \mathcal{R}(\mathbf{U}, \mathbf{V})[\Delta, \Delta] = \lambda_k + \lambda_J - 2\lambda_k = \lambda_J - \lambda_k < 0.`,
      corrected: String.raw`$2 (\lambda_J - \lambda_k)$: (4.27) is half of the Hessian form of the risk (4.13) by footnote 8`,
    }),
  },
  mutants: {
    "pairs counted the other way": {
      "negative eigenvalues of the Hessian": ({ n1, more, free, which }) => {
        const n2 = n1 + more;
        const { chosen } = pick(criticalClasses({ inputs: n2 + free, hidden: n1, outputs: n2 }), which);
        return chosen.reduce((sum, j) => sum + (n2 - 1 - j), 0);
      },
    },
    "the gauge has n1 dimensions": {
      "zero eigenvalues of the Hessian": ({ n1 }, { theory }) => theory - n1 ** 2 + n1,
    },
    "half of the curvature": {
      "curvature along the escape direction": (_, { theory }) => theory / 2,
    },
  },
  run({ n1, more, free, which }, { random, budget }) {
    const n2 = n1 + more;
    const n0 = n2 + free;
    const problem = rationalProblem(n0, n2, random.split("problem"));
    const { covariances, eigenvalues, vectors } = problem;
    const found = exactLandscape(covariances, n1);
    const point = pick(found.classes, which);
    const gauge = wholeGauge(n1, random.split("gauge"));
    const rows = point.chosen.map((j) => vectors[j]!);
    const weights = criticalWeights(algebra, covariances, { vectors: rows, gauge });
    const risk = linearRisk(algebra, covariances);
    const hessian = exactInertia(risk.hessian(weights));
    const value = risk.value(weights);
    const lambdas = point.chosen.map((j) => eigenvalues[j]!);
    const total = algebra.trace(covariances.yy);
    const outside = [sub(point.risk.from, value), sub(value, point.risk.to)].map((d) =>
      Math.max(0, toNumber(d)),
    );
    const isFull = (c: CriticalClass) => c.chosen.length === n1;
    const inversions = lambdas.reduce(
      (sum, l) => sum + eigenvalues.filter((k, place) => k > l && !point.chosen.includes(place)).length,
      0,
    );
    const left = n2 - lambdas.length;
    return {
      ...(budget !== "cheap" && { figure: atlas(problem, n1) }),
      claims: {
        "greatest entry of the gradient": proved(greatest(risk.gradient(weights)), 0),
        risk: proved(value, lambdas.reduce<Exact>(sub, total)),
        "negative eigenvalues of the Hessian": proved(
          hessian.negative,
          inversions + (n1 - lambdas.length) * left,
        ),
        "zero eigenvalues of the Hessian": proved(
          hessian.zero,
          lambdas.length ** 2 + (n1 - lambdas.length) * (n0 - n2 + 2 * lambdas.length),
        ),
        "classes of full rank": proved(found.classes.filter(isFull).length, binomial(n2, n1)),
        "classes without negative curvature": proved(negativeFree(problem, n1, found.classes), 1),
        "risk outside of the enclosure that is listed": proved(Math.max(...outside), 0),
        ...escapes(problem, point, { weights, gauge }),
      },
    };
  },
});

const pick = <C>(classes: readonly C[], which: number): C =>
  classes[Math.min(classes.length - 1, Math.floor(which * classes.length))]!;

const binomial = (n: number, k: number): number => (k === 0 ? 1 : (binomial(n - 1, k - 1) * n) / k);

const greatest = (chain: Chain<Exact>): Exact =>
  chain.flat(2).reduce<Exact>((most, x) => (compare(abs(x), most) > 0 ? abs(x) : most), 0);

/** By the inertia of each Hessian, not by the list's own count. */
function negativeFree(
  { covariances, vectors }: RationalProblem,
  n1: number,
  classes: readonly CriticalClass[],
): number {
  const risk = linearRisk(algebra, covariances);
  const gauge = algebra.identity(n1);
  return classes.filter(({ chosen }) => {
    const weights = criticalWeights(algebra, covariances, { vectors: chosen.map((j) => vectors[j]!), gauge });
    return exactInertia(risk.hessian(weights)).negative === 0;
  }).length;
}

interface Point {
  readonly weights: Chain<Exact>;
  readonly gauge: MatrixOf<Exact>;
}

/** The two directions of the proof, where they apply. */
function escapes(
  { covariances, eigenvalues, vectors }: RationalProblem,
  { chosen }: CriticalClass,
  { weights, gauge }: Point,
) {
  const risk = linearRisk(algebra, covariances);
  const n1 = gauge.length;
  const k = eigenvalues.findIndex((_, place) => !chosen.includes(place));
  const isFull = chosen.length === n1;
  if (k < 0 || (isFull && k > chosen.at(-1)!)) return {};
  const along = escapeDirection(algebra, covariances, { gauge, towards: vectors[k]! });
  const curvature = risk.form(weights, along);
  const last = isFull ? eigenvalues[chosen.at(-1)!]! : 0;
  const claims = {
    "curvature along the escape direction": proved(
      curvature,
      isFull ? 2 * (last - eigenvalues[k]!) : -4 * eigenvalues[k]!,
    ),
  };
  if (isFull) return { ...claims, "curvature, as printed": proved(curvature, last - eigenvalues[k]!) };
  // U C^-1 e = [Q_J 0] e = 0 for the last unit vector e.
  const kernel = algebra.inverse(gauge).map((row) => row.at(-1)!);
  const { direction, predicted } = escapeFromDeficient(algebra, covariances, { weights, kernel });
  const form = risk.form(weights, direction);
  return {
    ...claims,
    "curvature along e_i aᵀ, α e_j aᵀ where U a = 0": proved(
      compare(form, 0) < 0 ? form : add(abs(form), 1),
      predicted,
    ),
  };
}

function atlas({ covariances, eigenvalues }: RationalProblem, n1: number): Figure {
  const { classes } = exactLandscape(covariances, n1);
  const ranks = [...new Set(classes.map((c) => c.chosen.length))];
  return {
    title: `Critical points of a linear network with ${n1} hidden unit${n1 > 1 ? "s" : ""}, eigenvalues ${eigenvalues.join(", ")}`,
    panels: [
      {
        title: "Risk and negative eigenvalues of the Hessian",
        x: { label: "negative eigenvalues" },
        y: { label: "risk" },
        series: ranks.map((rank) => ({
          name: `rank ${rank}`,
          mark: "dots" as const,
          points: classes
            .filter((c) => c.chosen.length === rank)
            .map((c) => [c.index, toNumber(c.risk.from)] as const),
        })),
      },
    ],
  };
}
