import { leastSquares } from "../../linear-algebra/least-squares.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import type { Random } from "../../numbers/random.ts";
import {
  allPairs,
  degreesOfFreedom,
  designOf,
  leafPairs,
  type PairGraph,
  squaredDistance,
} from "../../sparse/polynomial-graph.ts";
import { atLeast, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { knownGraphFigure, knownGraphTable, trainedCurves } from "./known-graph-networks.ts";

export default lemma({
  id: "P-27",
  covers: ["P-27"],
  kind: "experiment",
  title: "A graph that is known saves examples; a wrong one never learns",
  source: "Poggio, section 4.1, Conjecture 1",
  statement: String.raw`f = \sum_{\text{nodes}} g(x_{2k}, x_{2k+1}) : \quad m^* = 1 + \tfrac32 n \text{ with the graph}, \qquad m^* = 1 + n + \tbinom n2 \text{ without}`,
  parameters: {
    half: integer({ min: 2, max: 5, default: 4, label: "nodes (pairs of inputs)" }),
    extra: integer({ min: 1, max: 3, default: 2, label: "edges too many" }),
  },
  claims: {
    "examples needed, graph known": equals("1 + 3n/2"),
    "examples needed, dense": equals(String.raw`1 + n + \tbinom{n}{2}`),
    "examples needed, a graph that contains it": equals("1 + 3n/2 + e, \\; e \\text{ edges too many}"),
    "error of the known graph with as many examples": equals("0"),
    "error of the dense one with these examples": equals(
      String.raw`\|c - P c\|^2, \; P \text{ the projection on the examples' monomials}`,
    ),
    "error of the wrong graph, however many examples": atLeast(
      String.raw`\sum c_{ij}^2 \text{ over missing pairs}`,
    ),
    "exponent of the examples in n, graph known": equals("1").rate(),
    "exponent of the examples in n, dense": equals("2").rate(),
  },
  mutants: {
    "the constant forgotten": { "examples needed, graph known": ({ half }) => 3 * half },
    "pairs in both orders": {
      "examples needed, dense": ({ half }) => 1 + 2 * half + 2 * half * (2 * half - 1),
    },
    "one exponent for both": { "exponent of the examples in n, dense": () => 1 },
  },
  async run({ half, extra }, { random, budget, progress }) {
    const n = 2 * half;
    const target = drawTarget(n, random);
    const spare = allPairs(n).filter(([i, j]) => j !== i + 1 || i % 2 === 1);
    const superset = [...leafPairs(n), ...spare.slice(0, extra)];
    const wrong: PairGraph = Array.from({ length: half }, (_, k) => [2 * k + 1, (2 * k + 2) % n]);
    const needed = {
      known: await examplesNeeded(n, target, leafPairs(n), random),
      superset: await examplesNeeded(n, target, superset, random),
      dense: await examplesNeeded(n, target, allPairs(n), random),
    };
    await progress(0.3);
    const few = degreesOfFreedom(n, leafPairs(n));
    const points = draws(few, n, random);
    const [known, dense] = [
      await fittedError(n, target, leafPairs(n), points),
      await fittedError(n, target, allPairs(n), points),
    ];
    const many = draws(8 * few, n, random);
    const missing = target.coefficients.slice(n + 1).reduce((sum, c) => sum + c * c, 0);
    const sizes = Array.from({ length: 13 }, (_, k) => 8 + 2 * k);
    const count = (pairs: (n: number) => PairGraph) =>
      sizes.map((size) => [size, rankOfGraph(size, pairs(size))] as const);
    const curves = budget === "cheap" ? undefined : await trainedCurves(random.split("networks"), progress);
    // The slopes of 1 + 3n/2 and 1 + n/2 + n²/2 in log-log coordinates at n = 8 are 12/13 and 68/37.
    const [slow, fast] = [fitted(count(leafPairs), 1, 1 / 13), fitted(count(allPairs), 2, 0.17)];
    return {
      ...(curves ? { figure: knownGraphFigure(sizes, curves), table: knownGraphTable(curves) } : {}),
      claims: {
        "examples needed, graph known": checked(needed.known, 1 + 3 * half),
        "examples needed, dense": checked(needed.dense, 1 + n + (n * (n - 1)) / 2),
        "examples needed, a graph that contains it": checked(
          needed.superset,
          1 + 3 * half + superset.length - half,
        ),
        "error of the known graph with as many examples": sampled(known.error, 0, {
          tolerance: known.tolerance,
        }),
        "error of the dense one with these examples": sampled(
          dense.error,
          await leastError(n, target, points),
          {
            tolerance: 1e-9,
          },
        ),
        "error of the wrong graph, however many examples": sampled(
          (await fittedError(n, target, wrong, many)).error,
          missing,
        ),
        ...(slow ? { "exponent of the examples in n, graph known": slow } : {}),
        ...(fast ? { "exponent of the examples in n, dense": fast } : {}),
      },
    };
  },
});

interface Target {
  readonly pairs: PairGraph;
  readonly coefficients: readonly number[];
}

/** Coefficients of size 1/2 to 1, so that no pair is missing. */
const drawTarget = (n: number, random: Random): Target => ({
  pairs: leafPairs(n),
  coefficients: Array.from(
    { length: degreesOfFreedom(n, leafPairs(n)) },
    () => (random.uniform() < 0.5 ? -1 : 1) * (0.5 + random.uniform() / 2),
  ),
});

const draws = (count: number, n: number, random: Random): number[][] =>
  Array.from({ length: count }, () => Array.from(random.normal(n)));

/** The exact error of the least-squares fit (of least norm), and what rounding may leave of it. */
async function fittedError(n: number, target: Target, pairs: PairGraph, points: readonly number[][]) {
  const values = designOf(points, target.pairs).map((row) => [
    row.reduce((sum, v, k) => sum + v * target.coefficients[k]!, 0),
  ]);
  const { solution } = await leastSquares(matrixOfRows(designOf(points, pairs)), matrixOfRows(values));
  const error = squaredDistance(n, target, { pairs, coefficients: Array.from(solution.entries) });
  return { error, tolerance: 1e-12 };
}

/** The least m for which m random examples give the function back: bisection, as more examples never hurt the rank. */
async function examplesNeeded(n: number, target: Target, pairs: PairGraph, random: Random): Promise<number> {
  let [low, high] = [1, 2 * degreesOfFreedom(n, pairs)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { error } = await fittedError(n, target, pairs, draws(middle, n, random));
    if (error < 1e-10) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Independent columns of the design at points of a lattice, by elimination: no count of pairs enters. */
function rankOfGraph(n: number, pairs: PairGraph): number {
  // 0, the unit vectors and their sums are enough to tell all monomials apart.
  const unit = (...ones: number[]): number[] => Array.from({ length: n }, (_, k) => Number(ones.includes(k)));
  const points = [
    unit(),
    ...Array.from({ length: n }, (_, i) => unit(i)),
    ...allPairs(n).map(([i, j]) => unit(i, j)),
  ];
  const rows = designOf(points, pairs);
  let rank = 0;
  for (let column = 0; column < rows[0]!.length; column++) {
    const pivot = rows.findIndex((row, i) => i >= rank && Math.abs(row[column]!) > 1e-9);
    if (pivot < 0) continue;
    [rows[rank], rows[pivot]] = [rows[pivot]!, rows[rank]!];
    for (let i = rank + 1; i < rows.length; i++) {
      const factor = rows[i]![column]! / rows[rank]![column]!;
      if (factor !== 0) rows[i] = rows[i]!.map((v, k) => v - factor * rows[rank]![k]!);
    }
    rank++;
  }
  return rank;
}

/** The part of the target that no combination of the examples' monomials reaches: |c|^2 - |P c|^2, P the projection on them. */
async function leastError(n: number, target: Target, points: readonly number[][]): Promise<number> {
  const pairs = allPairs(n);
  const design = matrixOfRows(designOf(points, pairs));
  const transposed = matrixOfRows(
    Array.from({ length: design.columns }, (_, j) =>
      Array.from({ length: design.rows }, (__, i) => design.entries[i * design.columns + j]!),
    ),
  );
  const inPairs = Array.from({ length: design.columns }, () => 0);
  target.coefficients.forEach((c, k) => {
    const place =
      k <= n
        ? k
        : n +
          1 +
          pairs.findIndex(([i, j]) => i === target.pairs[k - n - 1]![0] && j === target.pairs[k - n - 1]![1]);
    inPairs[place] = c;
  });
  const { solution } = await leastSquares(transposed, matrixOfRows(inPairs.map((v) => [v])));
  const projected = Array.from({ length: transposed.rows }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < transposed.columns; j++)
      sum += transposed.entries[i * transposed.columns + j]! * solution.entries[j]!;
    return sum;
  });
  return inPairs.reduce((sum, c, i) => sum + (c - projected[i]!) ** 2, 0);
}
