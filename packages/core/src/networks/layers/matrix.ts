// Algebra of sparse matrices for the weights of layers. Sums of products carry their rounding errors along, so that
// a result which fits a double is that double, and a result which does not is known to be rounded.
import type { SparseMatrix } from "../../graph/sparse.ts";

/** A result, and whether it is exactly what the formula says. */
export interface Rounded<T> {
  readonly value: T;
  readonly exact: boolean;
}

/** The number of entries that are not zero. */
export function nonzeros(values: ArrayLike<number>): number {
  let count = 0;
  for (let k = 0; k < values.length; k++) if (values[k] !== 0) count++;
  return count;
}

/** Dense numbers in row-major order as a sparse matrix without zeros; `transposed`: the numbers are its transpose's. */
export function fromDense(
  rows: number,
  columns: number,
  data: ArrayLike<number>,
  transposed = false,
): SparseMatrix {
  const at = (r: number, c: number): number => data[transposed ? c * rows + r : r * columns + c]!;
  const starts = new Int32Array(rows + 1);
  const columnOf = new Int32Array(nonzeros(data));
  const values = new Float64Array(columnOf.length);
  let k = 0;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const value = at(r, c);
      if (value === 0) continue;
      columnOf[k] = c;
      values[k++] = value;
    }
    starts[r + 1] = k;
  }
  return { rows, columns, starts, columnOf, values };
}

/** `diagonal([2, 3])` is [[2, 0], [0, 3]]. */
export function diagonal(values: ArrayLike<number>): SparseMatrix {
  const n = values.length;
  const starts = Int32Array.from({ length: n + 1 }, (_, k) => k);
  const columnOf = Int32Array.from({ length: n }, (_, k) => k);
  return withoutZeros({ rows: n, columns: n, starts, columnOf, values: Float64Array.from(values) });
}

/** The identity matrix. */
export const unit = (dimension: number): SparseMatrix => diagonal(new Float64Array(dimension).fill(1));

export const isUnit = ({ rows, columns, starts, columnOf, values }: SparseMatrix): boolean =>
  rows === columns &&
  starts.every((start, k) => start === k) &&
  values.every((v) => v === 1) &&
  columnOf.every((c, k) => c === k);

/** The same matrix without stored zeros. */
export function withoutZeros(matrix: SparseMatrix): SparseMatrix {
  const { rows, columns, starts, columnOf, values } = matrix;
  if (nonzeros(values) === values.length) return matrix;
  const kept = [...values.keys()].filter((k) => values[k] !== 0);
  const before = new Int32Array(values.length + 1);
  for (let k = 0; k < values.length; k++) before[k + 1] = before[k]! + (values[k] === 0 ? 0 : 1);
  return {
    rows,
    columns,
    starts: starts.map((k) => before[k]!),
    columnOf: Int32Array.from(kept, (k) => columnOf[k]!),
    values: Float64Array.from(kept, (k) => values[k]!),
  };
}

/** -A. */
export const negate = (a: SparseMatrix): SparseMatrix => ({ ...a, values: a.values.map((v) => 0 - v) });

/** Blocks at (row, column) offsets of a larger matrix, in the order of their columns; the rest is zero. */
function assemble(
  rows: number,
  columns: number,
  blocks: readonly { readonly matrix: SparseMatrix; readonly row: number; readonly column: number }[],
): SparseMatrix {
  const starts = new Int32Array(rows + 1);
  for (const { matrix, row } of blocks)
    for (let r = 0; r < matrix.rows; r++) starts[row + r + 1]! += matrix.starts[r + 1]! - matrix.starts[r]!;
  for (let r = 0; r < rows; r++) starts[r + 1]! += starts[r]!;
  const columnOf = new Int32Array(starts[rows]!);
  const values = new Float64Array(starts[rows]!);
  const next = starts.slice();
  for (const { matrix, row, column } of blocks)
    for (let r = 0; r < matrix.rows; r++)
      for (let k = matrix.starts[r]!; k < matrix.starts[r + 1]!; k++) {
        const place = next[row + r]!++;
        columnOf[place] = column + matrix.columnOf[k]!;
        values[place] = matrix.values[k]!;
      }
  return { rows, columns, starts, columnOf, values };
}

/** Matrices on top of each other: [A; B]. */
export function above(matrices: readonly SparseMatrix[]): SparseMatrix {
  let row = 0;
  const blocks = matrices.map((matrix) => {
    row += matrix.rows;
    return { matrix, row: row - matrix.rows, column: 0 };
  });
  return assemble(row, matrices[0]!.columns, blocks);
}

/** Matrices next to each other: [A, B]. */
export function beside(matrices: readonly SparseMatrix[]): SparseMatrix {
  let column = 0;
  const blocks = matrices.map((matrix) => {
    column += matrix.columns;
    return { matrix, row: 0, column: column - matrix.columns };
  });
  return assemble(matrices[0]!.rows, column, blocks);
}

