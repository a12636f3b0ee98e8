// A = Q T Q^T with T tridiagonal, by Householder's reflections in panels (Dongarra, Sorensen and Hammarling 1989): half of
// the work is products with vectors, half is products of matrices.
import { type Block, matrixBlock } from "./block.ts";
import { type Reflections, reflectRows } from "./compact-wy.ts";
import { reflection } from "./householder.ts";
import type { Matrix } from "./matrix-norm.ts";
import { symmetricTimes } from "./matrix-vector.ts";
import { subtractProduct } from "./product.ts";
import type { Tridiagonal } from "./tridiagonal.ts";

/** A = Q T Q^T, Q = H_0 H_1 ..., where v_k of H_k stands in row k from column k + 1 on. */
export interface TridiagonalReduction {
  readonly tridiagonal: Tridiagonal;
  readonly vectors: Matrix;
  readonly taus: Float64Array;
}

/** Reflections that are collected before the rest of the matrix is brought up to date. */
const panelWidth = 32;
/** Rows of the rest that are brought up to date at once, upper half or not. */
const stripHeight = 384;
/** Reflections that act at once on the way back. */
const reflectionsAtOnce = 128;

interface Panel {
  readonly a: Float64Array;
  readonly n: number;
  /** First reflection of the panel. */
  readonly from: number;
  /** Rows v_k, then as many rows w_k: the rest of A is to become A - sum_k v_k w_k^T + w_k v_k^T. */
  readonly v: Float64Array[];
  readonly w: Float64Array[];
}

/** Overwrites the upper half of a symmetric matrix by the vectors of its reflections. */
export async function tridiagonalReduction(upper: Matrix): Promise<TridiagonalReduction> {
  const { rows: n, entries: a } = upper;
  const [diagonal, off] = [new Float64Array(n), new Float64Array(Math.max(0, n - 1))];
  const taus = new Float64Array(n);
  const both = new Float64Array(2 * panelWidth * n);
  const rows = Array.from({ length: 2 * panelWidth }, (_, k) => both.subarray(k * n, (k + 1) * n));
  for (let from = 0; from < n; from += panelWidth) {
    const width = Math.min(panelWidth, n - from);
    const panel: Panel = { a, n, from, v: rows.slice(0, width), w: rows.slice(width, 2 * width) };
    for (let k = from; k < from + width; k++) {
      bringRowUpToDate(panel, k);
      diagonal[k] = a[k * n + k]!;
      if (k === n - 1) break;
      const { tau, beta } = reflection(a, k * n + k + 1, n - k - 1);
      off[k] = beta;
      taus[k] = tau;
      addReflection(panel, k, tau);
    }
    if (from + width < n) await bringRestUpToDate(upper, from + width, both, width);
  }
  return { tridiagonal: { diagonal, off }, vectors: upper, taus };
}

/** Row k <- row k - sum_p v_p[k] w_p + w_p[k] v_p, from the diagonal on. */
function bringRowUpToDate({ a, n, from, v, w }: Panel, k: number): void {
  const row = k * n;
  for (let p = 0; p < k - from; p++) {
    const [vp, wp] = [v[p]!, w[p]!];
    const alongV = vp[k]!;
    const alongW = wp[k]!;
    for (let j = k; j < n; j++) a[row + j]! -= alongV * wp[j]! + alongW * vp[j]!;
  }
}

/** w = tau (B v - (tau/2) <v, B v> v), where B is the rest of A as it would be by now. */
function addReflection({ a, n, from, v, w }: Panel, k: number, tau: number): void {
  const [x, y] = [v[k - from]!, w[k - from]!];
  x.fill(0, 0, k + 1);
  x.set(a.subarray(k * n + k + 1, (k + 1) * n), k + 1);
  y.fill(0);
  if (tau === 0) return;
  symmetricTimes(a, n, k + 1, x, y);
  for (let p = 0; p < k - from; p++) subtractBoth(v[p]!, w[p]!, x, y, k + 1);
  let along = 0;
  for (let j = k + 1; j < n; j++) along += x[j]! * y[j]!;
  const shift = 0.5 * tau * tau * along;
  for (let j = k + 1; j < n; j++) y[j] = tau * y[j]! - shift * x[j]!;
}

/** y <- y - <w, x> v - <v, x> w. */
function subtractBoth(
  v: Float64Array,
  w: Float64Array,
  x: Float64Array,
  y: Float64Array,
  start: number,
): void {
  let alongV = 0;
  let alongW = 0;
  for (let j = start; j < x.length; j++) {
    alongV += v[j]! * x[j]!;
    alongW += w[j]! * x[j]!;
  }
  for (let j = start; j < x.length; j++) y[j]! -= alongW * v[j]! + alongV * w[j]!;
}

/** The upper half of the rows and columns from `start` on, less sum_k v_k w_k^T + w_k v_k^T. */
async function bringRestUpToDate(
  upper: Matrix,
  start: number,
  both: Float64Array,
  width: number,
): Promise<void> {
  const n = upper.rows;
  const inner = 2 * width;
  const turned = new Float64Array(inner * n);
  turned.set(both.subarray(width * n, inner * n));
  turned.set(both.subarray(0, width * n), width * n);
  const columnsOf = (entries: Float64Array, left: number, right: number): Block =>
    matrixBlock({ rows: inner, columns: n, entries }, [0, inner], [left, right]);
  for (let top = start; top < n; top += stripHeight) {
    const bottom = Math.min(n, top + stripHeight);
    const strip = matrixBlock(upper, [top, bottom], [top, n]);
    await subtractProduct(strip, columnsOf(both, top, bottom), columnsOf(turned, top, n), {
      transposed: true,
    });
  }
}

/** Z <- Z Q^T: rows that are eigenvectors of T become eigenvectors of A. */
export async function timesReflections(z: Matrix, { vectors, taus }: TridiagonalReduction): Promise<void> {
  const n = vectors.rows;
  for (let to = n - 1; to > 0; to -= reflectionsAtOnce) {
    const from = Math.max(0, to - reflectionsAtOnce);
    const columns = [from + 1, n] as const;
    await reflectRows(
      matrixBlock(z, [0, z.rows], columns),
      reflectionsBetween(vectors, taus, from, to),
      "descending",
    );
  }
}

/** The reflections from .. to - 1, with zeros where their vectors have not begun, from column from + 1 on. */
function reflectionsBetween(vectors: Matrix, taus: Float64Array, from: number, to: number): Reflections {
  const n = vectors.rows;
  const columns = n - from - 1;
  const entries = new Float64Array((to - from) * columns);
  for (let k = from; k < to; k++)
    entries.set(vectors.entries.subarray(k * n + k + 1, (k + 1) * n), (k - from) * columns + (k - from));
  return {
    vectors: { entries, start: 0, stride: columns, rows: to - from, columns },
    taus: taus.subarray(from, to),
  };
}
