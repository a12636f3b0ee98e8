// The objective along a path, and how high one has to climb.

export interface PathProfile {
  /** Places on the path and the objective there. */
  readonly points: readonly (readonly [number, number])[];
  /** The greatest of these values above the greater end; 0 where no place is higher. */
  readonly barrier: number;
  /** No value is above the one before. */
  readonly isMonotone: boolean;
}

/** What a list of values along a path amounts to. */
export function profileOf(points: PathProfile["points"]): PathProfile {
  const values = points.map(([, value]) => value);
  return {
    points,
    barrier: Math.max(...values) - Math.max(values[0]!, values.at(-1)!),
    isMonotone: values.every((value, k) => k === 0 || value <= values[k - 1]!),
  };
}

/**
 * Values at `steps + 1` places from t = 0 to t = 1.
 * @example (await pathProfile(async (t) => t * (1 - t), 2)).barrier // 0.25
 */
export async function pathProfile(
  value: (t: number) => Promise<number>,
  steps: number,
  { signal, onProgress }: { readonly signal?: AbortSignal; onProgress?: (share: number) => void } = {},
): Promise<PathProfile> {
  const points: (readonly [number, number])[] = [];
  for (let k = 0; k <= steps; k++) {
    signal?.throwIfAborted();
    points.push([k / steps, await value(k / steps)]);
    onProgress?.((k + 1) / (steps + 1));
  }
  return profileOf(points);
}

/**
 * Are the places whose value is at most `level` one stretch?
 * @example isConnectedBelow(1, [[0, 0], [0.5, 2], [1, 0]]) // false
 */
export function isConnectedBelow(level: number, points: PathProfile["points"]): boolean {
  const below = points.map(([, value]) => value <= level);
  return below.lastIndexOf(true) - below.indexOf(true) < below.filter(Boolean).length;
}

/**
 * The greatest excess of a value over the mean of its two neighbours: above 0 nowhere on a convex profile.
 * @example midpointExcess([[0, 0], [0.5, 1], [1, 0]]) // 1
 */
export const midpointExcess = (points: PathProfile["points"]): number =>
  Math.max(...points.slice(1, -1).map(([, value], k) => value - (points[k]![1] + points[k + 2]![1]) / 2));
