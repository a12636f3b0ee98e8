// A = P B Q^T with B upper bidiagonal, by reflections from both sides in panels (Dongarra, Sorensen and Hammarling 1989).
import { matrixBlock } from "./block.ts";
import type { StoredReflections } from "./compact-wy.ts";
import { reflection } from "./householder.ts";
import type { Matrix } from "./matrix-norm.ts";
import { subtractProduct } from "./product.ts";
import { type Part, type Rows, VectorWorkspace } from "./vector-workspace.ts";

/** Upper bidiagonal: `off[k]` stands right of `diagonal[k]`. */
export interface Bidiagonal {
  readonly diagonal: Float64Array;
  readonly off: Float64Array;
}

/** A = P B Q^T: P is the product of the left reflections, Q of the right ones. */
export interface BidiagonalReduction {
  readonly bidiagonal: Bidiagonal;
  readonly left: StoredReflections;
  readonly right: StoredReflections;
}

/** Reflections from each side that are collected before the rest of the matrix is brought up to date. */
const panelWidth = 64;

/** The rest of A is to become A - sum_s r_s c_s^T, with two pairs (v, y) and (x, u) a step: v, u are reflections. */
interface Panel {
  readonly workspace: VectorWorkspace;
  readonly a: Float64Array;
  readonly n: number;
  readonly from: number;
  /** Rows v_0, x_0, v_1, x_1, ..., over the rows of A. */
  readonly r: Float64Array;
  /** Rows y_0, u_0, y_1, u_1, ..., over the columns of A. */
  readonly c: Float64Array;
  /** A number for each of these rows. */
  readonly factors: Float64Array;
}

/** The reduction of a square matrix of moderate entries, which is copied. */
export async function bidiagonalReduction(matrix: Matrix): Promise<BidiagonalReduction> {
  const n = matrix.rows;
  const [twice, count] = [2 * panelWidth, n * n];
  const workspace = new VectorWorkspace(count + 2 * twice * (n + 1), 4);
  const a = workspace.array(count, "as it is");
  a.set(matrix.entries);
  const [r, c, factors] = [workspace.array(twice * n), workspace.array(twice * n), workspace.array(twice)];
  const [diagonal, off] = [new Float64Array(n), new Float64Array(Math.max(0, n - 1))];
  const leftVectors = new Float64Array(count);
  const [leftTaus, rightTaus] = [new Float64Array(n), new Float64Array(n)];
  for (let from = 0; from < n; from += panelWidth) {
    const panel: Panel = { workspace, a, n, from, r, c, factors };
    const to = Math.min(n, from + panelWidth);
    for (let k = from; k < to; k++) {
      clearStep(panel, k);
      const left = leftReflection(panel, k);
      diagonal[k] = left.beta;
      leftTaus[k] = left.tau;
      const v = 2 * (k - from) * n;
      leftVectors.set(r.subarray(v + k, v + n), k * n + k);
      if (k === n - 1) break;
      const right = rightReflection(panel, k);
      off[k] = right.beta;
      rightTaus[k] = right.tau;
    }
    if (to < n) await bringRestUpToDate(a, n, to, r, c);
  }
  const square = { rows: n, columns: n };
  return {
    bidiagonal: { diagonal, off },
    left: { vectors: { ...square, entries: leftVectors }, taus: leftTaus, shift: 0 },
    right: {
      ...{ vectors: { ...square, entries: a }, taus: rightTaus, shift: 1 },
      release: () => workspace.release(),
    },
  };
}

function clearStep({ r, c, n, from }: Panel, k: number): void {
  const at = 2 * (k - from) * n;
  r.fill(0, at, at + 2 * n);
  c.fill(0, at, at + 2 * n);
}

/** The rows of the panel before step k, as many as a multiple of four; entries from `left` on. */
const panelRows = ({ n, from }: Panel, entries: Float64Array, k: number, left: number): Rows => ({
  entries,
  start: left,
  stride: n,
  rows: 4 * Math.ceil((k - from) / 2),
  columns: n - left,
});

const part = (entries: Float64Array, at: number): Part => ({ entries, at });

/** Column k brought up to date and reflected; then y = tau (A^T v - sum_s c_s <r_s, v>). */
function leftReflection(panel: Panel, k: number): { readonly tau: number; readonly beta: number } {
  const { workspace, a, n, from, r, c, factors } = panel;
  const at = 2 * (k - from) * n;
  for (let i = k; i < n; i++) r[at + i] = a[i * n + k]!;
  const count = 2 * (k - from);
  factors.fill(0);
  for (let s = 0; s < count; s++) factors[s] = c[s * n + k]!;
  workspace.subtractCombination(panelRows(panel, r, k, k), part(factors, 0), part(r, at + k));
  const found = reflection(r, at + k, n - k);
  if (found.tau === 0 || k === n - 1) return found;
  const rest: Rows = { entries: a, start: k * n + k + 1, stride: n, rows: n - k, columns: n - k - 1 };
  const y = part(c, at + k + 1);
  workspace.subtractCombination(rest, part(r, at + k), y);
  workspace.times(panelRows(panel, r, k, k), part(r, at + k), part(factors, 0));
  for (let s = 0; s < factors.length; s++) factors[s] = s < count ? -factors[s]! : 0;
  workspace.subtractCombination(panelRows(panel, c, k, k + 1), part(factors, 0), y);
  for (let j = k + 1; j < n; j++) c[at + j]! *= -found.tau;
  return found;
}

/** Row k brought up to date and reflected; then x = tau (A u - sum_s r_s <c_s, u>). */
function rightReflection(panel: Panel, k: number): { readonly tau: number; readonly beta: number } {
  const { workspace, a, n, from, r, c, factors } = panel;
  const [row, at] = [k * n + k + 1, (2 * (k - from) + 1) * n];
  const count = 2 * (k + 1 - from);
  factors.fill(0);
  for (let s = 0; s < count; s++) factors[s] = r[s * n + k]!;
  const known = panelRows(panel, c, k + 1, k + 1);
  workspace.subtractCombination(known, part(factors, 0), part(a, row));
  const found = reflection(a, row, n - k - 1);
  if (found.tau === 0) return found;
  const rest: Rows = { entries: a, start: row + n, stride: n, rows: n - k - 1, columns: n - k - 1 };
  const x = part(r, at + k + 1);
  workspace.times(known, part(a, row), part(factors, 0)); // u itself is not among them yet
  factors.fill(0, count);
  workspace.times(rest, part(a, row), x);
  workspace.subtractCombination(panelRows(panel, r, k + 1, k + 1), part(factors, 0), x);
  for (let i = k + 1; i < n; i++) r[at + i]! *= found.tau;
  c.set(a.subarray(row, (k + 1) * n), at + k + 1);
  return found;
}

async function bringRestUpToDate(
  a: Float64Array,
  n: number,
  start: number,
  r: Float64Array,
  c: Float64Array,
): Promise<void> {
  const inner = 2 * panelWidth;
  const stack = (entries: Float64Array) =>
    matrixBlock({ rows: inner, columns: n, entries }, [0, inner], [start, n]);
  const rest = matrixBlock({ rows: n, columns: n, entries: a }, [start, n], [start, n]);
  await subtractProduct(rest, stack(r), stack(c), { transposed: true });
}
