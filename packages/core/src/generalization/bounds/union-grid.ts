// Norms and margins of a trained network are known only after the sample: a bound for fixed ones is claimed for all levels
// of a geometric grid at once, each with its share of delta.

/** Neighbouring levels: finer grids round less and share delta among more levels. */
export const gridRatio = 1.1;

export interface GridLevel {
  /** The least level that is not below the value. */
  readonly level: number;
  /** Its share of delta is 1 / cost. */
  readonly cost: number;
}

/**
 * Levels ratio^k for all whole k, with shares 2 / (3 (|k| + 1) (|k| + 2)), which sum to 1.
 * @example gridLevel(1) // { level: 1, cost: 3 }
 */
export function gridLevel(value: number): GridLevel {
  let k = Math.ceil(Math.log(value) / Math.log(gridRatio));
  while (gridRatio ** k < value) k++;
  const size = Math.abs(k);
  return { level: gridRatio ** k, cost: 1.5 * (size + 1) * (size + 2) };
}

/**
 * Levels ratio^k for k >= 0, for values that are at least 1, with shares 1 / ((k + 1) (k + 2)), which sum to 1.
 * @example gridLevelFromOne(1) // { level: 1, cost: 2 }
 */
export function gridLevelFromOne(value: number): GridLevel {
  let k = Math.max(0, Math.ceil(Math.log(value) / Math.log(gridRatio)));
  while (gridRatio ** k < value) k++;
  return { level: gridRatio ** k, cost: (k + 1) * (k + 2) };
}
