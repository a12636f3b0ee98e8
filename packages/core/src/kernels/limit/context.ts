// What the rules of the limit kernel share: the tile of pairs of examples, the variances, the parameterization.
import type { Field } from "./meaning.ts";

/**
 * Layers are W_std / sqrt(fan-in) W x + b_std b with entries of variance 1 ("ntk"), or W x + b with entries of variance
 * W_std^2 / fan-in and b_std^2 ("standard", whose tangent kernel depends on the widths).
 */
export type Parameterization = "ntk" | "standard";

/** The pairs of examples that are looked at together: rows x columns of them, row by row, or each example with itself. */
export interface Tile {
  readonly rows: number;
  readonly columns: number;
  /** Each example with itself: one row, whose examples are those of the columns. */
  readonly itself: boolean;
}

/** Variances of a field: position p of example i at p stride + start + i. */
export interface Variances {
  readonly values: Float64Array;
  readonly stride: number;
  readonly start: number;
}

export interface Context {
  readonly tile: Tile;
  readonly parameterization: Parameterization;
  readonly wStd: number;
  readonly bStd: number;
  /** Values for which all pairs of positions are needed: a mean over positions comes later. */
  readonly allPairs: ReadonlySet<string>;
  /** The variances of a field at the examples of the rows and of the columns. */
  variances(field: Field): readonly [Variances, Variances];
  /** The shape of a value, without the examples. */
  shape(name: string): readonly number[];
  /** An array of this length for this tile alone, with whatever stands in it. */
  array(length: number): Float64Array;
  /** Nobody reads this array of the tile any more. */
  free(array: Float64Array): void;
  /** What is the same for all tiles, by a name of its own. */
  once<T extends object>(key: string, make: () => T): T;
  /** Takes note of how far a map without a closed form may be off. */
  note(error: number): void;
}

export const pairsOfTile = ({ rows, columns }: Tile): number => rows * columns;
