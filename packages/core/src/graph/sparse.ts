// Sparse matrices in graphs: y = W x as Gather, Mul and ReduceSum, so that nothing dense is ever made.
import { GraphError } from "./error.ts";
import type { Inferred } from "./operators/spec.ts";
import { encode, type FloatType, type SparseTensor, type Tensor, tensor } from "./tensor.ts";

/** Compressed rows: entries k = starts[r] .. starts[r + 1] - 1 of row r stand in columns[k] with values[k]. */
export interface SparseMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly starts: Int32Array;
  readonly columnOf: Int32Array;
  readonly values: Float64Array;
}

export const isSparseMatrix = (matrix: unknown): matrix is SparseMatrix =>
  typeof matrix === "object" && matrix !== null && "starts" in matrix;

/**
 * A sparse matrix from its entries [row, column, value]; entries at the same place are added.
 * @example sparseMatrix(2, 3, [[0, 2, 5], [1, 0, -1]])
 */
export function sparseMatrix(
  rows: number,
  columns: number,
  entries: Iterable<readonly [number, number, number]>,
): SparseMatrix {
  const byRow: Map<number, number>[] = Array.from({ length: rows }, () => new Map());
  for (const [r, c, value] of entries) {
    if (!(r >= 0 && r < rows && c >= 0 && c < columns)) {
      throw new GraphError(`entry (${r}, ${c}) lies outside a ${rows} x ${columns} matrix`);
    }
    byRow[r]!.set(c, (byRow[r]!.get(c) ?? 0) + value);
  }
  const starts = new Int32Array(rows + 1);
  byRow.forEach((row, r) => {
    starts[r + 1] = starts[r]! + row.size;
  });
  const columnOf = new Int32Array(starts[rows]!);
  const values = new Float64Array(starts[rows]!);
  byRow.forEach((row, r) => {
    [...row]
      .sort((a, b) => a[0] - b[0])
      .forEach(([c, value], k) => {
        columnOf[starts[r]! + k] = c;
        values[starts[r]! + k] = value;
      });
  });
  return { rows, columns, starts, columnOf, values };
}

/** All entries, zeros included, in row-major order. */
export function toDense({ rows, columns, starts, columnOf, values }: SparseMatrix): Float64Array {
  const dense = new Float64Array(rows * columns);
  for (let r = 0; r < rows; r++)
    for (let k = starts[r]!; k < starts[r + 1]!; k++) dense[r * columns + columnOf[k]!] = values[k]!;
  return dense;
}

/**
 * The matrix with all its zeros.
 * @example denseTensor(sparseMatrix(1, 2, [[0, 1, 5]]), "float64").dims // [1, 2]
 */
export const denseTensor = (matrix: SparseMatrix, type: FloatType): Tensor =>
  tensor(toDense(matrix), { type, dims: [matrix.rows, matrix.columns] });

/** The rows of a two-dimensional sparse weight as a matrix, or its columns as rows when transposed. */
export function matrixOf({ dims, indices, values }: SparseTensor, transposed: boolean): SparseMatrix {
  const [rows, columns] = dims as readonly [number, number];
  const data = values.data as ArrayLike<number>;
  const triples = Array.from(indices, (position, k) => {
    const [r, c] = [Math.floor(Number(position) / columns), Number(position) % columns];
    return [transposed ? c : r, transposed ? r : c, data[k]!] as const;
  });
  return sparseMatrix(transposed ? columns : rows, transposed ? rows : columns, triples);
}

/** Rows with between 2^(k-1) + 1 and 2^k entries share a bucket: at most half of its slots are padding. */
function buckets({ rows, starts }: SparseMatrix): number[][] {
  const byClass = new Map<number, number[]>();
  for (let r = 0; r < rows; r++) {
    const size = starts[r + 1]! - starts[r]!;
    const slots = size === 0 ? 0 : Math.ceil(Math.log2(size)) + 1;
    const members = byClass.get(slots) ?? [];
    byClass.set(slots, members);
    members.push(r);
  }
  return [...byClass].sort((a, b) => a[0] - b[0]).map(([, members]) => members);
}

/** One bucket as slot-by-row tables of columns and values, so that the sum runs over the outer axis. */
function slotTables(
  matrix: SparseMatrix,
  members: readonly number[],
  type: FloatType,
): readonly [Tensor, Tensor] {
  const { starts, columnOf, values } = matrix;
  const slots = members.reduce((most, r) => Math.max(most, starts[r + 1]! - starts[r]!), 1);
  const dims = [slots, members.length];
  const columns = new Int32Array(slots * members.length);
  const weights = new Float64Array(slots * members.length);
  members.forEach((r, place) => {
    for (let k = starts[r]!; k < starts[r + 1]!; k++) {
      const slot = (k - starts[r]!) * members.length + place;
      columns[slot] = columnOf[k]!;
      weights[slot] = values[k]!;
    }
  });
  return [
    { type: "int32", dims, data: columns },
    { type, dims, data: encode(weights, type) },
  ];
}

/** What a sparse product asks of a value. */
interface Operations<V> {
  readonly type: Inferred;
  gather(indices: Tensor, axis: number): V;
  mul(other: Tensor): V;
  sum(axes: readonly number[]): V;
  concat(others: readonly V[], axis: number): V;
}

/** x W^T for a batch x of rows: one Gather, Mul and ReduceSum for each class of row lengths. */
export function sparseProduct<V extends Operations<V>>(x: V, matrix: SparseMatrix): V {
  const type = x.type.type as FloatType;
  const groups = buckets(matrix);
  if (groups.length === 0) throw new GraphError("a sparse matrix without rows");
  const parts = groups.map((members) => {
    const [columns, weights] = slotTables(matrix, members, type);
    return x.gather(columns, 1).mul(weights).sum([1]);
  });
  if (parts.length === 1) return parts[0]!;
  const place = new Int32Array(matrix.rows);
  groups.flat().forEach((r, k) => {
    place[r] = k;
  });
  const [first, ...rest] = parts as [V, ...V[]];
  return first.concat(rest, 1).gather({ type: "int32", dims: [matrix.rows], data: place }, 1);
}
