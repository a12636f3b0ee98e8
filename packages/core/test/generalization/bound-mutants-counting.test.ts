// Countable classes, held-out examples and growth functions, and damages to them.
import { describe } from "vitest";
import { agrees, type Bounds, base, delta, n, noticesDamage, type Trial } from "./bound-mutants.ts";
import { atMost, clopperPearson, greatestRisk, mcDiarmid } from "./bounds-by-hand.ts";
import { damages } from "./damaged-module.ts";

const finite: Trial<Bounds> = {
  entry: "generalization/bounds/index.ts",
  check: ({ occamBound, occamKlBound, logInverseBitWeight, validationBound, binomialUpperLimit }) => {
    for (const [empirical, weight] of [
      [0.1, 40],
      [0, 3],
      [0.6, 0],
    ] as const) {
      const o = { ...base, empirical, logInverseWeight: weight };
      agrees(occamBound(o).value, empirical + Math.sqrt((weight + Math.log(2 / delta)) / (2 * n)));
      agrees(occamKlBound(o).value, greatestRisk(empirical, (weight + Math.log(1 / delta)) / n));
    }
    agrees(logInverseBitWeight(10, 32), Math.log(2) * 320);
    for (const [errors, models] of [
      [0, 1],
      [20, 1],
      [20, 50],
      [699, 3],
    ] as const) {
      const { value } = validationBound({ ...base, errors, models });
      agrees(value, clopperPearson(n, errors, delta / models));
      agrees(delta / models, atMost(n, value!, errors), 1e-6);
    }
    agrees(binomialUpperLimit(5, 5, 0.1), 1);
  },
  mutants: [
    ...damages(
      "generalization/bounds/finite-class.ts",
      ["o.empirical + Math.sqrt((o", "Math.sqrt((o"],
      ["o.logInverseWeight + Math.log(2 / o.delta)) / (2 * o.n)", "Math.log(2 / o.delta)) / (2 * o.n)"],
      ["Math.log(2 / o.delta)", "Math.log(1 / o.delta)"],
      ["Math.log(2 / o.delta)", "Math.log2(2 / o.delta)"],
      ["Math.log(2 / o.delta)) / (2 * o.n)", "Math.log(2 / o.delta)) / (2 * (o.n - 1))"],
      ["Math.log(2 / o.delta)) / (2 * o.n)", "Math.log(2 / o.delta)) / o.n"],
      [
        "o.empirical + Math.sqrt((o.logInverseWeight + Math.log(2 / o.delta)) / (2 * o.n))",
        "o.empirical + (o.logInverseWeight + Math.log(2 / o.delta)) / (2 * o.n)",
      ],
      [
        "(o.logInverseWeight + Math.log(1 / o.delta)) / o.n",
        "(o.logInverseWeight + Math.log(1 / o.delta)) / (2 * o.n)",
      ],
      ["(o.logInverseWeight + Math.log(1 / o.delta)) / o.n", "o.logInverseWeight / o.n"],
      ["bits * parameters * Math.LN2", "bits * parameters"],
      ["bits * parameters * Math.LN2", "parameters * Math.LN2"],
    ),
    ...damages(
      "generalization/bounds/bernoulli-kl.ts",
      ["bernoulliKl(q, p) >= target", "bernoulliKl(p, q) >= target"],
      ["part(q, p) + part(1 - q, 1 - p)", "part(q, p)"],
      ["a * Math.log(a / b)", "a * Math.log2(a / b)"],
      ["a * Math.log(a / b)", "a * Math.log(b / a)"],
    ),
    ...damages(
      "generalization/bounds/validation.ts",
      ["delta / models)", "delta)"],
      ["delta / models)", "delta * models)"],
      ["binomialTail(n, 1 - p, n - k)", "binomialTail(n, 1 - p, n - k + 1)"],
      ["binomialTail(n, 1 - p, n - k)", "binomialTail(n - 1, 1 - p, n - k)"],
      ["binomialTail(n, 1 - p, n - k)", "binomialTail(n, p, n - k)"],
      ["const target = level * (1 - 1e-9)", "const target = 2 * level"],
      ["if (k >= n) return 1;", "if (k >= n) return k / n / 2;"],
    ),
    ...damages("generalization/bounds/bound.ts", [
      "const roundedUp = 1 + 1e-12",
      "const roundedUp = 1 - 1e-6",
    ]),
  ],
};

/** ln of the patterns of the classifier 7-11-5-3 on n points: all parameters below a layer, its polynomials, its degree. */
function logPatterns(widths: readonly number[], points: number): number {
  const levels = widths.slice(1).map((k, l) => ({
    W: widths.slice(1, l + 2).reduce((sum, d, i) => sum + d * (widths[i]! + 1), 0),
    polynomials: l === widths.length - 2 ? Math.max(1, (k * (k - 1)) / 2) : k,
    degree: l + 1,
  }));
  const all = points * Math.log(Math.max(2, widths.at(-1)!));
  if (points < levels.reduce((s, { W }) => s + W, 0)) return all;
  return Math.min(
    all,
    levels.reduce(
      (s, { W, polynomials, degree }) =>
        s + Math.log(2) + W * (1 + Math.log((2 * points * polynomials * degree) / W)),
      0,
    ),
  );
}

