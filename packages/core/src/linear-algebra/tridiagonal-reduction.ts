// A = Q T Q^T with T tridiagonal, by Householder's reflections in panels (Dongarra, Sorensen and Hammarling 1989): half of
// the work is products with vectors, half is products of matrices.
import { type Block, matrixBlock } from "./block.ts";
import type { StoredReflections } from "./compact-wy.ts";
import { reflection } from "./householder.ts";
import type { Matrix } from "./matrix-norm.ts";
import { subtractUpper } from "./product.ts";
import { giveBack, scratch } from "./scratch.ts";
import type { Tridiagonal } from "./tridiagonal.ts";
import { type Rows, VectorWorkspace } from "./vector-workspace.ts";
import { requireSquareShape, scaledSymmetric } from "./well-formed.ts";

/** 2^-exponent A = Q T Q^T: computed on the scale of 1. */
export interface TridiagonalReduction {
  readonly exponent: number;
  readonly tridiagonal: Tridiagonal;
  /** Q is their product. */
  readonly reflections: StoredReflections;
}

/** Reflections that are collected before the rest of the matrix is brought up to date: each makes the next ones dearer. */
const widthFor = (n: number): number => (n < 1500 ? 32 : 64);

interface Panel {
  readonly workspace: VectorWorkspace;
  readonly a: Float64Array;
  readonly n: number;
  /** First reflection of the panel. */
  readonly from: number;
  /** Rows v_0, w_0, v_1, w_1, ...: the rest of A is to become A - sum_k v_k w_k^T + w_k v_k^T. */
  readonly both: Float64Array;
  /** A number for each of these rows. */
  readonly factors: Float64Array;
}

/** The reduction of a symmetric matrix; what is none is refused. */
export async function tridiagonalReduction(what: string, matrix: Matrix): Promise<TridiagonalReduction> {
  const n = matrix.rows;
  requireSquareShape(what, matrix);
  const panelWidth = widthFor(n);
  const workspace = new VectorWorkspace(n * n + 2 * panelWidth * (n + 1), 3);
  const { upper, exponent } = scaledSymmetric(what, matrix, (length) => workspace.array(length, "as it is"));
  const [both, factors] = [workspace.array(2 * panelWidth * n), workspace.array(2 * panelWidth)];
  const a = upper.entries;
  const [diagonal, off] = [new Float64Array(n), new Float64Array(Math.max(0, n - 1))];
  const taus = new Float64Array(n);
  for (let from = 0; from < n; from += panelWidth) {
    const panel: Panel = { workspace, a, n, from, both, factors };
    const to = Math.min(n, from + panelWidth);
    for (let k = from; k < to; k++) {
      bringRowUpToDate(panel, k);
      diagonal[k] = a[k * n + k]!;
      if (k === n - 1) break;
      const { tau, beta } = reflection(a, k * n + k + 1, n - k - 1);
      off[k] = beta;
      taus[k] = tau;
      addReflection(panel, k, tau);
    }
    if (to < n) await bringRestUpToDate(upper, to, both, 2 * panelWidth);
  }
  return {
    exponent,
    tridiagonal: { diagonal, off },
    reflections: { vectors: upper, taus, shift: 1, release: () => workspace.release() },
  };
}

/** The rows of the panel up to reflection k, as many as a multiple of four; columns from `left` on. */
const panelRows = ({ both, n, from }: Panel, k: number, left: number): Rows => ({
  entries: both,
  start: left,
  stride: n,
  rows: 4 * Math.ceil((k - from) / 2),
  columns: n - left,
});

/** Factors w_0, v_0, w_1, v_1, ... from those of v_0, w_0, ...; 0 for rows that are not there yet. */
function exchangeFactors({ factors, from }: Panel, k: number): void {
  const count = 2 * (k - from);
  for (let p = 0; p < count; p += 2) {
    const v = factors[p]!;
    factors[p] = factors[p + 1]!;
    factors[p + 1] = v;
  }
  factors.fill(0, count);
}

/** Row k <- row k - sum_p v_p[k] w_p + w_p[k] v_p, from the diagonal on. */
function bringRowUpToDate(panel: Panel, k: number): void {
  const { workspace, a, n, from, both, factors } = panel;
  for (let p = 0; p < 2 * (k - from); p++) factors[p] = both[p * n + k]!;
  exchangeFactors(panel, k);
  workspace.subtractCombination(
    panelRows(panel, k, k),
    { entries: factors, at: 0 },
    { entries: a, at: k * n + k },
  );
}

/** w = tau (B v - (tau/2) <v, B v> v), where B is the rest of A as it would be by now. */
function addReflection(panel: Panel, k: number, tau: number): void {
  const { workspace, a, n, from, both, factors } = panel;
  const at = 2 * (k - from) * n;
  const [x, y] = [both.subarray(at, at + n), both.subarray(at + n, at + 2 * n)];
  x.fill(0, 0, k + 1);
  x.set(a.subarray(k * n + k + 1, (k + 1) * n), k + 1);
  y.fill(0);
  if (tau === 0) return;
  workspace.symmetricTimes(a, n, k + 1, x, y);
  const known = panelRows(panel, k, k + 1);
  workspace.times(known, { entries: x, at: k + 1 }, { entries: factors, at: 0 });
  exchangeFactors(panel, k);
  workspace.subtractCombination(known, { entries: factors, at: 0 }, { entries: y, at: k + 1 });
  let along = 0;
  for (let j = k + 1; j < n; j++) along += x[j]! * y[j]!;
  const shift = 0.5 * tau * tau * along;
  for (let j = k + 1; j < n; j++) y[j] = tau * y[j]! - shift * x[j]!;
}

/** The upper half of the rows and columns from `start` on, less sum_k v_k w_k^T + w_k v_k^T. */
async function bringRestUpToDate(
  upper: Matrix,
  start: number,
  both: Float64Array,
  inner: number,
): Promise<void> {
  const n = upper.rows;
  const exchanged = scratch(inner * n);
  for (let p = 0; p < inner; p += 2) {
    exchanged.set(both.subarray(p * n, (p + 1) * n), (p + 1) * n);
    exchanged.set(both.subarray((p + 1) * n, (p + 2) * n), p * n);
  }
  const columnsOf = (entries: Float64Array): Block =>
    matrixBlock({ rows: inner, columns: n, entries }, [0, inner], [start, n]);
  await subtractUpper(matrixBlock(upper, [start, n], [start, n]), columnsOf(both), columnsOf(exchanged));
  giveBack(exchanged);
}
