// The microcanonical set {x: |S x - y| <= eps} (book 1, section 8.6.2): what it is estimated from, and who is in it.
import { ScatteringError } from "./error.ts";

export interface MicrocanonicalSet {
  /** The mean of the samples' statistics. */
  readonly centre: Float64Array;
  /** |S x_i - y| of each sample, ascending. */
  readonly distances: Float64Array;
  /** The width that holds this share of the samples. */
  readonly width: number;
}

/**
 * The set around the mean of some statistics, as wide as to hold a share of them.
 * @example microcanonicalSet([[0], [2], [4]], 1).width // 2
 */
export function microcanonicalSet(
  statistics: readonly ArrayLike<number>[],
  share: number,
): MicrocanonicalSet {
  const [first] = statistics;
  if (!first) throw new ScatteringError("a set around no samples has no centre");
  if (!(share > 0 && share <= 1)) throw new ScatteringError(`a share is above 0 and at most 1, not ${share}`);
  const centre = Float64Array.from(first, (_, p) => {
    return statistics.reduce((sum, s) => sum + s[p]!, 0) / statistics.length;
  });
  const distances = Float64Array.from(statistics, (s) => distanceTo(centre, s)).sort();
  return { centre, distances, width: distances[Math.ceil(share * distances.length) - 1]! };
}

/**
 * Whether statistics are within the width of the centre.
 * @example isInside(microcanonicalSet([[0], [2], [4]], 1), [4.5]) // false
 */
export const isInside = ({ centre, width }: MicrocanonicalSet, statistics: ArrayLike<number>): boolean =>
  distanceTo(centre, statistics) <= width;

function distanceTo(centre: Float64Array, statistics: ArrayLike<number>): number {
  if (statistics.length !== centre.length)
    throw new ScatteringError(`${statistics.length} statistics for a set of ${centre.length}`);
  return Math.sqrt(centre.reduce((sum, v, p) => sum + (v - statistics[p]!) ** 2, 0));
}
