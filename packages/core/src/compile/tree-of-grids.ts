// A binary tree with every node interpolated on a grid of its own two variables: what following the graph is worth.

import { evaluateFormula } from "../formula/evaluate.ts";
import { type Expression, parseFormula } from "../formula/formula.ts";
import type { Random } from "../numbers/random.ts";
import { binaryTree, joinTree, type TreeNode, type TreeNodes } from "./binary-tree.ts";

/**
 * The greatest error of the tree whose nodes are bilinear interpolants on cells x cells (grids lie as in `gridError`), at
 * the corners of the box and at drawn centres of cells; all centres, if there are no more than asked for.
 * @example treeOfGridsError(treeNodes.squares, 2, 4, { points: 25, random: createRandom(0) }) // 0.015625
 */
export function treeOfGridsError(
  nodes: TreeNodes,
  leaves: number,
  cells: number,
  { points, random }: { readonly points: number; readonly random: Random },
): number {
  const kinds = [nodes].flat();
  const columns = leafColumns(kinds[0]!, leaves, cells, points, random);
  const names = columns.map((column, k): [string, Float64Array] => [`x${k + 1}`, column]);
  const exact = evaluateFormula(parseFormula(binaryTree(nodes, leaves)), new Map(names));
  const interpolants = kinds.map((node) => nodeInterpolant(node, cells));
  const computed = joinTree(columns, kinds.length, (a, b, kind) =>
    a.map((x, i) => interpolants[kind]!(x, b[i]!)),
  );
  return exact.reduce((most, f, i) => Math.max(most, Math.abs(f - computed[i]!)), 0);
}

function leafColumns(
  { on: [lower, upper] }: TreeNode,
  leaves: number,
  cells: number,
  points: number,
  random: Random,
): readonly Float64Array[] {
  const all = (cells + 1) ** leaves;
  const place = (index: number): number => lower + ((upper - lower) * index) / cells;
  if (all <= points)
    return Array.from({ length: leaves }, (_, k) =>
      Float64Array.from({ length: all }, (__, i) => place(Math.floor(i / (cells + 1) ** k) % (cells + 1))),
    );
  const corners = 2 ** leaves;
  return Array.from({ length: leaves }, (_, k) =>
    Float64Array.from({ length: corners + points }, (__, i) =>
      i < corners ? place(((i >> k) & 1) * cells) : place(random.integer(0, cells)),
    ),
  );
}

/** Bilinear on each cell of a grid with one half cell more on each side of the square. */
function nodeInterpolant({ formula, on: [lower, upper] }: TreeNode, cells: number) {
  const count = cells + 2;
  const h = (upper - lower) / cells;
  const coordinate = (index: number): number => lower + h * (index - 0.5);
  const expression: Expression = parseFormula(formula("a", "b"));
  const values = evaluateFormula(
    expression,
    new Map([
      ["a", Float64Array.from({ length: count ** 2 }, (_, i) => coordinate(i % count))],
      ["b", Float64Array.from({ length: count ** 2 }, (_, i) => coordinate(Math.floor(i / count)))],
    ]),
  );
  return (a: number, b: number): number => {
    const [s, t] = [(a - lower) / h + 0.5, (b - lower) / h + 0.5];
    const [i, j] = [Math.min(cells, Math.max(0, Math.floor(s))), Math.min(cells, Math.max(0, Math.floor(t)))];
    const at = (di: number, dj: number): number => values[i + di + count * (j + dj)]!;
    const along = (dj: number): number => at(0, dj) + (s - i) * (at(1, dj) - at(0, dj));
    return along(0) + (t - j) * (along(1) - along(0));
  };
}
