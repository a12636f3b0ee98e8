// Sparse grids on [0, 1]^d: levels l with |l|_1 <= n + d - 1, and in each level the points i / 2^l with odd i.
import { ConstructError } from "../../functions/error.ts";

/** All points of one vector of levels: 2^(|l|_1 - d) of them, whose hats do not overlap. */
export interface SparseLevel {
  readonly levels: readonly number[];
  /** The place of its first point among all points of the grid. */
  readonly first: number;
  readonly count: number;
}

export interface SparseGrid {
  readonly dimension: number;
  readonly level: number;
  /** Coarse levels before fine ones. */
  readonly parts: readonly SparseLevel[];
  readonly points: number;
}

/**
 * sum_{i<n} 2^i C(d-1+i, d-1): the points of a sparse grid of level n.
 * @example sparseGridPoints(2, 5) // 129
 */
export function sparseGridPoints(dimension: number, level: number): number {
  let total = 0;
  for (let i = 0, ways = 1; i < level; i++, ways = (ways * (dimension - 1 + i)) / i) total += 2 ** i * ways;
  return total;
}

/**
 * The finest level with at most so many points; 1 where there is none.
 * @example finestLevel(10, 300) // 3
 */
export function finestLevel(dimension: number, points: number): number {
  let level = 1;
  while (sparseGridPoints(dimension, level + 1) <= points) level++;
  return level;
}

/**
 * The sparse grid without boundary points.
 * @example sparseGrid(3, 4).points // 111
 */
export function sparseGrid(dimension: number, level: number): SparseGrid {
  for (const [name, value] of Object.entries({ dimension, level }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new ConstructError(`a sparse grid has a ${name} of at least 1, not ${value}`);
  if (sparseGridPoints(dimension, level) > 2e6)
    throw new ConstructError(
      `a sparse grid of level ${level} in ${dimension} dimensions has ${sparseGridPoints(dimension, level)} points, more than 2e6`,
    );
  let points = 0;
  const parts = Array.from({ length: level }, (_, extra) => compositions(dimension, extra))
    .flat()
    .map((above): SparseLevel => {
      const levels = above.map((l) => l + 1);
      const count = above.reduce((product, l) => product * 2 ** l, 1);
      const first = points;
      points += count;
      return { levels, first, count };
    });
  return { dimension, level, parts, points };
}

/** All ways to write `total` as an ordered sum of so many whole numbers. */
function compositions(parts: number, total: number): number[][] {
  if (parts === 1) return [[total]];
  return Array.from({ length: total + 1 }, (_, head) => head).flatMap((head) =>
    compositions(parts - 1, total - head).map((tail) => [head, ...tail]),
  );
}

/** Which of its levels' hats a point has: the digits k_j of its place, i_j = 2 k_j + 1. */
export function digitsOf({ levels }: Pick<SparseLevel, "levels">, place: number): number[] {
  let rest = place;
  return levels.map((l) => {
    const side = 2 ** (l - 1);
    const digit = rest % side;
    rest = (rest - digit) / side;
    return digit;
  });
}

/** The other way round. */
export function placeOfDigits(levels: readonly number[], digits: ArrayLike<number>): number {
  let [place, stride] = [0, 1];
  levels.forEach((l, j) => {
    place += digits[j]! * stride;
    stride *= 2 ** (l - 1);
  });
  return place;
}