const vc: Trial<Bounds> = {
  entry: "generalization/bounds/index.ts",
  check: ({ networkVcBound, growthGapBound, vcGapBound }) => {
    for (const [widths, points] of [
      [[7, 11, 5, 3], 700],
      [[2, 3, 1], 5000],
      [[2, 3, 4], 9000],
      [[1, 1], 40],
      [[100, 1], 10], // fewer points than parameters: all labels
    ] as const)
      agrees(
        networkVcBound({ n: points, delta, empirical: 0.07, piecewise: true, widths }).value,
        0.07 + Math.sqrt((2 * logPatterns(widths, points)) / points) + mcDiarmid(points, delta),
      );
    agrees(
      growthGapBound({ ...base, logGrowth: 9 }).value,
      Math.sqrt((2 * (Math.log(2) + 9)) / n) + mcDiarmid(n, delta),
    );
    // Sauer's count itself for few points, (e n / d)^d for many.
    const few = Math.log([0, 1, 2, 3].reduce((s, k) => s + choose(40, k), 0));
    for (const [points, sauer] of [
      [2, 2 * Math.log(2)],
      [40, few],
      [n, 3 * (1 + Math.log(n / 3))],
    ] as const)
      agrees(
        vcGapBound({ n: points, delta, dimension: 3 }).value,
        Math.sqrt((2 * (Math.log(2) + sauer)) / points) + mcDiarmid(points, delta),
      );
  },
  mutants: [
    ...damages(
      "generalization/bounds/vc.ts",
      ["empirical + Math.sqrt((2 * logNetworkGrowth", "Math.sqrt((2 * logNetworkGrowth"],
      [
        "(2 * logNetworkGrowth(network, n)) / n) + deviationTerm(n, delta)",
        "(2 * logNetworkGrowth(network, n)) / n)",
      ],
      ["(2 * logNetworkGrowth(network, n)) / n", "logNetworkGrowth(network, n) / n"],
      ["(2 * logNetworkGrowth(network, n)) / n", "(2 * logNetworkGrowth(network, n)) / (n - 1)"],
      ["(2 * (Math.LN2 + o.logGrowth)) / o.n", "(2 * o.logGrowth) / o.n"],
      ["(2 * (Math.LN2 + logSauer(n, dimension))) / n", "(2 * logSauer(n, dimension)) / n"],
    ),
    ...damages(
      "generalization/bounds/bound.ts",
      ["Math.sqrt(Math.log(1 / delta) / (2 * n))", "Math.sqrt(Math.log(1 / delta) / n)"],
      ["Math.sqrt(Math.log(1 / delta) / (2 * n))", "Math.log(1 / delta) / (2 * n)"],
      ["Math.sqrt(Math.log(1 / delta) / (2 * n))", "Math.sqrt(Math.log10(1 / delta) / (2 * n))"],
    ),
    ...damages(
      "generalization/bounds/vc-dimension.ts",
      ["const own = k * (widths[l]! + 1);", "const own = k * widths[l]!;"],
      ["(k * (k - 1)) / 2", "k"],
      ["degree === 0 ? own : through", "own"],
      [
        "sum + Math.LN2 + W * Math.log((2 * Math.E * m * count * degree) / W)",
        "sum + W * Math.log((2 * Math.E * m * count * degree) / W)",
      ],
      [
        "sum + Math.LN2 + W * Math.log((2 * Math.E * m * count * degree) / W)",
        "sum + Math.LN2 + W * Math.log((Math.E * m * count * degree) / W)",
      ],
      ["if (m < leastPoints(levels)) return all;", "if (m < 0) return all;"],
      ["1 + l * degree ** l", "1"],
    ),
    ...damages(
      "generalization/bounds/growth-function.ts",
      ["dimension * Math.log((Math.E * m) / dimension)", "dimension * Math.log(m / dimension)"],
      ["dimension * Math.log((Math.E * m) / dimension)", "Math.log((Math.E * m) / dimension)"],
      ["if (m <= dimension) return m * Math.LN2;", "if (m <= dimension) return 0;"],
    ),
  ],
};
const choose = (a: number, b: number): number => (b === 0 ? 1 : (choose(a, b - 1) * (a - b + 1)) / b);

type Held = typeof import("../../src/audit/audited-data.ts");
const held: Trial<Held> = {
  entry: "audit/audited-data.ts",
  check: ({ errorDecomposition }) => {
    const about = {
      task: "classification",
      examples: 10,
      testExamples: 200,
      sharedExamples: 0,
      features: 1,
      constantError: 0.5,
    } as const;
    const { trueError } = errorDecomposition({ trainError: 0, testError: 14 / 200 } as never, about, delta)!;
    agrees(trueError[1], clopperPearson(200, 14, delta / 2));
    agrees(1 - trueError[0], clopperPearson(200, 186, delta / 2));
    if (
      errorDecomposition({ trainError: 0, testError: 0 } as never, { ...about, sharedExamples: 200 }, delta)
    )
      throw new Error("training examples were taken for tests");
  },
  mutants: damages(
    "audit/audited-data.ts",
    ["binomialUpperLimit(n, n - wrong, delta / 2)", "binomialUpperLimit(n, n - wrong, delta)"],
    ["binomialUpperLimit(n, wrong, delta / 2)", "binomialUpperLimit(n, wrong, delta)"],
    ["1 - binomialUpperLimit(n, n - wrong, delta / 2)", "1 - binomialUpperLimit(n, wrong, delta / 2)"],
    ["if (testsNothing(about)) return undefined;", ""],
  ),
};

describe("countable classes and held-out examples", () => noticesDamage(finite));
describe("growth functions", () => noticesDamage(vc));
describe("the range of the true error", () => noticesDamage(held));
