// Whether the inputs that a unit still reads lie together on the grid of an image.
import { SparseError } from "./error.ts";

export interface Grid {
  readonly rows: number;
  readonly columns: number;
}

/** |row difference| + |column difference| of two pixels, counted row by row. */
export const gridDistance = ({ columns }: Grid, a: number, b: number): number =>
  Math.abs(Math.floor(a / columns) - Math.floor(b / columns)) + Math.abs((a % columns) - (b % columns));

/** Pairs of pixels of a set that are neighbours, up and down or left and right. */
export function neighbourPairs(grid: Grid, kept: readonly number[]): number {
  const set = new Set(kept);
  const { rows, columns } = grid;
  const wrong = kept.find((k) => !(Number.isInteger(k) && k >= 0 && k < rows * columns));
  if (wrong !== undefined || set.size !== kept.length)
    throw new SparseError(
      `pixels of ${rows} x ${columns} are different numbers from 0 to ${rows * columns - 1}, not ${wrong ?? "one twice"}`,
    );
  return kept.reduce(
    (sum, k) =>
      sum +
      Number((k + 1) % columns !== 0 && set.has(k + 1)) +
      Number(k + columns < rows * columns && set.has(k + columns)),
    0,
  );
}

/**
 * The mean number of neighbours among `count` pixels that are drawn at random: edges C(count, 2) / C(pixels, 2).
 * @example expectedNeighbours({ rows: 2, columns: 2 }, 2) // 0.666666666667
 */
export function expectedNeighbours({ rows, columns }: Grid, count: number): number {
  const [edges, pixels] = [rows * (columns - 1) + columns * (rows - 1), rows * columns];
  return (edges * count * (count - 1)) / (pixels * (pixels - 1));
}

export interface Locality {
  /** Neighbours over what is expected of as many random pixels: 1 for no locality. */
  readonly ratio: number;
  /** The mean distance of two pixels of a set, over that of any two: below 1 for locality. */
  readonly distanceRatio: number;
  /** Sets with two pixels or more. */
  readonly sets: number;
}

/**
 * The locality of the sets of pixels that units read, all together.
 * @example localityOf({ rows: 4, columns: 4 }, [[0, 1, 4, 5]]).ratio // 3.33333333333
 */
export function localityOf(grid: Grid, sets: readonly (readonly number[])[]): Locality {
  const used = sets.filter((set) => set.length >= 2);
  const total = (of: (set: readonly number[]) => number): number =>
    used.reduce((sum, set) => sum + of(set), 0);
  const expected = total((set) => expectedNeighbours(grid, set.length));
  const pairs = total((set) => (set.length * (set.length - 1)) / 2);
  const apart = total((set) => distances(grid, set));
  const all = Array.from({ length: grid.rows * grid.columns }, (_, k) => k);
  const usual = distances(grid, all) / ((all.length * (all.length - 1)) / 2);
  return {
    ratio: expected > 0 ? total((set) => neighbourPairs(grid, set)) / expected : 1,
    distanceRatio: pairs > 0 ? apart / pairs / usual : 1,
    sets: used.length,
  };
}

const distances = (grid: Grid, set: readonly number[]): number =>
  set.reduce((sum, a, i) => sum + set.slice(i + 1).reduce((s, b) => s + gridDistance(grid, a, b), 0), 0);
