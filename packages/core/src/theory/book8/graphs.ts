// Graphs of few vertices that the lemmata of chapter 8 share.
import type { Random } from "../../numbers/random.ts";

export const graphNames = ["path", "complete", "cycle", "random"] as const;
export type GraphName = (typeof graphNames)[number];
export type Weights = readonly (readonly number[])[];

/** Symmetric weights of a connected graph; a random one has a path through all vertices and further edges. */
export function weightsOf(name: GraphName, n: number, random: Random): Weights {
  const weights = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  const join = (i: number, j: number, weight: number): void => {
    weights[i]![j] = weight;
    weights[j]![i] = weight;
  };
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) {
      const isNext = i - j === 1;
      const isEdge = isNext || name === "complete" || (name === "cycle" && i - j === n - 1);
      if (name !== "random") join(i, j, isEdge ? 1 : 0);
      else if (isNext || random.uniform() < 0.4) join(i, j, 0.25 + random.uniform());
    }
  return weights;
}

/** The same graph with its vertices in another order: vertex i is the old order[i]. */
export const reordered = (weights: Weights, order: ArrayLike<number>): Weights =>
  Array.from(order, (a) => Array.from(order, (b) => weights[a]![b]!));

/** Every edge's weight multiplied by up to 1 + size, or divided. */
export function perturbed(weights: Weights, size: number, random: Random): Weights {
  const other = weights.map((row) => [...row]);
  for (let i = 0; i < other.length; i++)
    for (let j = 0; j < i; j++) {
      const weight = other[i]![j]! * (1 + size) ** (2 * random.uniform() - 1);
      other[i]![j] = weight;
      other[j]![i] = weight;
    }
  return other;
}
