import {
  type Constituent,
  constituentsOf,
  deepUnits,
  reachableError,
  shallowUnits,
} from "../../compile/approximation-degree.ts";
import { binaryTree, leafBox, treeNodes } from "../../compile/binary-tree.ts";
import { compile } from "../../compile/compile.ts";
import { gridError } from "../../compile/grid-interpolation.ts";
import { atMost, checked, equals, fitted, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { degreeFigure } from "./approximation-degree-figure.ts";

/** Cells a variable, so many that the next order of the error is small. */
const cellsOfFit: Readonly<Record<number, readonly number[]>> = {
  2: [8, 12, 16, 24, 32, 48, 64, 96],
  3: [8, 10, 12, 14, 16, 20, 24],
  4: [6, 7, 8, 9, 10, 11],
};
/** A network for a coarser error has so few units that one more or less hides their growth. */
const errorsOfFit = Array.from({ length: 13 }, (_, k) => 10 ** (-3 - (5 * k) / 12));
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
    "one node of n variables, N_d / N_s": equals("1"),
    "binary tree, N_d": equals(String.raw`(n-1)\, \varepsilon^{-2/m}`),
    "N_d of the error that N_d units reach, over N_d": equals("1"),
    "binary tree, N_d (n - 1)^{-1} N_s^{-1}": equals(String.raw`\varepsilon^{(n-2)/m}`),
    "grid of hats, exponent of 1/ε": equals(String.raw`n/m, \; m = 2`).rate(),
    "compiled tree, exponent of 1/ε": atMost(String.raw`d_v/m_v, \; m_v = 2`).rate(),
    "compiled tree, certified error over ε": atMost("1"),
  },
  async run({ node: name, n, m, eps }, { progress, budget }) {
    const node = treeNodes[name];
    const [formula, box] = [binaryTree(node, n), leafBox(n, node.on)];
    const names = box.map((side) => side.name);
    const tree: readonly Constituent[] = Array.from({ length: n - 1 }, () => ({ arity: 2, smoothness: m }));
    const whole: readonly Constituent[] = [{ arity: n, smoothness: m }];
    const deep: [number, number][] = [];
    let [worst, mostArity] = [0, 0];
    for (const [k, error] of errorsOfFit.entries()) {
      const { sizes, certificate, functionGraph } = await compile({ formula, box, eps: error });
      deep.push([1 / error, sizes.hiddenUnits!]);
      worst = Math.max(worst, certificate.certifiedError / error);
      mostArity = Math.max(...constituentsOf(functionGraph, smoothness).map((c) => c.arity));
      await progress((k + 1) / (2 * errorsOfFit.length));
    }
    const grid = cellsOfFit[n]!.map((cells): [number, number] => [
      1 / gridError(formula, names, node.on, cells),
      cells ** n,
    ]);
    const [Nd, Ns] = [deepUnits(tree, eps), shallowUnits(n, tree, eps)];
    const rounding = 1e-9; // powers and logarithms in doubles, relative to the result
    return {
      ...(budget === "cheap" ? {} : { figure: degreeFigure(name, n, grid, deep) }),
      claims: {
        "one node of n variables, N_d / N_s": checked(
          deepUnits(whole, eps) / shallowUnits(n, whole, eps),
          1,
          { tolerance: rounding },
        ),
        "binary tree, N_d": checked(Nd, (n - 1) * eps ** (-2 / m), { tolerance: rounding * Nd }),
        "N_d of the error that N_d units reach, over N_d": checked(
          deepUnits(tree, reachableError(tree, Nd)) / Nd,
          1,
          { tolerance: rounding },
        ),
        "binary tree, N_d (n - 1)^{-1} N_s^{-1}": checked(Nd / (n - 1) / Ns, eps ** ((n - 2) / m), {
          tolerance: rounding,
        }),
        "grid of hats, exponent of 1/ε": fitted(grid, n / smoothness),
        "compiled tree, exponent of 1/ε": fitted(deep, mostArity / smoothness),
        "compiled tree, certified error over ε": proved(worst, 1),
      },
    };
  },
});
