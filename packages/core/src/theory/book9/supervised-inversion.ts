import type { Figure } from "../../figure/figure.ts";
import { numbers, view } from "../../graph/tensor.ts";
import { type LinearMap, matrixOfMap } from "../../inverse/linear-map.ts";
import { gaussianOperator } from "../../inverse/operators.ts";
import type { Random } from "../../numbers/random.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { train } from "../../train/train.ts";
import { solveSymmetric } from "../book7/normal-equations.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

type Rows = readonly (readonly number[])[];

export default lemma({
  id: "C9-18",
  covers: ["C9-18"],
  kind: "experiment",
  title: "A network that is trained to undo one operator, and what it does to the measurements of another",
  source: "Book, chapter 9, section 9.4; Ongie et al. 2020",
  statement: String.raw`\min_M \mathbb E \|M (A x + e) - x\|^2: \; M = \Sigma A^T (A \Sigma A^T + \sigma^2 I)^{-1}, \qquad \mathbb E \|M (A' x + e) - x\|^2 = \operatorname{tr} \bigl( (M A' - I) \Sigma (M A' - I)^T \bigr) + \sigma^2 \|M\|_F^2`,
  parameters: {
    n: integer({ min: 2, max: 5, default: 4, label: "numbers of a signal" }),
    m: integer({ min: 1, max: 4, default: 2, label: "measurements" }),
    sigma: real({ min: 0.2, max: 1, default: 0.4, label: "deviation σ of the noise" }),
    turn: real({ min: 0, max: 1, default: 0.5, label: "the other operator: 0 the same, 1 another one" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random numbers" }),
  },
  claims: {
    "weights learned on all cases, less the formula": equals("0"),
    "its error over all cases": equals(
      String.raw`\operatorname{tr} (M A - I) \Sigma (M A - I)^T + \sigma^2 |M|_F^2`,
    ),
    "its error on the other operator's measurements": equals(
      String.raw`\operatorname{tr} (M A' - I) \Sigma (M A' - I)^T + \sigma^2 |M|_F^2`,
    ),
    "the same, of the least error for that operator": atLeast("1"),
    "measurements of the opposite operator: error, of that of the answer 0": atLeast("1"),
  },
  mutants: {
    "a formula without noise": {
      "its error over all cases": ({ sigma }, { theory }) => theory - sigma ** 2 / 100,
    },
    "the operator that it was trained for": {
      "its error on the other operator's measurements": ({ turn }, { theory }) => theory * (1 - turn / 4),
    },
    "weights of a ridge that is twice as strong": {
      "weights learned on all cases, less the formula": () => 1e-2,
    },
  },
  async run({ n, m: wanted, sigma, turn, draw }, { random, budget }) {
    const m = Math.min(wanted, n);
    const draws = random.split(`draw ${draw}`);
    const problem = drawnProblem(n, m, sigma, draws);
    const best = bestInverter(problem, problem.A);
    const learned = await learnedInverter(problem);
    const other = between(problem.A, rowsOf(gaussianOperator(m, n, draws.split("other"))), turn);
    const cases = allCases(problem);
    const opposite = problem.A.map((row) => row.map((a) => -a));
    const variance = problem.root.flat().reduce((sum, v) => sum + v * v, 0);
    return {
      ...(budget !== "cheap" && { figure: turningFigure(problem, learned, draws) }),
      claims: {
        "weights learned on all cases, less the formula": checked(
          Math.max(...learned.flatMap((row, i) => row.map((v, j) => Math.abs(v - best[i]![j]!)))),
          0,
          { tolerance: 1e-6 },
        ),
        "its error over all cases": checked(
          errorOver(cases, learned, problem.A),
          errorFormula(problem, learned, problem.A),
          { tolerance: 1e-10 * (1 + variance) },
        ),
        "its error on the other operator's measurements": checked(
          errorOver(cases, learned, other),
          errorFormula(problem, learned, other),
          { tolerance: 1e-10 * (1 + variance) },
        ),
        "the same, of the least error for that operator": checked(
          errorOver(cases, learned, other) / errorOver(cases, bestInverter(problem, other), other),
          1,
          { tolerance: 1e-9 },
        ),
        "measurements of the opposite operator: error, of that of the answer 0": checked(
          errorOver(cases, learned, opposite) / variance,
          1,
          { tolerance: 1e-9 },
        ),
      },
    };
  },
});

/** Signals x = R s with independent signs s, so that their covariance is R R^T; noise is sigma times independent signs. */
interface Problem {
  readonly A: Rows;
  readonly root: Rows;
  readonly sigma: number;
}

interface Case {
  readonly x: readonly number[];
  readonly e: readonly number[];
}

const times = (M: Rows, v: readonly number[]): number[] =>
  M.map((row) => row.reduce((sum, a, k) => sum + a * v[k]!, 0));
const product = (A: Rows, B: Rows): number[][] =>
  A.map((row) => B[0]!.map((_, j) => row.reduce((sum, a, k) => sum + a * B[k]![j]!, 0)));
const transposed = (A: Rows): number[][] => A[0]!.map((_, j) => A.map((row) => row[j]!));

function rowsOf(map: LinearMap): Rows {
  const { rows, columns, entries } = matrixOfMap(map);
  return Array.from({ length: rows }, (_, i) => [...entries.subarray(i * columns, (i + 1) * columns)]);
}

function drawnProblem(n: number, m: number, sigma: number, random: Random): Problem {
  const normal = random.split("root").normal(n * n);
  const root = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (__, j) => normal[i * n + j]! / Math.sqrt(n)),
  );
  return { A: rowsOf(gaussianOperator(m, n, random.split("A"))), root, sigma };
}

