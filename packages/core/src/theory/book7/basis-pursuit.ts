import type { Random } from "../../numbers/random.ts";
import { type Dictionary, residualOf, squaredNormAbove } from "../../sparse/pursuit/dictionary.ts";
import { lassoCode, lassoPath, optimalityViolation } from "../../sparse/pursuit/lasso-code.ts";
import { multilayerPursuit } from "../../sparse/pursuit/multilayer.ts";
import { hardThreshold, rectifiedThreshold, softThreshold } from "../../sparse/pursuit/thresholds.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C7-02",
  covers: ["C7-01", "C7-02"],
  kind: "algorithm",
  title: "Basis pursuit with a certificate: thresholds, and a point of the dual problem",
  source: "Book, chapter 7, (7.3), (7.11), (7.24)",
  statement: String.raw`\min_x F(x) = \tfrac12 \|y - D x\|_2^2 + \lambda \|x\|_1, \qquad F(x) - F_* \le F(x) - \tfrac12 \|y\|^2 + \tfrac12 \|y - u\|^2, \; u = (y - D x) \min(1, \lambda / \|D^T (y - D x)\|_\infty)`,
  parameters: {
    n: integer({ min: 2, max: 8, default: 6, label: "numbers of a signal" }),
    atoms: integer({ min: 2, max: 14, default: 12, label: "atoms" }),
    share: real({
      min: 0.02,
      max: 0.95,
      default: 0.2,
      label: "λ, as a share of the least one whose code is 0",
    }),
    v: real({ min: -3, max: 3, default: 1.7, label: "a number to threshold" }),
    t: real({ min: 0.05, max: 2, default: 0.6, label: "its threshold" }),
  },
  claims: {
    "soft threshold": equals(String.raw`\arg\min_x \tfrac12 (x - v)^2 + t |x|`),
    "ReLU with bias -t": equals(String.raw`\arg\min_{x \ge 0} \tfrac12 (x - v)^2 + t |x|`),
    "hard threshold: its objective": equals(String.raw`\min_x \tfrac12 (x - v)^2 + t [x \ne 0]`),
    "duality gap, relative": equals("0"),
    "objective, less that of proximal steps": equals("0"),
    "optimality, relative to λ: |D^T r| and signs": equals("0"),
    "objective of codes on the support, from its linear equations": equals("F(x)"),
    "code for the greatest λ": equals("0"),
    "code in orthonormal atoms, less the threshold of the correlations": equals("0"),
  },
  mutants: {
    "half the threshold": { "soft threshold": ({ v, t }) => softThreshold(v, t / 2) },
    "hard threshold at t": {
      "hard threshold: its objective": ({ v, t }) => (Math.abs(v) > t ? t : (v * v) / 2),
    },
    "λ doubled on the way": {
      "objective of codes on the support, from its linear equations": (_, { theory }) => theory * 1.01,
    },
  },
  async run({ n, atoms, share, v, t }, { random, budget }) {
    const dictionary: Dictionary = { size: n, count: atoms, atoms: random.split("atoms").normal(n * atoms) };
    const y = random.split("signal").normal(n);
    const [first] = lassoPath(dictionary, y, { count: 1 });
    const lambda = share * first!.lambda;
    const code = lassoCode(dictionary, y, lambda, { gap: 1e-15 });
    const size = y.reduce((sum, e) => sum + e * e, 0) / 2;
    const steps = multilayerPursuit([dictionary], y, [lambda], {
      ...{ iterations: 3000, accelerated: true, start: code.x.map((e) => e * 0.9) },
      steps: [1 / squaredNormAbove(dictionary)],
    });
    const rotation = orthonormal(n, random.split("rotation"));
    const inRotation = lassoCode(rotation, y, lambda).x;
    const correlations = Float64Array.from({ length: n }, (_, j) =>
      y.reduce((sum, e, i) => sum + e * rotation.atoms[j * n + i]!, 0),
    );
    return {
      ...(budget === "cheap" ? {} : { figure: pathFigure(dictionary, y) }),
      claims: {
        // A golden section finds a minimum of a parabola to the root of the rounding.
        "soft threshold": checked(
          softThreshold(v, t),
          least((x) => (x - v) ** 2 / 2 + t * Math.abs(x), -5, 5),
          {
            tolerance: 1e-6,
          },
        ),
        "ReLU with bias -t": checked(
          rectifiedThreshold(v, t),
          least((x) => (x - v) ** 2 / 2 + t * x, 0, 5),
          {
            tolerance: 1e-6,
          },
        ),
        "hard threshold: its objective": checked(
          hardObjective(hardThreshold(v, t), v, t),
          Math.min(hardObjective(0, v, t), hardObjective(v, v, t)),
        ),
        "duality gap, relative": checked(code.dualityGap / size, 0, { tolerance: 1e-13 }),
        "objective, less that of proximal steps": checked(
          Math.max(0, code.objective - Math.min(...steps.objectives)) / size,
          0,
          { tolerance: 1e-13 },
        ),
        // |D (x - x*)|^2 / 2 is at most the gap, so that correlations are off by its root times the longest atom.
        "optimality, relative to λ: |D^T r| and signs": checked(
          optimalityViolation(dictionary, y, lambda, code.x) / first!.lambda,
          0,
          { tolerance: 1e-5 },
        ),
        "objective of codes on the support, from its linear equations": checked(
          code.objective,
          supportObjective(dictionary, y, lambda, code.x),
          { tolerance: 1e-12 * size },
        ),
        "code for the greatest λ": checked(
          lassoCode(dictionary, y, first!.lambda * (1 + 2 ** -40)).x.reduce(
            (m, e) => Math.max(m, Math.abs(e)),
            0,
          ),
          0,
        ),
        "code in orthonormal atoms, less the threshold of the correlations": checked(
          inRotation.reduce(
            (m, e, j) => Math.max(m, Math.abs(e - softThreshold(correlations[j]!, lambda))),
            0,
          ),
          0,
          { tolerance: 1e-6 * Math.sqrt(size) },
        ),
      },
    };
  },
});

