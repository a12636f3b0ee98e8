// The upper half of a square matrix as panels of columns, each down to the diagonal and row by row: a part of a panel between
// two rows then stands together in memory, as ONNX Runtime wants its operands.
import type { Block } from "./block.ts";

/** Where the columns of a panel stand: entry (i, j) at start + i stride + j. */
export interface ColumnsPlace {
  readonly start: number;
  readonly stride: number;
}

/** Panels of `width` columns of a matrix of n rows; the last one has what is left. */
export class ColumnPanels {
  readonly count: number;
  /** Numbers that all of them take. */
  readonly length: number;

  constructor(
    readonly size: number,
    readonly width: number,
  ) {
    this.count = Math.ceil(size / width);
    this.length = this.count === 0 ? 0 : this.#begin(this.count - 1) + size * this.#columns(this.count - 1);
  }

  /** Panels before this one are whole: of width, 2 width, ... rows. */
  readonly #begin = (panel: number): number => (this.width ** 2 * panel * (panel + 1)) / 2;
  readonly #columns = (panel: number): number => Math.min(this.width, this.size - panel * this.width);

  /** Where column j stands. */
  place(j: number): ColumnsPlace {
    const panel = Math.floor(j / this.width);
    return { start: this.#begin(panel) - panel * this.width, stride: this.#columns(panel) };
  }

  /** The rows above the diagonal block of panel `i`, in the columns of panel j. */
  above(entries: Float64Array, i: number, j: number): Block {
    const columns = this.#columns(j);
    return { entries, start: this.#begin(j), stride: columns, rows: i * this.width, columns };
  }

  /** The rows of panel `i` on the diagonal, in the columns of panel j. */
  block(entries: Float64Array, i: number, j: number): Block {
    const above = this.above(entries, i, j);
    return { ...above, start: above.start + above.rows * above.stride, rows: this.#columns(i) };
  }
}
