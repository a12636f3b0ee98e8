// The interpolant of a function on a sparse grid, in the hierarchical basis: sum_l sum_i v_{l,i} phi_{l,i}(x).
import { roundTo50Bits } from "../../networks/circuit/rows.ts";
import { addDown, addUp } from "../../numbers/rounding.ts";
import { digitsOf, placeOfDigits, type SparseGrid, type SparseLevel, sparseGrid } from "./grid.ts";
import type { MixedTarget } from "./target.ts";

export interface SparseInterpolant {
  readonly grid: SparseGrid;
  /** The surpluses v, with 50 bits, so that small multiples are doubles, too. */
  readonly surplus: Float64Array;
  /** How far each may be from the exact one. */
  readonly radius: Float64Array;
}

/**
 * The function that agrees with f at the points of the grid. Its surpluses are the stencil [-1/2, 1, -1/2] in every
 * direction, applied one direction after the other, fine levels first, with outward rounding.
 * @example sparseInterpolant(mixedTargets.parabola, 2, 3).surplus[0] // 1
 */
export function sparseInterpolant(f: MixedTarget, dimension: number, level: number): SparseInterpolant {
  const grid = sparseGrid(dimension, level);
  const [lower, upper] = [new Float64Array(grid.points), new Float64Array(grid.points)];
  for (const part of grid.parts)
    for (let p = 0; p < part.count; p++) {
      const value = f.enclose(digitsOf(part, p).map((k, j) => (2 * k + 1) / 2 ** part.levels[j]!));
      lower[part.first + p] = value.lower;
      upper[part.first + p] = value.upper;
    }
  for (let j = 0; j < dimension; j++) hierarchize(grid, j, lower, upper);
  const surplus = lower.map((low, p) => roundTo50Bits((low + upper[p]!) / 2));
  const radius = surplus.map((v, p) => Math.max(0, addUp(upper[p]!, -v), addUp(v, -lower[p]!)));
  return { grid, surplus, radius };
}

/** Takes from every value the mean of its two neighbours in direction j, which coarser levels hold. */
function hierarchize({ parts }: SparseGrid, j: number, lower: Float64Array, upper: Float64Array): void {
  const byLevels = new Map(parts.map((part) => [part.levels.join(), part]));
  for (const part of [...parts].sort((a, b) => b.levels[j]! - a.levels[j]!)) {
    const own = part.levels[j]!;
    const coarser = Array.from(
      { length: own - 1 },
      (_, l) => byLevels.get(part.levels.with(j, l + 1).join())!,
    );
    for (let p = 0; p < part.count; p++) {
      const digits = digitsOf(part, p);
      let [low, high] = [0, 0];
      for (const neighbour of [digits[j]!, digits[j]! + 1]) {
        const at = neighbourAt(neighbour, own, digits, j, coarser);
        if (at === undefined) continue;
        low = addDown(low, lower[at]!);
        high = addUp(high, upper[at]!);
      }
      lower[part.first + p] = addDown(lower[part.first + p]!, -high / 2);
      upper[part.first + p] = addUp(upper[part.first + p]!, -low / 2);
    }
  }
}

/** Where the point with 2 numerator / 2^level in direction j is; nowhere on the boundary. */
function neighbourAt(
  numerator: number,
  level: number,
  digits: readonly number[],
  j: number,
  coarser: readonly SparseLevel[],
): number | undefined {
  let [odd, l] = [numerator, level - 1];
  if (odd === 0 || odd === 2 ** l) return undefined;
  for (; odd % 2 === 0; l--) odd /= 2;
  const part = coarser[l - 1]!;
  return part.first + placeOfDigits(part.levels, digits.with(j, (odd - 1) / 2));
}

/**
 * The interpolant at a point of [0, 1]^d: one hat a level.
 * @example sparseValue(sparseInterpolant(mixedTargets.parabola, 2, 3), [0.5, 0.25]) // 0.75
 */
export function sparseValue({ grid, surplus }: SparseInterpolant, x: ArrayLike<number>): number {
  const { dimension, level, parts } = grid;
  const hats = new Float64Array(dimension * level);
  const digits = new Int32Array(dimension * level);
  for (let j = 0; j < dimension; j++)
    for (let l = 1; l <= level; l++) {
      const k = Math.min(2 ** (l - 1) - 1, Math.floor(x[j]! * 2 ** (l - 1)));
      digits[j * level + l - 1] = k;
      hats[j * level + l - 1] = 1 - Math.abs(x[j]! * 2 ** l - (2 * k + 1));
    }
  let total = 0;
  for (const { levels, first } of parts) {
    let [product, place, stride] = [1, first, 1];
    for (let j = 0; j < dimension; j++) {
      const at = j * level + levels[j]! - 1;
      product *= hats[at]!;
      place += digits[at]! * stride;
      stride *= 2 ** (levels[j]! - 1);
    }
    total += surplus[place]! * product;
  }
  return total;
}

/** sum_l max_i of a number for each point: a bound of sum v phi, because hats of one level do not overlap. */
export function overLevels({ parts }: SparseGrid, of: (place: number) => number): number {
  let total = 0;
  for (const { first, count } of parts) {
    let most = 0;
    for (let p = 0; p < count; p++) most = Math.max(most, of(first + p));
    total = addUp(total, most);
  }
  return total;
}
