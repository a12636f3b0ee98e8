// Random networks with short weights, on which floating-point arithmetic makes no error.

import type { Graph } from "../../graph/graph.ts";
import { sparseMatrix } from "../../graph/sparse.ts";
import type { Random } from "../../numbers/random.ts";
import { type NetworkOptions, network } from "./layers.ts";

export interface RandomNetworkOptions extends NetworkOptions {
  /** The chance that a weight is not zero. */
  readonly density?: number;
  /** Weights are k / denominator with |k| <= denominator; a power of two keeps sums and products exact. */
  readonly denominator?: number;
}

/**
 * A network with layers of these sizes and seeded dyadic weights.
 * @example randomNetwork(createRandom(1), [2, 5, 5, 1])
 */
export function randomNetwork(
  random: Random,
  architecture: readonly number[],
  { density = 0.7, denominator = 4, ...options }: RandomNetworkOptions = {},
): Graph {
  const weight = (): number =>
    random.uniform() < density ? random.integer(-denominator, denominator) / denominator : 0;
  const layers = architecture.slice(1).map((rows, l) => {
    const columns = architecture[l]!;
    const entries = Array.from(
      { length: rows * columns },
      (_, k) => [Math.floor(k / columns), k % columns, weight()] as const,
    );
    const nonzero = entries.filter(([, , value]) => value !== 0);
    return {
      weights: sparseMatrix(rows, columns, nonzero),
      bias: Float64Array.from({ length: rows }, weight),
    };
  });
  return network(layers, { name: "random", ...options });
}

/** `count` points of R^dimension with coordinates k / 8, |k| <= 16, row by row. */
export const dyadicPoints = (random: Random, count: number, dimension: number): Float64Array =>
  Float64Array.from({ length: count * dimension }, () => random.integer(-16, 16) / 8);
