// Eigenpairs of a symmetric tridiagonal matrix: halves, and a rank-one matrix between them (Cuppen 1981), with vectors
// that are orthogonal because they are exact for a slightly changed z (Gu and Eisenstat 1995).
import { type Deflation, deflate } from "./deflation.ts";
import type { Matrix } from "./matrix-norm.ts";
import { combineHalves, type Part, pick, placesByPart, rotateRows, rowOfMatrix } from "./merge-rows.ts";
import { placeUnit, rankOneRoots } from "./rank-one.ts";
import type { SecularEquation } from "./secular-equation.ts";
import { implicitQl, type Tridiagonal } from "./tridiagonal.ts";

export interface TridiagonalEigenpairs {
  /** Ascending. */
  readonly values: Float64Array;
  /** Row k is the unit eigenvector of values[k]. */
  readonly vectors: Matrix;
}

/** Up to this size the QL iteration is quicker. */
const leafSize = 32;

/**
 * All eigenpairs of a tridiagonal matrix whose entries are of moderate size.
 * @example (await tridiagonalEigenpairs({ diagonal: Float64Array.of(2, 2), off: Float64Array.of(1) })).values.map(Math.round) // Float64Array [1, 3]
 */
export async function tridiagonalEigenpairs({ diagonal, off }: Tridiagonal): Promise<TridiagonalEigenpairs> {
  const n = diagonal.length;
  const vectors: Matrix = { rows: n, columns: n, entries: new Float64Array(n * n) };
  const values = diagonal.slice();
  await divide(values, off, vectors, 0, n);
  return { values, vectors };
}

/** Overwrites d between from and to by the eigenvalues, and that block on the diagonal of V by the vectors. */
async function divide(
  d: Float64Array,
  off: Float64Array,
  v: Matrix,
  from: number,
  to: number,
): Promise<void> {
  if (to - from <= leafSize) return leaf(d, off, v, from, to);
  const middle = (from + to) >> 1;
  const e = off[middle - 1]!;
  d[middle - 1]! -= Math.abs(e);
  d[middle]! -= Math.abs(e);
  await divide(d, off, v, from, middle);
  await divide(d, off, v, middle, to);
  await conquer(d, e, v, [from, middle, to]);
}

function leaf(d: Float64Array, off: Float64Array, v: Matrix, from: number, to: number): void {
  const size = to - from;
  const e = new Float64Array(size);
  e.set(off.subarray(from, Math.max(from, to - 1)));
  const values = d.slice(from, to);
  const rows = Array.from({ length: size }, (_, k) => {
    const row = new Float64Array(size);
    row[k] = 1;
    return row;
  });
  implicitQl(values, e, (i, c, s) => {
    const [x, y] = [rows[i]!, rows[i + 1]!];
    for (let k = 0; k < size; k++) {
      const upper = y[k]!;
      y[k] = s * x[k]! + c * upper;
      x[k] = c * x[k]! - s * upper;
    }
  });
  const order = Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
  order.forEach((k, place) => {
    d[from + place] = values[k]!;
    v.entries.set(rows[k]!, (from + place) * v.columns + from);
  });
}

/** Two halves with their eigenpairs, and the rank-one matrix between them: D + rho z z^T. */
interface Halves {
  readonly v: Matrix;
  readonly from: number;
  readonly middle: number;
  readonly to: number;
  readonly d: Float64Array;
  readonly z: Float64Array;
  readonly rho: number;
  /** Which columns of vector j are not zero. */
  readonly part: Part[];
}

async function conquer(
  values: Float64Array,
  e: number,
  v: Matrix,
  [from, middle, to]: readonly [number, number, number],
): Promise<void> {
  const d = values.slice(from, to);
  // The last entries of the vectors of the first half, the first ones of those of the second.
  const z = d.map((_, k) => {
    const isFirst = from + k < middle;
    const entry = v.entries[(from + k) * v.columns + (isFirst ? middle - 1 : middle)]!;
    return Math.SQRT1_2 * (isFirst || e > 0 ? entry : -entry);
  });
  const part = Array.from(d, (_, k): Part => (from + k < middle ? "first" : "second"));
  const halves: Halves = { v, from, middle, to, d, z, rho: 2 * Math.abs(e), part };
  const { kept, deflated } = deflateHalves(halves);
  const changed = await changedPairs(halves, kept);
  const unchanged = deflated.map((k) => rowOf(halves, k).slice());
  const all = [...changed.roots, ...deflated.map((k) => d[k]!)];
  const order = Array.from(all.keys()).sort((a, b) => all[a]! - all[b]!);
  order.forEach((k, place) => {
    values[from + place] = all[k]!;
    const row = rowOf(halves, place);
    if (k >= kept.length) row.set(unchanged[k - kept.length]!);
    else {
      row.set(rowOfMatrix(changed.first, k));
      row.set(rowOfMatrix(changed.second, k), middle - from);
    }
  });
}

/** Vector k of the two halves, a view. */
const rowOf = ({ v, from, to }: Halves, k: number): Float64Array =>
  v.entries.subarray((from + k) * v.columns + from, (from + k) * v.columns + to);

function deflateHalves(halves: Halves): Deflation {
  const { d, z, rho, part } = halves;
  const greatest = d.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const order = Array.from(d.keys()).sort((a, b) => d[a]! - d[b]!);
  const tolerance = 8 * 2 ** -53 * Math.max(greatest, rho);
  const rotate = (p: number, q: number, c: number, s: number): void => {
    rotateRows(rowOf(halves, p), rowOf(halves, q), c, s);
    if (part[p] !== part[q]) part[p] = part[q] = "both";
  };
  return deflate({ d, z, order, rho, tolerance, rotate });
}

interface ChangedPairs {
  readonly roots: Float64Array;
  /** The vectors, on the columns of the first half and on those of the second. */
  readonly first: Matrix;
  readonly second: Matrix;
}

/** The eigenpairs of what deflation has left. */
async function changedPairs(halves: Halves, kept: readonly number[]): Promise<ChangedPairs> {
  const { d, z, rho, part, from, middle, to } = halves;
  const [poles, weights] = [pick(d, kept), pick(z, kept)];
  const parts = kept.map((j) => part[j]!);
  const { roots, vectors } = rankOneEigen(
    { d: poles, squares: weights.map((x) => x * x), rho, poles: "d" },
    weights,
    placesByPart(parts),
  );
  const rows = kept.map((j) => rowOf(halves, j));
  const [first, second] = await combineHalves(vectors, rows, parts, [
    { from: 0, to: middle - from },
    { from: middle - from, to: to - from },
  ]);
  return { roots, first, second };
}

/** The eigenpairs of diag(d) + rho z z^T: the vectors are z'_j / (d_j - root), a row each, entries at their places. */
function rankOneEigen(
  equation: SecularEquation,
  z: Float64Array,
  places: readonly number[],
): { readonly roots: Float64Array; readonly vectors: Matrix } {
  const k = z.length;
  const { roots, distances, exact } = rankOneRoots(equation, z);
  const vector = new Float64Array(k);
  for (let i = 0; i < k; i++) {
    const row = distances.subarray(i * k, (i + 1) * k);
    for (let j = 0; j < k; j++) vector[j] = exact[j]! / row[j]!;
    placeUnit(vector, places, row);
  }
  return {
    roots: Float64Array.from(roots, ({ origin, tau }) => equation.d[origin]! + tau),
    vectors: { rows: k, columns: k, entries: distances },
  };
}
