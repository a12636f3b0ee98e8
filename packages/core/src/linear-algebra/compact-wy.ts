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

type Space = (length: number) => Float64Array;

const spaceIn =
  (workspace: VectorWorkspace | undefined): Space =>
  (length) =>
    workspace ? workspace.array(length, "as it is") : new Float64Array(length);

interface CompactForm {
  /** Y. */
  readonly y: Block;
  /** T Y^T. */
  readonly back: Block;
}

/** The compact form of reflections, in arrays that are made for it. */
async function compactForm({ vectors, taus }: Reflections, space: Space): Promise<CompactForm> {
  const [k, n] = [vectors.rows, vectors.columns];
  const y = rowsIn(space(n * k), n, k);
  transposeBlock(y, vectors);
  const gram = rowsIn(space(k * k), k, k);
  await writeProduct(gram.entries, vectors, y);
  const t = triangleOf(gram, taus, space(k * k));
  const back = rowsIn(space(k * n), k, n);
  await writeProduct(back.entries, t, vectors);
  return { y, back };
}

/** Z <- Z H_0 H_1 ... */
export async function reflectRows(z: Block, reflections: Reflections): Promise<void> {
  const k = reflections.vectors.rows;
  if (k === 0 || z.rows === 0) return;
  const { y, back } = await compactForm(reflections, spaceIn(undefined));
  const along = rowsIn(new Float64Array(z.rows * k), z.rows, k); // Z Y
  await writeProduct(along.entries, z, y);
  await subtractProduct(z, along, back);
}

/** Z <- H_0 H_1 ... Z. What it needs meanwhile comes from a workspace, if there is one. */
async function reflectColumns(
  z: Block,
  reflections: Reflections,
  workspace: VectorWorkspace | undefined,
): Promise<void> {
  const { vectors } = reflections;
  const space = spaceIn(workspace);
  const { back } = await compactForm(reflections, space);
  const along = rowsIn(space(vectors.rows * z.columns), vectors.rows, z.columns); // T Y^T Z
  await writeProduct(along.entries, back, z);
  await subtractProduct(z, vectors, along, { transposed: true });
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
  rows * length + atOnceFor(rows) * (3 * length + rows + 2 * atOnceFor(rows));

/**
 * Z <- Z ... H_1 H_0, which is Z Q^T for Q = H_0 H_1 ... Done as Q Z^T: reflections act on the last rows of Z^T, which stand
 * together in memory, so that nothing is copied between products.
 */
export async function timesReflections(
  z: Block,
  stored: StoredReflections,
  workspace?: VectorWorkspace,
): Promise<void> {
  const act = async (): Promise<void> => {
    const columns = rowsIn(spaceIn(workspace)(z.rows * z.columns), z.columns, z.rows);
    transposeBlock(columns, z);
    const { vectors, shift } = stored;
    const atOnce = atOnceFor(z.rows);
    for (let to = Math.min(vectors.rows, vectors.columns - shift); to > 0; to -= atOnce) {
      const from = Math.max(0, to - atOnce);
      const reflect = () =>
        reflectColumns(
          blockRows(columns, from + shift, columns.rows),
          reflectionsBetween(stored, from, to, workspace),
          workspace,
        );
      await (workspace ? workspace.lending(reflect) : reflect());
    }
    transposeBlock(z, columns);
  };
  if (z.rows > 0) await (workspace ? workspace.lending(act) : act());
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
