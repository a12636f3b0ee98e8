// Products of reflections in compact form, H_0 H_1 ... = 1 - Y T Y^T (Schreiber and Van Loan 1989), applied as products of
// matrices. The vectors v_j are the rows of Y^T, as they are stored.
import { type Block, blockRows, rowsIn } from "./block.ts";
import { transposeBlock } from "./block-moves.ts";
import type { Matrix } from "./matrix-norm.ts";
import { subtractProduct, writeProduct } from "./product.ts";
import type { VectorWorkspace } from "./vector-workspace.ts";

export interface Reflections {
  /** Y^T: row j is v_j. */
  readonly vectors: Block;
  readonly taus: Float64Array;
}

/** T, upper triangular: its column j is tau_j (e_j - T Y^T v_j), with the part of T that is known by then. */
function triangleOf(gram: Block, taus: Float64Array, t: Float64Array): Block {
  const k = gram.rows;
  t.fill(0);
  for (let j = 0; j < k; j++) {
    const tau = taus[j]!;
    t[j * k + j] = tau;
    for (let i = 0; i < j; i++) t[i * k + j] = -tau * dotBetween(t, i * k, gram.entries, j * k, i, j);
  }
  return rowsIn(t, k, k);
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

/** Entries of Z that are reflected at once, in a cache: 4 MB. */
const entriesInCache = 2 ** 19;
const fewestRows = 128;

/** Z <- Z H_0 H_1 ... or, in descending order, Z ... H_1 H_0. What it needs meanwhile comes from a workspace, if there is one. */
export async function reflectRows(
  z: Block,
  { vectors, taus }: Reflections,
  order: "ascending" | "descending",
  workspace?: VectorWorkspace,
): Promise<void> {
  const [k, n] = [vectors.rows, vectors.columns];
  if (k === 0 || z.rows === 0) return;
  const array = (length: number): Float64Array =>
    workspace ? workspace.array(length, "as it is") : new Float64Array(length);
  const y = rowsIn(array(n * k), n, k);
  transposeBlock(y, vectors);
  const gram = rowsIn(array(k * k), k, k);
  await writeProduct(gram.entries, vectors, y);
  const t = triangleOf(gram, taus, array(k * k));
  const back = rowsIn(array(k * n), k, n); // T Y^T
  await writeProduct(back.entries, t, vectors, { transposed: order === "descending" });
  const all = array(z.rows * k);
  const step = Math.max(fewestRows, Math.ceil(entriesInCache / n));
  for (let from = 0; from < z.rows; from += step) {
    const strip = blockRows(z, from, Math.min(z.rows, from + step));
    const along = rowsIn(all.subarray(from * k, (from + strip.rows) * k), strip.rows, k); // Z Y
    await writeProduct(along.entries, strip, y);
    await subtractProduct(strip, along, back);
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

/** Reflections of so many rows that act at once: more of them are fewer products, but their triangles cost more. */
const atOnceFor = (rows: number): number => (rows < 400 ? 32 : rows < 800 ? 64 : 128);

/** Numbers that a workspace needs for reflections of so many rows of this length. */
export const numbersForReflections = (rows: number, length: number): number =>
  atOnceFor(rows) * (3 * length + rows + 2 * atOnceFor(rows));

/** Z <- Z ... H_1 H_0, which is Z Q^T for Q = H_0 H_1 ... */
export async function timesReflections(
  z: Block,
  stored: StoredReflections,
  workspace?: VectorWorkspace,
): Promise<void> {
  const { vectors, shift } = stored;
  const count = Math.min(vectors.rows, vectors.columns - shift);
  const atOnce = atOnceFor(z.rows);
  for (let to = count; to > 0; to -= atOnce) {
    const from = Math.max(0, to - atOnce);
    const columns: Block = { ...z, start: z.start + from + shift, columns: vectors.columns - from - shift };
    const reflect = () =>
      reflectRows(columns, reflectionsBetween(stored, from, to, workspace), "descending", workspace);
    await (workspace ? workspace.lending(reflect) : reflect());
  }
}

/** The reflections from .. to - 1 on the columns from + shift on, with zeros where their vectors have not begun. */
export function reflectionsBetween(
  { vectors, taus, shift }: StoredReflections,
  from: number,
  to: number,
  workspace?: VectorWorkspace,
): Reflections {
  const n = vectors.columns;
  const [rows, columns] = [to - from, n - from - shift];
  const entries = workspace ? workspace.array(rows * columns) : new Float64Array(rows * columns);
  for (let k = from; k < to; k++)
    entries.set(vectors.entries.subarray(k * n + k + shift, (k + 1) * n), (k - from) * (columns + 1));
  return { vectors: rowsIn(entries, rows, columns), taus: taus.subarray(from, to) };
}