const between = (A: Rows, B: Rows, turn: number): Rows =>
  A.map((row, i) =>
    row.map((a, j) => Math.cos((Math.PI / 2) * turn) * a + Math.sin((Math.PI / 2) * turn) * B[i]![j]!),
  );

/** Each signal and each noise that there is, all equally probable. */
function allCases({ A, root, sigma }: Problem): readonly Case[] {
  const [n, m] = [root.length, A.length];
  const sign = (k: number, bit: number): number => ((k >> bit) & 1 ? 1 : -1);
  return Array.from({ length: 2 ** (n + m) }, (_, k) => ({
    x: times(
      root,
      Array.from({ length: n }, (__, i) => sign(k, i)),
    ),
    e: Array.from({ length: m }, (__, i) => sigma * sign(k, n + i)),
  }));
}

const errorOver = (cases: readonly Case[], M: Rows, A: Rows): number =>
  cases.reduce((sum, { x, e }) => {
    const y = times(A, x).map((v, i) => v + e[i]!);
    return sum + times(M, y).reduce((s, v, i) => s + (v - x[i]!) ** 2, 0);
  }, 0) / cases.length;

function errorFormula({ root, sigma }: Problem, M: Rows, A: Rows): number {
  const away = product(M, A).map((row, i) => row.map((v, j) => v - Number(i === j)));
  const square = (B: Rows): number => B.flat().reduce((sum, v) => sum + v * v, 0);
  return square(product(away, root)) + sigma ** 2 * square(M);
}

/** Sigma A^T (A Sigma A^T + sigma^2 I)^-1, a row of the transposed one by solving. */
function bestInverter({ root, sigma }: Problem, A: Rows): Rows {
  const covariance = product(root, transposed(root));
  const seen = product(A, covariance);
  const gram = product(seen, transposed(A)).map((row, i) =>
    row.map((v, j) => v + (i === j ? sigma ** 2 : 0)),
  );
  return transposed(seen).map((row) => solveSymmetric(gram, row));
}

/** A linear network without bias, by our loop of training on all cases: descent at the greatest rate that the slopes allow. */
async function learnedInverter(problem: Problem): Promise<Rows> {
  const cases = allCases(problem);
  const [n, m] = [problem.root.length, problem.A.length];
  const y = cases.flatMap(({ x, e }) => times(problem.A, x).map((v, i) => v + e[i]!));
  const start = Array.from({ length: n }, () => new Array<number>(m).fill(0));
  // The loss is the mean of |M y - x|^2: its second derivative is at most twice the mean of |y|^2.
  const size = y.reduce((sum, v) => sum + v * v, 0) / cases.length;
  const run = await train(
    denseNetwork([{ W: start }], "linear"),
    {
      x: view("float64", [cases.length, m], Float64Array.from(y)),
      target: view("float64", [cases.length, n], Float64Array.from(cases.flatMap(({ x }) => x))),
    },
    { loss: "square", optimizer: "gd", rate: 1 / (2 * size), momentum: 0.5, steps: 1500 },
  );
  const W = numbers(run.model.initializers.get("W1") as never);
  return start.map((row, i) => row.map((_, j) => Number(W[i * m + j])));
}

/** Errors as the operator turns into another one. */
function turningFigure(problem: Problem, learned: Rows, random: Random): Figure {
  const { A, root } = problem;
  const other = rowsOf(gaussianOperator(A.length, root.length, random.split("other")));
  const turns = Array.from({ length: 21 }, (_, k) => k / 20);
  const cases = allCases(problem);
  const line = (name: string, inverter: (now: Rows) => Rows) => ({
    ...{ name, mark: "line" as const },
    points: turns.map((turn) => {
      const now = between(A, other, turn);
      return [turn, errorOver(cases, inverter(now), now)] as const;
    }),
  });
  return {
    title: "What was learned for one operator is worth little for another",
    panels: [
      {
        ...{ title: "Mean squared error", x: { label: "from the operator of training (0) to another (1)" } },
        y: { label: "E |x̂ - x|²" },
        series: [
          line("learned at 0", () => learned),
          { ...line("learned for each", (now) => bestInverter(problem, now)), role: "theory" },
          { ...line("the answer 0", () => learned.map((row) => row.map(() => 0))), role: "theory" },
        ],
      },
    ],
  };
}
