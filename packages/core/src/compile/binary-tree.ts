// Formulas of binary trees: a function of two variables at every node, variables x1 ... xn at the leaves.
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

/** Functions of unlike kinds on [0, 1], to be taken in turn. */
export const unlikeNodes: readonly TreeNode[] = [
  treeNodes.wave,
  { ...treeNodes.product, on: [0, 1] },
  treeNodes.squares,
];

/** The same node everywhere, or several that are taken in turn, joins counted from the leaves on. */
export type TreeNodes = TreeNode | readonly TreeNode[];

/**
 * Joins neighbours level by level until one is left; an odd one out goes up as it is.
 * @example joinTree(["a", "b", "c"], 2, (x, y, kind) => `(${x}${kind}${y})`) // "((a0b)1c)"
 */
export function joinTree<T>(leaves: readonly T[], kinds: number, join: (a: T, b: T, kind: number) => T): T {
  let [level, joins] = [leaves, 0];
  while (level.length > 1) {
    level = level.flatMap((a, k) =>
      k % 2 === 1 ? [] : level[k + 1] === undefined ? [a] : [join(a, level[k + 1]!, joins++ % kinds)],
    );
  }
  return level[0]!;
}

/**
 * The formula of a tree over x1 ... xn: neighbours are joined level by level.
 * @example binaryTree(treeNodes.product, 4) // "((x1)*(x2))*((x3)*(x4))"
 */
export function binaryTree(nodes: TreeNodes, leaves: number): string {
  const kinds = [nodes].flat();
  const names = Array.from({ length: leaves }, (_, k) => `x${k + 1}`);
  return joinTree(names, kinds.length, (a, b, kind) => kinds[kind]!.formula(a, b));
}

/**
 * The box [a, b]^n for x1 ... xn.
 * @example leafBox(2, [0, 1])[1] // { name: "x2", lower: 0, upper: 1 }
 */
export const leafBox = (leaves: number, [lower, upper]: readonly [number, number]): readonly BoxSide[] =>
  Array.from({ length: leaves }, (_, k) => ({ name: `x${k + 1}`, lower, upper }));
