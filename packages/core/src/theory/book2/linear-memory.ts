import type { Figure } from "../../figure/figure.ts";
import {
  farModel,
  frobenius,
  matrixProductOf,
  memorize,
  rowBasis,
} from "../../generalization/memorization/linear-memory.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma, TheoryError } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C2-06",
  covers: ["C2-06"],
  kind: "construction",
  title: "A linear model that memorizes, errs little, and is far from the truth",
  source: "Book, chapter 2, Theorem 2.1 and Corollary 2.2",
  statement: String.raw`\operatorname{rank} [\Phi; \Phi_{\text{test}}] < n: \; \forall \varepsilon, \delta \ge 0 \; \exists w: \quad \|\Phi w - Y\|_F \le \varepsilon, \; \|\Phi_{\text{test}} w - Y_{\text{test}}\|_F \le \varepsilon, \; \|w\|_F \ge \delta, \; \|w - w^*\|_F \ge \delta`,
  parameters: {
    m: integer({ min: 1, max: 8, default: 4, label: "training examples m" }),
    tests: integer({ min: 1, max: 8, default: 3, label: "test examples" }),
    n: integer({ min: 2, max: 20, default: 9, label: "features n" }),
    rank: integer({ min: 1, max: 20, default: 20, label: "rank of all features, at most (and below n)" }),
    outputs: integer({ min: 1, max: 3, default: 2, label: "outputs s" }),
    logEps: integer({ min: -6, max: 1, default: -2, label: "log₁₀ ε" }),
    logDelta: integer({ min: -2, max: 6, default: 6, label: "log₁₀ δ" }),
  },
  claims: {
    "(i) any labels: error of the memory": equals("0"),
    "(ii) (a) training error": atMost(String.raw`\varepsilon`),
    "(ii) (b) test error": atMost(String.raw`\varepsilon`),
    "(ii) (c) norm of w": atLeast(String.raw`\delta`),
    "(ii) (c) distance from the truth": atLeast(String.raw`\delta`),
  },
  mutants: {
    "squares of the errors for the errors": {
      "(ii) (a) training error": ({ logEps }) => 10 ** (2 * logEps),
      "(ii) (b) test error": ({ logEps }) => 10 ** (2 * logEps),
    },
    "a digit of δ lost": ({ logDelta }) => ({ logDelta: logDelta - 1 }),
  },
  run({ m, tests, n, rank, outputs, logEps, logDelta }, { random, budget }) {
    const [eps, delta] = [10 ** logEps, 10 ** logDelta];
    const all = features(m + tests, n, Math.min(rank, n - 1), random);
    const [Phi, PhiTest] = [all.slice(0, m), all.slice(m)];
    const truth = matrix(n, outputs, random);
    const far = farModel(Phi, PhiTest, truth, { eps, delta, random });
    if (!far) throw new TheoryError(`features of rank below ${n} leave no direction to go far in`);
    // Corollary 2.2: (ii) needs neither n > m nor that the training rows are independent.
    const memory = n > m && rowBasis(Phi).length === m ? memoryError(Phi, outputs, random) : undefined;
    const rounding = { tolerance: far.floor };
    return {
      graph: network([layer(transposed(far.w))]),
      ...(budget === "cheap" ? {} : { figure: figure({ Phi, PhiTest, truth }, random) }),
      claims: {
        ...(memory === undefined
          ? {}
          : { "(i) any labels: error of the memory": checked(memory.error, 0, { tolerance: memory.floor }) }),
        "(ii) (a) training error": checked(far.trainError, eps, rounding),
        "(ii) (b) test error": checked(far.testError, eps, rounding),
        "(ii) (c) norm of w": checked(far.norm, delta, { tolerance: 1e-12 * delta }), // a norm of rounded sums
        "(ii) (c) distance from the truth": checked(far.distance, delta, { tolerance: 1e-12 * delta }),
      },
    };
  },
});

const matrix = (rows: number, columns: number, random: Random): number[][] =>
  Array.from({ length: rows }, () => Array.from(random.normal(columns)));

/** Normal rows; of lower rank, products of two normal matrices. */
function features(rows: number, n: number, rank: number, random: Random): number[][] {
  if (rank >= Math.min(rows, n)) return matrix(rows, n, random);
  const [A, B] = [matrix(rows, rank, random), matrix(rank, n, random)];
  return matrixProductOf(A, B).map((row) => Array.from(row));
}

const transposed = (w: readonly Float64Array[]): number[][] =>
  Array.from({ length: w[0]!.length }, (_, c) => w.map((row) => row[c]!));

function memoryError(Phi: number[][], outputs: number, random: Random) {
  const Y = matrix(Phi.length, outputs, random);
  const w = memorize(Phi, Y);
  const error = frobenius(matrixProductOf(Phi, w).map((row, i) => row.map((v, c) => v - Y[i]![c]!)));
  // An inverse of the Gram matrix by its eigenvalues: rounding times the sizes of what is multiplied, and its square.
  const floor = 1e3 * 2 ** -52 * (1 + frobenius(Phi)) ** 2 * (1 + frobenius(w)) * Phi.length;
  return { error, floor };
}

function figure(
  {
    Phi,
    PhiTest,
    truth,
  }: { readonly Phi: number[][]; readonly PhiTest: number[][]; readonly truth: number[][] },
  random: Random,
): Figure {
  const deltas = Array.from({ length: 13 }, (_, k) => 10 ** (k / 2));
  const models = deltas.map((delta) => farModel(Phi, PhiTest, truth, { eps: 0.01, delta, random })!);
  return {
    title: "The same predictions from ever larger parameters, ε = 0.01",
    panels: [
      {
        title: "Norms grow, errors do not",
        x: { label: "δ", scale: "log" },
        y: { label: "norm, or error", scale: "log" },
        series: [
          { name: "norm of w", mark: "line", points: models.map(({ norm }, k) => [deltas[k]!, norm]) },
          { name: "training error", mark: "dots", points: models.map((f, k) => [deltas[k]!, f.trainError]) },
          { name: "test error", mark: "dots", points: models.map((f, k) => [deltas[k]!, f.testError]) },
          { name: "ε", mark: "line", role: "theory", points: deltas.map((delta) => [delta, 0.01]) },
        ],
      },
    ],
  };
}
