// Products of reflections in compact form, H_0 H_1 ... = 1 - Y T Y^T (Schreiber and Van Loan 1989), applied as products of
// matrices. The vectors v_j are the rows of Y^T, as they are stored.
import { type Block, matrixBlock, packedTranspose, wholeBlock } from "./block.ts";
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
    for (let i = 0; i < j; i++) {
      let sum = 0;
      for (let p = i; p < j; p++) sum += t[i * k + p]! * gram.entries[j * k + p]!;
      t[i * k + j] = -tau * sum;
    }
  }
  return { rows: k, columns: k, entries: t };
}

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
  const along = await productOf(z, y); // Z Y
  const back = await productOf(wholeBlock(t), vectors, { transposed: order === "descending" }); // T Y^T
  await subtractProduct(z, wholeBlock(along), wholeBlock(back));
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
