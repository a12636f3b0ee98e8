import { leafBox } from "../../compile/binary-tree.ts";
import { reordered, type SparsityReport, sparsityOf } from "../../compile/sparsity.ts";
import { evaluateFormula } from "../../formula/evaluate.ts";
import { parseFormula } from "../../formula/formula.ts";
import { functionGraph } from "../../formula/function-graph.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { families } from "./function-graph-families.ts";
import { sparsityFigure } from "./function-graph-figure.ts";

const on = [-1, 1] as const;
/** Between the points whose slope is taken, towards the middle in every coordinate. */
const step = 2 ** -10;
const dimensions = [2, 3, 4, 5, 6, 7, 8, 9, 10];

export default lemma({
  id: "P-01",
  covers: ["P-01"],
  kind: "measure",
  title: "How sparse a formula is",
  source: "Poggio, Definitions 1 and 3, and section 6.5",
  statement: String.raw`f \text{ sparse: } |V(n)| \le \operatorname{poly}(n), \; d_v \le d_0 \text{ for all } v \in V(n) \text{ and all } n; \qquad \text{S-sparse: also } \sup |\partial_k g_v| < \infty`,
  parameters: {
    family: choice(["tree", "pairs", "gaussian", "chain"], { label: "family of formulas" }),
    n: integer({ min: 2, max: 24, default: 8, label: "variables n" }),
  },
  claims: {
    variables: equals("n"),
    constituents: equals("|V(n)|"),
    "constituents of at most two variables": equals(String.raw`\sum_v \max(1, d_v - 1)`),
    "most variables of a constituent that is not affine": equals("d_0"),
    depth: equals(String.raw`\text{tree: } \lceil \log_2 n \rceil`),
    "constituents of at most two variables, degree as a polynomial of n": equals(
      String.raw`\text{pairs: } 2, \text{ others: } 1`,
    ),
    "reports that another order of the nodes changes": equals("0"),
    "slope between points": atMost(String.raw`\sum_k \sup |\partial_k f| \text{, along the paths}`),
  },
  mutants: {
    "leaves counted as constituents": { constituents: ({ n }, { theory }) => theory + n },
    "depth of a tree rounded down": {
      depth: ({ family, n }, { theory }) => (family === "tree" ? Math.floor(Math.log2(n)) : theory),
    },
    "the steepest of n directions for their sum": {
      "slope between points": ({ n }, { theory }) => theory / n,
    },
  },
  run({ family: name, n }, { random, scale, budget }) {
    const family = families[name];
    const own = reportFor(family.formula(n), n);
    const orders = scale(10);
    const growth = dimensions.map((k) => reportFor(family.formula(k), k).constituentsOfTwo);
    return {
      ...(budget === "cheap" ? {} : { figure: sparsityFigure(name, n, reportFor) }),
      claims: {
        variables: checked(own.variables, n),
        constituents: checked(own.constituents, family.constituents(n)),
        "constituents of at most two variables": checked(own.constituentsOfTwo, family.constituentsOfTwo(n)),
        "most variables of a constituent that is not affine": checked(own.curvedArity, family.curvedArity),
        depth: checked(own.depth, family.depth(n)),
        "constituents of at most two variables, degree as a polynomial of n": checked(
          degreeOf(growth),
          family.degree,
        ),
        "reports that another order of the nodes changes": checked(
          changedReports(family.formula(n), n, own, orders, random.split("orders")),
          0,
        ),
        "slope between points": sampled(
          steepestSeen(family.formula(n), n, scale(2000), random.split("points")),
          own.lipschitz,
          { tolerance: 1e-9 * own.lipschitz }, // values are rounded, and the step is not small
        ),
      },
    };
  },
});

const names = (n: number): readonly string[] => leafBox(n, on).map((side) => side.name);
const boxOf = (n: number) => leafBox(n, on).map(({ lower, upper }) => ({ lower, upper }));
const reportFor = (formula: string, n: number): SparsityReport =>
  sparsityOf(functionGraph(formula, names(n)), boxOf(n));

/** The degree of the polynomial with these values at neighbouring numbers: differences of a higher order are 0. */
function degreeOf(values: readonly number[]): number {
  let [degree, differences] = [-1, values];
  while (differences.some((d) => d !== 0)) {
    differences = differences.slice(1).map((d, k) => d - differences[k]!);
    degree++;
  }
  return degree;
}

/** How many of these orders give another report than the formula's own. */
function changedReports(
  formula: string,
  n: number,
  own: SparsityReport,
  orders: number,
  random: Random,
): number {
  const graph = functionGraph(formula, names(n));
  let changed = 0;
  for (let k = 0; k < orders; k++) {
    const rank = random.uniform(graph.nodes.length);
    const { lipschitz, ...rest } = sparsityOf(
      reordered(graph, (id) => rank[id]!),
      boxOf(n),
    );
    const { lipschitz: ownLipschitz, ...ownRest } = own;
    const isSame =
      JSON.stringify(rest) === JSON.stringify(ownRest) &&
      Math.abs(lipschitz - ownLipschitz) <= 1e-12 * ownLipschitz; // sums in another order
    if (!isSame) changed++;
  }
  return changed;
}

/** The greatest |f(x) - f(y)| / max_k |x_k - y_k| over pairs of points; every other x is a corner of the box. */
function steepestSeen(formula: string, n: number, pairs: number, random: Random): number {
  const columns = names(n).map(() =>
    random.uniform(pairs).map((u, i) => (i % 2 === 0 ? Math.sign(u - 0.5) : 2 * u - 1)),
  );
  const moved = columns.map((column) => column.map((x) => x - step * (Math.sign(x) || 1)));
  const expression = parseFormula(formula);
  const at = (points: readonly Float64Array[]): Float64Array =>
    evaluateFormula(expression, new Map(names(n).map((name, k) => [name, points[k]!])));
  const [f, g] = [at(columns), at(moved)];
  let most = 0;
  for (let i = 0; i < pairs; i++) most = Math.max(most, Math.abs(f[i]! - g[i]!) / step);
  return most;
}