const hardObjective = (x: number, v: number, t: number): number => (x - v) ** 2 / 2 + (x === 0 ? 0 : t);

/** By golden sections: convex functions only. */
function least(f: (x: number) => number, low: number, high: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [low, high];
  for (let k = 0; k < 90; k++) {
    const [x, z] = [b - golden * (b - a), a + golden * (b - a)];
    if (f(x) <= f(z)) b = z;
    else a = x;
  }
  return (a + b) / 2;
}

/**
 * F at the code with this support and these signs s: D_S^T D_S x = D_S^T y - lambda s, solved by elimination. At the solution
 * F = (|y|^2 - <D_S^T y - lambda s, x>) / 2.
 */
function supportObjective(dictionary: Dictionary, y: Float64Array, lambda: number, x: Float64Array): number {
  const { size, atoms } = dictionary;
  const support = Array.from(x.keys()).filter((j) => x[j] !== 0);
  const dot = (j: number, w: Float64Array): number =>
    w.reduce((sum, e, i) => sum + e * atoms[j * size + i]!, 0);
  const right = support.map((j) => dot(j, y) - lambda * Math.sign(x[j]!));
  const rows = support.map((i, k) => [
    ...support.map((j) => dot(i, atoms.subarray(j * size, (j + 1) * size))),
    right[k]!,
  ]);
  for (let k = 0; k < rows.length; k++)
    for (let i = 0; i < rows.length; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]! / rows[k]![k]!;
      rows[i] = rows[i]!.map((e, j) => e - factor * rows[k]![j]!);
    }
  const solved = rows.map((row, k) => row.at(-1)! / row[k]!);
  const square = y.reduce((sum, e) => sum + e * e, 0);
  return (square - right.reduce((sum, e, k) => sum + e * solved[k]!, 0)) / 2;
}

/** Random atoms, made orthonormal one after the other. */
function orthonormal(n: number, random: Random): Dictionary {
  const atoms = random.normal(n * n);
  for (let j = 0; j < n; j++) {
    const own = atoms.subarray(j * n, (j + 1) * n);
    for (let twice = 0; twice < 2; twice++)
      for (let k = 0; k < j; k++) {
        const other = atoms.subarray(k * n, (k + 1) * n);
        const share = own.reduce((sum, e, i) => sum + e * other[i]!, 0);
        own.forEach((e, i) => {
          own[i] = e - share * other[i]!;
        });
      }
    const length = Math.hypot(...own);
    own.forEach((e, i) => {
      own[i] = e / length;
    });
  }
  return { size: n, count: n, atoms };
}

function pathFigure(dictionary: Dictionary, y: Float64Array) {
  const path = lassoPath(dictionary, y, { count: 40, least: 0.01 });
  return {
    title: "What λ does to a code",
    panels: [
      {
        ...{
          title: "The code along the path",
          x: { label: "λ", scale: "log" as const },
          y: { label: "x_j" },
        },
        series: Array.from({ length: dictionary.count }, (_, j) => ({
          ...{ name: `atom ${j + 1}`, mark: "line" as const },
          points: path.map((p) => [p.lambda, p.x[j]!] as const),
        })).filter((s) => s.points.some(([, e]) => e !== 0)),
      },
      {
        title: "Residual and nonzeros",
        ...{ x: { label: "λ", scale: "log" as const }, y: { label: "size" } },
        series: [
          {
            ...{ name: "|y - D x|", mark: "line" as const },
            points: path.map((p) => [p.lambda, Math.hypot(...residualOf(dictionary, y, p.x))] as const),
          },
          {
            ...{ name: "nonzeros", mark: "line" as const },
            points: path.map((p) => [p.lambda, p.x.filter((e) => e !== 0).length] as const),
          },
        ],
      },
    ],
  };
}
