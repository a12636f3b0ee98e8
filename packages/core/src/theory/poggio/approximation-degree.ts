import { binaryTree, leafBox, type TreeNodeName, treeNodes } from "../../compile/binary-tree.ts";
import { compile } from "../../compile/compile.ts";
import { gridError } from "../../compile/grid-interpolation.ts";
import {
  type Constituent,
  crossoverError,
  deepUnits,
  reachableError,
} from "../../compile/theory/approximation-degree.ts";
import { treeOfGridsError } from "../../compile/tree-of-grids.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, fitted, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { degreeFigure } from "./approximation-degree-figure.ts";

type Points = readonly (readonly [number, number])[];

/** Cells a variable of the whole grid, so many that the next order of the error is small. */
const cellsOfWhole: Readonly<Record<number, readonly number[]>> = {
  2: [8, 12, 16, 24, 32, 48, 64, 96],
  3: [8, 10, 12, 14, 16, 20, 24],
  4: [6, 7, 8, 9, 10, 11],
};
/** The same of the tree of grids, many: where values inside the tree lie in their cells is chance. */
const cellsOfTree = [8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 57, 68, 80];
/** What one layer of ReLUs, or a grid of hats, can make use of. */
const smoothness = 2;

export default lemma({
  id: "P-02",
  covers: ["P-02"],
  kind: "bound",
  title: "Degree of approximation, shallow against deep",
  source: "Poggio, Theorem 7 (Mhaskar and Poggio 2016)",
  statement: String.raw`N_s = O\bigl(\varepsilon^{-n/m}\bigr), \; m = \min_v m_v, \qquad N_d = O\Bigl(\sum_{v \in V} \varepsilon^{-d_v/m_v}\Bigr)`,
  parameters: {
    node: choice(["squares", "wave"], { label: "function at the nodes" }),
    n: integer({ min: 2, max: 4, default: 4, label: "variables n" }),
    m: integer({ min: 1, max: 6, default: 2, label: "derivatives m, in the formulas" }),
    eps: real({ min: 1e-4, max: 0.1, default: 0.01, label: "error ε" }),
  },
  claims: {
    "one grid of n variables, exponent of 1/ε": equals(String.raw`n/m, \; m = 2`).rate(),
    "a grid at every node, exponent of 1/ε": equals(String.raw`d_v/m_v = 1, \; d_v = m_v = 2`).rate(),
    "a grid at every node, squares: cells times ε": equals(
      String.raw`(n-1)^2 / 4: \text{ the errors } h^2/4 \text{ of all nodes add up}`,
    ),
    "n = 2: error of the tree over that of one grid": equals("1"),
    "N_d of the error that N_d units reach, over N_d": equals("1"),
    "ε where N_s = C N_d, by bisection": equals(
      String.raw`(C (n-1))^{-m/(n-2)}, \; C = C_d / C_s \text{ fitted}`,
    ),
    "compiled tree, certified error": atMost(String.raw`\varepsilon`),
  },
  mutants: {
    "all n variables at every node": {
      "a grid at every node, exponent of 1/ε": ({ n }) => n / smoothness,
    },
    "one derivative used": {
      "one grid of n variables, exponent of 1/ε": ({ n }) => n,
      "a grid at every node, exponent of 1/ε": () => 2,
    },
    "errors do not add up over the nodes": {
      "a grid at every node, squares: cells times ε": ({ n }) => (n - 1) / 4,
    },
  },
  async run({ node: name, n, m, eps }, { random, scale, progress, budget }) {
    const node = treeNodes[name];
    const [formula, box] = [binaryTree(node, n), leafBox(n, node.on)];
    const whole = wholeGrids(name, n);
    const deep = treesOfGrids(name, n, scale(10_000), random);
    await progress(0.5);
    const { certificate } = await compile({ formula, box, eps });
    const tree: readonly Constituent[] = Array.from({ length: n - 1 }, () => ({ arity: 2, smoothness: m }));
    const mixed: readonly Constituent[] = [
      ...tree,
      { arity: 1, smoothness: 1 },
      { arity: 2, smoothness: m + 1 },
    ];
    const constants = { deep: constantOf(deep, 1) / (n - 1), shallow: constantOf(whole, n / smoothness) };
    const ratio = constants.deep / constants.shallow;
    const [units, rounding] = [deepUnits(mixed, eps), 1e-9]; // powers and logarithms in doubles, relative
    const crossover = (ratio * (n - 1)) ** (-m / (n - 2));
    return {
      ...(budget === "cheap" ? {} : { figure: degreeFigure(name, n, whole, deep) }),
      table: calibrated(n, constants),
      claims: {
        "one grid of n variables, exponent of 1/ε": fitted(whole, n / smoothness),
        "a grid at every node, exponent of 1/ε": fitted(deep, 1),
        ...(name === "squares"
          ? {
              "a grid at every node, squares: cells times ε": checked(
                deep[0]![1] / deep[0]![0],
                (n - 1) ** 2 / 4,
                {
                  tolerance: 1e-10, // errors near 1e-3 are differences of numbers near 1
                },
              ),
            }
          : {}),
        ...(n === 2
          ? {
              "n = 2: error of the tree over that of one grid": checked(deep[0]![0] / whole[0]![0], 1, {
                tolerance: 1e-10, // as above
              }),
            }
          : {
              "ε where N_s = C N_d, by bisection": checked(crossoverError(n, tree, ratio), crossover, {
                tolerance: rounding * crossover,
              }),
            }),
        "N_d of the error that N_d units reach, over N_d": checked(
          deepUnits(mixed, reachableError(mixed, units)) / units,
          1,
          { tolerance: rounding },
        ),
        "compiled tree, certified error": proved(certificate.certifiedError, eps),
      },
    };
  },
});

