// The triangle map, zigzags with more teeth, and their iterates (Telgarsky, section 4.1; book, equation 1.32).

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { compose, identity, power } from "../calculus/calculus.ts";
import { requireCount } from "../calculus/conditions.ts";
import { layer, network } from "../layers/layers.ts";

export interface TriangleOptions {
  /** "unit": right on [0, 1], two units a layer. "line": zero outside [0, 1], three units a layer. */
  readonly domain?: "unit" | "line";
}

const onUnit = network([layer([[1], [1]], [0, -1 / 2]), layer([[2, -4]])], { name: "triangle" });
const onLine = network([layer([[1], [1], [1]], [0, -1 / 2, -1]), layer([[2, -4, 2]])], { name: "triangle" });

/**
 * The triangle map D(x) = 2 relu(x) - 4 relu(x - 1/2) (+ 2 relu(x - 1) on the line), `times` times after itself:
 * `times` hidden layers of 2 (or 3) units, and 2^times linear pieces on [0, 1].
 * @example linearPieces(triangle(5), 0, 1).knots.length - 1 // 32
 */
export const triangle = (times = 1, { domain = "unit" }: TriangleOptions = {}): Graph =>
  power(domain === "unit" ? onUnit : onLine, times);

/**
 * The zigzag of [0, 1] with `teeth` pieces, each onto [0, 1], with one hidden layer of `teeth` units:
 * z(x) = relu(q x) + 2 sum_{i=1}^{q-1} (-1)^i relu(q x - i). For q = 2 it is the triangle map.
 * @example linearPieces(zigzag(3), 0, 1).values // [0, 1, 0, 1]
 */
export function zigzag(teeth: number): Graph {
  requireCount("zigzag", "number of teeth", teeth, 1);
  const units = Array.from({ length: teeth }, (_, i) => i);
  const first = layer(
    units.map(() => [teeth]),
    units.map((i) => -i),
  );
  return network([first, layer([units.map((i) => (i === 0 ? 1 : i % 2 === 1 ? -2 : 2))])], {
    name: `zigzag_${teeth}`,
  });
}

/**
 * Zigzags one after the other, the first one applied first: prod q_l pieces on [0, 1] from sum q_l units.
 * All weights are whole numbers, so that nothing is rounded.
 * @example linearPieces(sawtooth([2, 3]), 0, 1).knots.length - 1 // 6
 */
export function sawtooth(teeth: readonly number[]): Graph {
  if (teeth.length === 0) return identity(1, 1);
  return teeth.map(zigzag).reduce((inner, outer) => compose(outer, inner));
}

/**
 * A network of one hidden layer with `pieces` - 1 units that follows the sawtooth of 2^levels pieces from the left
 * for as long as it can, then stays at 1/2: L1 distance (1 - (pieces - 3/2) 2^-levels) / 4 for pieces >= 2.
 * @example linearPieces(sawtoothSpline(2, 3), 0, 1).values // [0, 1, 0.5, 0.5]
 */
export function sawtoothSpline(levels: number, pieces: number): Graph {
  requireCount("sawtoothSpline", "number of pieces", pieces, 1);
  if (pieces > 2 ** levels)
    throw new ConstructError(
      `a sawtooth with ${2 ** levels} pieces is not approached by more of them, ${pieces}`,
    );
  if (pieces === 1) return network([layer([[0]], [1 / 2])], { name: "half" });
  // 1/2 + sum c relu(a - x): constant on the right, and each unit bends it at its a.
  const bends = Array.from({ length: pieces - 1 }, (_, j) => {
    const slope = (j % 2 === 0 ? 1 : -1) * 2 ** levels; // of piece j, on the left of the bend
    return j < pieces - 2
      ? { at: (j + 1) / 2 ** levels, weight: -2 * slope }
      : { at: (j + 1 / 2) / 2 ** levels, weight: -slope };
  });
  return network(
    [
      layer(
        bends.map(() => [-1]),
        bends.map((b) => b.at),
      ),
      layer([bends.map((b) => b.weight)], [1 / 2]),
    ],
    { name: `sawtooth_spline_${pieces}` },
  );
}
