// The objective on a plane through a point: a grid of values along two directions.

export interface SliceOptions {
  /** Points along each side; odd, so that the middle is the point itself. */
  readonly points: number;
  /** Half of a side, in lengths of the directions. */
  readonly radius: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number) => void;
}

export interface Slice {
  /** Coordinates along both directions. */
  readonly places: readonly number[];
  /** values[i][j] at places[j] along the first direction and places[i] along the second. */
  readonly values: readonly (readonly number[])[];
}

/**
 * f(theta + a d + b e) on a grid.
 * @example (await slice(async (t) => t[0] ** 2, Float64Array.of(0), [Float64Array.of(1), Float64Array.of(0)], { points: 3, radius: 1 })).values[0] // [1, 0, 1]
 */
export async function slice(
  value: (theta: Float64Array) => Promise<number>,
  theta: Float64Array,
  [first, second]: readonly [Float64Array, Float64Array],
  { points, radius, signal, onProgress }: SliceOptions,
): Promise<Slice> {
  const places = Array.from({ length: points }, (_, k) => radius * ((2 * k) / (points - 1) - 1));
  const values: number[][] = [];
  for (const b of places) {
    const row: number[] = [];
    for (const a of places) {
      signal?.throwIfAborted();
      row.push(await value(theta.map((w, k) => w + a * first[k]! + b * second[k]!)));
    }
    values.push(row);
    onProgress?.(values.length / points);
  }
  return { places, values };
}

/**
 * Inner points of the grid that are below all of their eight neighbours.
 * @example gridMinima([[1, 1, 1], [1, 0, 1], [1, 1, 1]]) // 1
 */
export function gridMinima(values: Slice["values"]): number {
  let count = 0;
  for (let i = 1; i < values.length - 1; i++)
    for (let j = 1; j < values[i]!.length - 1; j++) {
      const around = [-1, 0, 1].flatMap((a) =>
        [-1, 0, 1].map((b) => (a || b ? values[i + a]![j + b]! : Number.POSITIVE_INFINITY)),
      );
      if (around.every((v) => v > values[i]![j]!)) count++;
    }
  return count;
}
