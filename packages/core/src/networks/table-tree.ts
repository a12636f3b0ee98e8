// Binary trees whose nodes are looked up in tables: piecewise constant functions of two variables on k x k cells.
import type { Random } from "../numbers/random.ts";

/** The triangle wave of slope L, from [0, 1] to [0, 1]. */
const wave = (L: number, s: number): number => {
  const t = (L * s) % 2;
  return t <= 1 ? t : 2 - t;
};

/**
 * wave_L((a + b) / 2): maps the unit square to [0, 1], with Lipschitz constant L for the maximum norm (the other norms have
 * smaller constants, and tables of k = L / eps cells would be smaller too).
 * @example waveNode(2, 0.5, 0.25) // 0.75
 */
export const waveNode = (L: number, a: number, b: number): number => wave(L, (a + b) / 2);

/** The middle of the cell of [0, 1] that holds x. */
const middle = (x: number, cells: number): number =>
  (Math.min(cells - 1, Math.floor(x * cells)) + 0.5) / cells;

export interface TableErrors {
  readonly sup: number;
  /** The root of the mean square. */
  readonly l2: number;
}

/** A tree over the leaves, level by level, exact (cells undefined) or with a table of cells x cells at every node. */
export function waveTree(L: number, leaves: readonly number[], cells?: number): number {
  let level = leaves;
  while (level.length > 1) {
    const at = (k: number): number => (cells === undefined ? level[k]! : middle(level[k]!, cells));
    level = Array.from({ length: level.length / 2 }, (_, k) => waveNode(L, at(2 * k), at(2 * k + 1)));
  }
  return level[0]!;
}

/** How far the tree of tables is from the tree, at uniform points of the unit cube. */
export function tableErrors(
  L: number,
  leaves: number,
  cells: number,
  points: number,
  random: Random,
): TableErrors {
  let [sup, squares] = [0, 0];
  for (let i = 0; i < points; i++) {
    const x = [...random.uniform(leaves)];
    const error = Math.abs(waveTree(L, x, cells) - waveTree(L, x));
    sup = Math.max(sup, error);
    squares += error ** 2;
  }
  return { sup, l2: Math.sqrt(squares / points) };
}
