// A = Q R for tall A by Householder's reflections in panels. The columns of A are stored as rows, which are reflected one by
// one within a panel; the panel then acts on all others as products of matrices.
import { matrixBlock, wholeBlock } from "./block.ts";
import { reflectionsBetween, reflectRows, type StoredReflections, timesReflections } from "./compact-wy.ts";
import { reflection } from "./householder.ts";
import type { Matrix } from "./matrix-norm.ts";
import { VectorWorkspace } from "./vector-workspace.ts";

/** A = Q R. */
export interface HouseholderQr {
  /** R^T: lower triangular, k x k for A of k columns. */
  readonly lower: Matrix;
  /** The whole of Q is their product. */
  readonly reflections: StoredReflections;
}

const panelWidth = 32;

/** The factors of A, whose transpose is given: at least as many columns as rows. */
export async function householderQr(transposed: Matrix): Promise<HouseholderQr> {
  const { rows: k, columns: m } = transposed;
  const workspace = new VectorWorkspace(k * m + panelWidth, 2);
  const entries = workspace.array(k * m, "as it is");
  entries.set(transposed.entries);
  const factors = workspace.array(panelWidth);
  const vectors: Matrix = { rows: k, columns: m, entries };
  const lower: Matrix = { rows: k, columns: k, entries: new Float64Array(k * k) };
  const taus = new Float64Array(k);
  const stored: StoredReflections = { vectors, taus, shift: 0, release: () => workspace.release() };
  for (let from = 0; from < k; from += panelWidth) {
    const to = Math.min(k, from + panelWidth);
    for (let p = from; p < to; p++) {
      lower.entries.set(entries.subarray(p * m, p * m + p), p * k);
      const { tau, beta } = reflection(entries, p * m + p, m - p);
      taus[p] = tau;
      lower.entries[p * k + p] = beta;
      reflectPanel(workspace, vectors, p, to, tau, factors);
    }
    if (to < k)
      await reflectRows(matrixBlock(vectors, [to, k], [from, m]), reflectionsBetween(stored, from, to));
  }
  return { lower, reflections: stored };
}

/** Rows p + 1 .. to - 1 less tau <v, row> v, where v stands in row p. */
function reflectPanel(
  workspace: VectorWorkspace,
  { entries, columns: m }: Matrix,
  p: number,
  to: number,
  tau: number,
  factors: Float64Array,
): void {
  const v = p * m + p;
  const rest = { entries, start: v + m, stride: m, rows: to - p - 1, columns: m - p };
  workspace.times(rest, { entries, at: v }, { entries: factors, at: 0 });
  for (let i = 0; i < rest.rows; i++) {
    const factor = tau * factors[i]!;
    const row = rest.start + i * m;
    for (let j = 0; j < rest.columns; j++) entries[row + j]! -= factor * entries[v + j]!;
  }
}

/** Z Q^T for rows that are as long as A has columns: Q here is the orthonormal k columns of the factor. */
export async function timesOrthonormal(z: Matrix, { reflections }: HouseholderQr): Promise<Matrix> {
  const m = reflections.vectors.columns;
  const wide: Matrix = { rows: z.rows, columns: m, entries: new Float64Array(z.rows * m) };
  for (let k = 0; k < z.rows; k++)
    wide.entries.set(z.entries.subarray(k * z.columns, (k + 1) * z.columns), k * m);
  await timesReflections(wholeBlock(wide), reflections);
  return wide;
}
