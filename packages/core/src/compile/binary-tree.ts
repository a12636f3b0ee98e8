// Formulas of binary trees: one function of two variables at every node, variables x1 ... xn at the leaves.
import type { BoxSide } from "./compile.ts";

/** A function of two variables, in formula syntax, and the interval that it maps into itself. */
export interface TreeNode {
  readonly formula: (a: string, b: string) => string;
  readonly on: readonly [number, number];
}

/** |a' b'| <= 1 on [-1, 1], and so on: each maps its interval into itself, so that trees of any depth are defined. */
export const treeNodes = {
  product: { formula: (a, b) => `(${a})*(${b})`, on: [-1, 1] },
  squares: { formula: (a, b) => `((${a})^2+(${b})^2)/2`, on: [0, 1] },
  wave: { formula: (a, b) => `((${a})*(${b})+sin((${a})-(${b}))+1)/3`, on: [0, 1] },
} as const satisfies Record<string, TreeNode>;
export type TreeNodeName = keyof typeof treeNodes;

/**
 * The formula of a tree over x1 ... xn: neighbours are joined level by level, an odd one out goes up as it is.
 * @example binaryTree(treeNodes.product, 4) // "((x1)*(x2))*((x3)*(x4))"
 */
export function binaryTree({ formula }: TreeNode, leaves: number): string {
  let level = Array.from({ length: leaves }, (_, k) => `x${k + 1}`);
  while (level.length > 1) {
    level = level.flatMap((a, k) =>
      k % 2 === 1 ? [] : level[k + 1] === undefined ? [a] : [formula(a, level[k + 1]!)],
    );
  }
  return level[0]!;
}

/**
 * The box [a, b]^n for x1 ... xn.
 * @example leafBox(2, [0, 1])[1] // { name: "x2", lower: 0, upper: 1 }
 */
export const leafBox = (leaves: number, [lower, upper]: readonly [number, number]): readonly BoxSide[] =>
  Array.from({ length: leaves }, (_, k) => ({ name: `x${k + 1}`, lower, upper }));
