// Families of formulas in x1 ... xn, with what P-01 says about the graphs of each.
import { binaryTree, treeNodes } from "../../compile/binary-tree.ts";

export interface Family {
  readonly formula: (n: number) => string;
  readonly constituents: (n: number) => number;
  /** With sums of many terms made of sums of two. */
  readonly constituentsOfTwo: (n: number) => number;
  readonly curvedArity: number;
  readonly depth: (n: number) => number;
  /** The degree of `constituentsOfTwo` as a polynomial of n. */
  readonly degree: number;
}

const pairs = (n: number): number => (n * (n - 1)) / 2;

export const families = {
  /** ((x1 x2) (x3 x4)) ... */
  tree: {
    formula: (n) => binaryTree(treeNodes.product, n),
    constituents: (n) => n - 1,
    constituentsOfTwo: (n) => n - 1,
    curvedArity: 2,
    depth: (n) => Math.ceil(Math.log2(n)),
    degree: 1,
  },
  /** The sum of all x_i x_j, i < j. */
  pairs: {
    formula: (n) => {
      const terms: string[] = [];
      for (let j = 2; j <= n; j++) for (let i = 1; i < j; i++) terms.push(`x${i}*x${j}`);
      return terms.join("+");
    },
    constituents: (n) => (n === 2 ? 1 : pairs(n) + 1),
    constituentsOfTwo: (n) => 2 * pairs(n) - 1,
    curvedArity: 2,
    depth: (n) => (n === 2 ? 1 : 2),
    degree: 2,
  },
  /** exp(-(x1^2 + ... + xn^2)) */
  gaussian: {
    formula: (n) => `exp(-(${Array.from({ length: n }, (_, k) => `x${k + 1}^2`).join("+")}))`,
    constituents: (n) => n + 2,
    constituentsOfTwo: (n) => 2 * n,
    curvedArity: 1,
    depth: () => 3,
    degree: 1,
  },
  /** sin(xn + sin(... + sin(x1) / 2) / 2) */
  chain: {
    formula: (n) =>
      Array.from({ length: n }, (_, k) => `x${k + 1}`).reduce(
        (inner, x, k) => (k === 0 ? `sin(${x})` : `sin(${x}+(${inner})/2)`),
        "",
      ),
    constituents: (n) => 2 * n - 1,
    constituentsOfTwo: (n) => 2 * n - 1,
    curvedArity: 1,
    depth: (n) => 2 * n - 1,
    degree: 1,
  },
} as const satisfies Record<string, Family>;