const known = new Map<string, Points>();
/** (1/ε, cells) of interpolation in all variables at once; nothing in it is drawn, so it is found once. */
function wholeGrids(name: TreeNodeName, n: number): Points {
  const node = treeNodes[name];
  const [formula, names] = [binaryTree(node, n), leafBox(n, node.on).map((side) => side.name)];
  const found =
    known.get(formula) ??
    cellsOfWhole[n]!.map((cells) => [1 / gridError(formula, names, node.on, cells), cells ** n] as const);
  known.set(formula, found);
  return found;
}

/** (1/ε, cells) of interpolation at every node. */
const treesOfGrids = (name: TreeNodeName, n: number, points: number, random: Random): Points =>
  cellsOfTree.map((cells) => [
    1 / treeOfGridsError(treeNodes[name], n, cells, { points, random }),
    (n - 1) * cells ** 2,
  ]);

/** The C of N = C ε^(-exponent), in the geometric mean of the points. */
const constantOf = (points: Points, exponent: number): number =>
  Math.exp(points.reduce((sum, [x, y]) => sum + Math.log(y) - exponent * Math.log(x), 0) / points.length);

/** Cells by the theorem with its constants from the fit. */
function calibrated(n: number, { deep, shallow }: { readonly deep: number; readonly shallow: number }) {
  const node: Constituent = { arity: 2, smoothness };
  const tree = Array.from({ length: n - 1 }, () => node);
  const rows = [1e-1, 1e-2, 1e-3, 1e-4].map((e) => [
    e,
    Math.ceil(shallow * e ** (-n / smoothness)),
    Math.ceil(deepUnits(tree, e, deep)),
  ]);
  const crossing = n > 2 ? crossoverError(n, tree, deep / shallow).toPrecision(3) : "none";
  return {
    title: `Cells for an error ε, constants fitted; they cross at ε = ${crossing}`,
    columns: ["ε", `one grid of ${n} variables`, "a grid at every node"],
    rows,
  };
}
