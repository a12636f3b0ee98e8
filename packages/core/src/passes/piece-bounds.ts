// How many linear pieces a ReLU network on a line can have, and how near it can therefore come to a function that
// bends more often (Telgarsky, section 4.2; book, Theorem 1.26).
import { add, div, type Exact, mul, sub } from "../numbers/exact/rational.ts";

/** Upper bounds on the pieces of a network with one input and given hidden widths. */
export interface PieceBounds {
  /** prod (m_j + 1); reached when all widths are at least 3. */
  readonly product: Exact;
  /** (1 + M / H)^H, M = sum m_j. */
  readonly mean: Exact;
  /** 2^H prod m_j (Lemma 4.9): never below the product, but it can be below the mean. */
  readonly doubled: Exact;
  /** (2 M / H)^H (Lemma 4.9): the greatest. */
  readonly doubledMean: Exact;
}

const product = (factors: readonly Exact[]): Exact => factors.reduce((p, f) => mul(p, f), 1);
const raised = (base: Exact, exponent: number): Exact => product(Array(exponent).fill(base));

/**
 * The bounds for hidden widths m_1, ..., m_H and a linear output.
 * @example pieceBounds([3, 3]) // { product: 16, mean: 16, doubled: 36, doubledMean: 36 }
 */
export function pieceBounds(widths: readonly number[]): PieceBounds {
  const depth = widths.length;
  const mean =
    depth === 0
      ? 0
      : div(
          widths.reduce((a, b) => a + b, 0),
          depth,
        );
  return {
    product: product(widths.map((m) => m + 1)),
    mean: raised(add(mean, 1), depth),
    doubled: product(widths.map((m) => 2 * m)),
    doubledMean: raised(mul(2, mean), depth),
  };
}

/**
 * The most pieces that `units` units in `depth` hidden layers can make: (1 + units / depth)^depth, as a double.
 * @example pieceLimit(4, 2) // 9
 */
export const pieceLimit = (units: number, depth: number): number => (1 + units / depth) ** depth;

/**
 * The units that `depth` hidden layers need for so many pieces: depth (pieces^(1/depth) - 1).
 * @example leastUnits(9, 2) // 4
 */
export const leastUnits = (pieces: number, depth: number): number => depth * (pieces ** (1 / depth) - 1);

/**
 * No continuous function with so many pieces on [0, 1] is nearer in L1 to the sawtooth with 2^levels pieces:
 * 1/8 - pieces / 2^(levels + 3). Half of the area 1/4 between sawtooth and 1/2 lies on the wrong side of a function
 * that stays on one side of 1/2; each of its crossings saves at most 2^-(levels + 3), half of a tooth.
 * @example sawtoothDistanceBound(6, 16) // 0.09375
 */
export const sawtoothDistanceBound = (levels: number, pieces: Exact): Exact =>
  sub(1 / 8, mul(pieces, 2 ** -(levels + 3)));

/**
 * No function with so many pieces has a smaller integral of its squared distance to x^2 over an interval of this
 * length: length^5 / (180 pieces^4), reached by equal pieces.
 * @example squareL2Bound(2) // 1/2880, exactly
 */
export const squareL2Bound = (pieces: Exact, length: Exact = 1): Exact =>
  div(raised(length, 5), mul(180, raised(pieces, 4)));

/**
 * No function with so many pieces is uniformly nearer to a function with |g''| >= curvature on an interval of this
 * length: curvature length^2 / (16 pieces^2), reached for x^2 by equal pieces.
 * @example curvedSupBound(2, 2) // 0.03125
 */
export const curvedSupBound = (pieces: Exact, curvature: Exact, length: Exact = 1): Exact =>
  div(mul(curvature, raised(length, 2)), mul(16, raised(pieces, 2)));
