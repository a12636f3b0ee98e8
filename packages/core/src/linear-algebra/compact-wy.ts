// Products of reflections in compact form, H_0 H_1 ... = 1 - Y T Y^T (Schreiber and Van Loan 1989), applied as products of
// matrices. The vectors v_j are the rows of Y^T, as they are stored.
import { type Block, blockRows, matrixBlock, packedTranspose, wholeBlock } from "./block.ts";
import type { Matrix } from "./matrix-norm.ts";
import { productOf, subtractProduct } from "./product.ts";

export interface Reflections {
  /** Y^T: row j is v_j. */
  readonly vectors: Block;
  readonly taus: Float64Array;
}

/** T, upper triangular: its column j is tau_j (e_j - T Y^T v_j), with the part of T that is known by then. */
function triangleOf(gram: Matrix, taus: Float64Array): Matrix {
  const k = gram.rows;
  const t = new Float64Array(k * k);
  for (let j = 0; j < k; j++) {
    const tau = taus[j]!;
    t[j * k + j] = tau;
    for (let i = 0; i < j; i++) t[i * k + j] = -tau * dotBetween(t, i * k, gram.entries, j * k, i, j);
  }
  return { rows: k, columns: k, entries: t };
}

/** sum_p a[rowA + p] b[rowB + p] for from <= p < to, in four sums that do not wait for each other. */
function dotBetween(
  a: Float64Array,
  rowA: number,
  b: Float64Array,
  rowB: number,
  from: number,
  to: number,
): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let p = from;
  for (; p + 4 <= to; p += 4) {
    s0 += a[rowA + p]! * b[rowB + p]!;
    s1 += a[rowA + p + 1]! * b[rowB + p + 1]!;
    s2 += a[rowA + p + 2]! * b[rowB + p + 2]!;
    s3 += a[rowA + p + 3]! * b[rowB + p + 3]!;
  }
  for (; p < to; p++) s0 += a[rowA + p]! * b[rowB + p]!;
  return s0 + s1 + (s2 + s3);
}

/** Entries of Z that are reflected at once, where one thread does it: 1 MB. */
const entriesInCache = 2 ** 17;

/** Z <- Z H_0 H_1 ... or, in descending order, Z ... H_1 H_0. */
export async function reflectRows(
  z: Block,
  { vectors, taus }: Reflections,
  order: "ascending" | "descending",
): Promise<void> {
  const [k, n] = [vectors.rows, vectors.columns];
  if (k === 0 || z.rows === 0) return;
  const y = wholeBlock({ rows: n, columns: k, entries: packedTranspose(vectors) });
  const t = triangleOf(await productOf(vectors, y), taus);
  const back = wholeBlock(
    await productOf(wholeBlock(t), vectors, { transposed: order === "descending" }), // T Y^T
  );
  const step = z.rows * n * k < 2 ** 27 ? Math.max(128, Math.ceil(entriesInCache / n)) : z.rows;
  for (let from = 0; from < z.rows; from += step) {
    const strip = blockRows(z, from, Math.min(z.rows, from + step));
    const along = await productOf(strip, y); // Z Y
    await subtractProduct(strip, wholeBlock(along), back);
  }
}

/** Reflections as they are left by an elimination: v_k stands in row k from column k + shift on. */
export interface StoredReflections {
  readonly vectors: Matrix;
  readonly taus: Float64Array;
  readonly shift: 0 | 1;
  /** To be called when they are not needed any more. */
  release?(): void;
}

/** Reflections that act at once. */
const atOnce = 128;

/** Z <- Z ... H_1 H_0, which is Z Q^T for Q = H_0 H_1 ... */
export async function timesReflections(z: Matrix, stored: StoredReflections): Promise<void> {
  const { vectors, shift } = stored;
  const count = Math.min(vectors.rows, vectors.columns - shift);
  for (let to = count; to > 0; to -= atOnce) {
    const from = Math.max(0, to - atOnce);
    const columns = matrixBlock(z, [0, z.rows], [from + shift, vectors.columns]);
    await reflectRows(columns, reflectionsBetween(stored, from, to), "descending");
  }
}

/** The reflections from .. to - 1 on the columns from + shift on, with zeros where their vectors have not begun. */
export function reflectionsBetween(
  { vectors, taus, shift }: StoredReflections,
  from: number,
  to: number,
): Reflections {
  const n = vectors.columns;
  const columns = n - from - shift;
  const entries = new Float64Array((to - from) * columns);
  for (let k = from; k < to; k++)
    entries.set(vectors.entries.subarray(k * n + k + shift, (k + 1) * n), (k - from) * (columns + 1));
  const rows = to - from;
  return { vectors: { entries, start: 0, stride: columns, rows, columns }, taus: taus.subarray(from, to) };
}
