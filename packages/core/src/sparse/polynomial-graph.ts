// Functions with a graph: sums of products of the inputs that share a node. Under normal inputs their monomials are orthonormal.
import type { Rows } from "../linear-algebra/symmetric-eigen.ts";
import { SparseError } from "./error.ts";

/** Pairs of inputs that share a node. */
export type PairGraph = readonly (readonly [number, number])[];

/**
 * The lowest layer of a binary tree: inputs 2k and 2k + 1 share a node.
 * @example leafPairs(4) // [[0, 1], [2, 3]]
 */
export function leafPairs(n: number): PairGraph {
  if (!(Number.isInteger(n) && n >= 2 && n % 2 === 0))
    throw new SparseError(`the leaves of a binary tree come in pairs: ${n} are not`);
  return Array.from({ length: n / 2 }, (_, k) => [2 * k, 2 * k + 1]);
}

/** Every two inputs share a node: a dense layer. */
export const allPairs = (n: number): PairGraph =>
  Array.from({ length: n }, (_, i) =>
    Array.from({ length: n - i - 1 }, (__, k) => [i, i + 1 + k] as const),
  ).flat();

/**
 * 1, the inputs, and the products of the pairs.
 * @example monomials([2, 3, 5], [[0, 2]]) // [1, 2, 3, 5, 10]
 */
export const monomials = (x: readonly number[], pairs: PairGraph): number[] => [
  1,
  ...x,
  ...pairs.map(([i, j]) => x[i]! * x[j]!),
];

/**
 * The numbers that a function of this graph has to learn: 1 + n + pairs.
 * @example degreesOfFreedom(8, leafPairs(8)) // 13
 */
export const degreesOfFreedom = (n: number, pairs: PairGraph): number => 1 + n + pairs.length;

/** E (f - g)^2 under standard normal inputs, by the coefficients of both: the monomials are orthonormal. */
export function squaredDistance(
  n: number,
  f: { readonly pairs: PairGraph; readonly coefficients: readonly number[] },
  g: { readonly pairs: PairGraph; readonly coefficients: readonly number[] },
): number {
  const byName = new Map<string, number>();
  const put = ({ pairs, coefficients }: typeof f, sign: number): void => {
    coefficients.forEach((c, k) => {
      const name = k <= n ? String(k) : pairs[k - n - 1]!.toSorted((a, b) => a - b).join("x");
      byName.set(name, (byName.get(name) ?? 0) + sign * c);
    });
  };
  put(f, 1);
  put(g, -1);
  return [...byName.values()].reduce((sum, c) => sum + c * c, 0);
}

/** The rows of a design: one a point. */
export const designOf = (points: Rows, pairs: PairGraph): number[][] =>
  points.map((x) => monomials(x, pairs));