/** Matrices along the diagonal: [A, 0; 0, B]. */
export function blockDiagonal(matrices: readonly SparseMatrix[]): SparseMatrix {
  let [row, column] = [0, 0];
  const blocks = matrices.map((matrix) => {
    row += matrix.rows;
    column += matrix.columns;
    return { matrix, row: row - matrix.rows, column: column - matrix.columns };
  });
  return assemble(row, column, blocks);
}

const splitter = 2 ** 27 + 1;

/** What rounding cost the product (Dekker 1971), or NaN where the splitting itself could overflow or underflow. */
function productError(a: number, b: number, product: number): number {
  if (product === 0 && (a === 0 || b === 0)) return 0;
  const size = Math.abs(product);
  const inRange = size > 2 ** -900 && size < 2 ** 900 && Math.abs(a) < 2 ** 900 && Math.abs(b) < 2 ** 900;
  if (!inRange) return Number.NaN;
  const [s, t] = [splitter * a, splitter * b];
  const [aHigh, bHigh] = [s - (s - a), t - (t - b)];
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

/** What rounding cost the sum (Knuth). */
function sumError(a: number, b: number, sum: number): number {
  const part = sum - a;
  return a - (sum - part) + (b - part);
}

/** Sums of products, one for each column, as high + low; `exact` until something is lost (Ogita, Rump, Oishi 2005). */
class Sums {
  exact = true;
  readonly high: Float64Array;
  readonly low: Float64Array;

  constructor(columns: number) {
    this.high = new Float64Array(columns);
    this.low = new Float64Array(columns);
  }

  addProduct(column: number, a: number, b: number): void {
    const product = a * b;
    const before = this.high[column]!;
    const sum = before + product;
    this.high[column] = sum;
    const lostByProduct = a === 1 || b === 1 ? 0 : productError(a, b, product);
    const lostBySum = sumError(before, product, sum);
    if (lostByProduct === 0 && lostBySum === 0) return;
    if (Number.isNaN(lostByProduct) || Number.isNaN(lostBySum)) {
      this.exact = false;
      return;
    }
    const lost = lostByProduct + lostBySum;
    const low = this.low[column]! + lost;
    if (sumError(lostByProduct, lostBySum, lost) !== 0 || sumError(this.low[column]!, lost, low) !== 0)
      this.exact = false;
    this.low[column] = low;
  }

  /** The sum of a column, which starts anew. */
  take(column: number): number {
    const [high, low] = [this.high[column]!, this.low[column]!];
    this.high[column] = 0;
    this.low[column] = 0;
    if (low === 0) return high;
    const total = high + low;
    if (sumError(high, low, total) !== 0) this.exact = false;
    return total;
  }
}

/** sum_i c_i A_i B_i row by row, where every term has the same shape; zeros that result are not stored. */
function sumOfProducts(terms: readonly (readonly [SparseMatrix, SparseMatrix])[]): Rounded<SparseMatrix> {
  const [rows, columns] = [terms[0]![0].rows, terms[0]![1].columns];
  const sums = new Sums(columns);
  const seen = new Int32Array(columns).fill(-1);
  const starts = new Int32Array(rows + 1);
  const columnOf: number[] = [];
  const values: number[] = [];
  for (let r = 0; r < rows; r++) {
    const touched: number[] = [];
    for (const [a, b] of terms)
      for (let k = a.starts[r]!; k < a.starts[r + 1]!; k++)
        for (let inner = a.columnOf[k]!, m = b.starts[inner]!; m < b.starts[inner + 1]!; m++) {
          const c = b.columnOf[m]!;
          if (seen[c] !== r) touched.push(c);
          seen[c] = r;
          sums.addProduct(c, a.values[k]!, b.values[m]!);
        }
    touched.sort((x, y) => x - y);
    for (const c of touched) {
      const value = sums.take(c);
      if (value === 0) continue;
      columnOf.push(c);
      values.push(value);
    }
    starts[r + 1] = values.length;
  }
  const matrix = {
    rows,
    columns,
    starts,
    columnOf: Int32Array.from(columnOf),
    values: Float64Array.from(values),
  };
  return { value: matrix, exact: sums.exact };
}

/** A B. */
export const product = (a: SparseMatrix, b: SparseMatrix): Rounded<SparseMatrix> => sumOfProducts([[a, b]]);

/** c_1 A_1 + c_2 A_2 + ... */
export const combination = (
  coefficients: ArrayLike<number>,
  matrices: readonly SparseMatrix[],
): Rounded<SparseMatrix> =>
  sumOfProducts(
    matrices.map((a, i) => [diagonal(new Float64Array(a.rows).fill(coefficients[i]!)), a] as const),
  );

/** A x + b. */
export function affineImage(
  { rows, starts, columnOf, values }: SparseMatrix,
  x: ArrayLike<number>,
  b: ArrayLike<number>,
): Rounded<Float64Array> {
  const sums = new Sums(1);
  const image = new Float64Array(rows);
  for (let r = 0; r < rows; r++) {
    sums.addProduct(0, 1, b[r]!);
    for (let k = starts[r]!; k < starts[r + 1]!; k++) sums.addProduct(0, values[k]!, x[columnOf[k]!]!);
    image[r] = sums.take(0);
  }
  return { value: image, exact: sums.exact };
}
