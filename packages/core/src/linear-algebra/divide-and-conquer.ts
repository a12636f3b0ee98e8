// Eigenpairs of a symmetric tridiagonal matrix: halves, and a rank-one matrix between them (Cuppen 1981), with vectors
// that are orthogonal because they are exact for a slightly changed z (Gu and Eisenstat 1995).
import { type Block, matrixBlock, wholeBlock } from "./block.ts";
import { type Deflation, deflate } from "./deflation.ts";
import type { Matrix } from "./matrix-norm.ts";
import { productOf } from "./product.ts";
import { type SecularEquation, secularRoot } from "./secular-equation.ts";
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
type Part = "first" | "both" | "second";

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

const rowOfMatrix = ({ entries, columns }: Matrix, k: number): Float64Array =>
  entries.subarray(k * columns, (k + 1) * columns);

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

/** (x, y) <- (c x + s y, c y - s x). */
export function rotateRows(x: Float64Array, y: Float64Array, c: number, s: number): void {
  for (let k = 0; k < x.length; k++) {
    const before = x[k]!;
    x[k] = c * before + s * y[k]!;
    y[k] = c * y[k]! - s * before;
  }
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
  const k = kept.length;
  const rank: Record<Part, number> = { first: 0, both: 1, second: 2 };
  const sorted = Array.from(kept.keys()).sort((a, b) => rank[part[kept[a]!]!] - rank[part[kept[b]!]!]);
  const count = (which: Part): number => kept.filter((j) => part[j] === which).length;
  const [inFirst, inSecond] = [count("first") + count("both"), count("second") + count("both")];
  const { roots, vectors } = rankOneEigen(
    { d: pick(d, kept), squares: pick(z, kept).map((x) => x * x), rho, poles: "d" },
    pick(z, kept),
    sorted,
  );
  const rows = sorted.map((j) => rowOf(halves, kept[j]!));
  return {
    roots,
    first: await productOf(
      matrixBlock(vectors, [0, k], [0, inFirst]),
      gathered(rows.slice(0, inFirst), 0, middle - from),
    ),
    second: await productOf(
      matrixBlock(vectors, [0, k], [k - inSecond, k]),
      gathered(rows.slice(k - inSecond), middle - from, to - from),
    ),
  };
}

const pick = (x: Float64Array, at: readonly number[]): Float64Array => Float64Array.from(at, (k) => x[k]!);

/** Columns left .. right - 1 of some rows. */
function gathered(rows: readonly Float64Array[], left: number, right: number): Block {
  const columns = right - left;
  const entries = new Float64Array(rows.length * columns);
  rows.forEach((row, k) => {
    entries.set(row.subarray(left, right), k * columns);
  });
  return wholeBlock({ rows: rows.length, columns, entries });
}

/**
 * The eigenpairs of diag(d) + rho z z^T, a row a vector, entry j of a vector at place `places.indexOf(j)`. The roots are
 * exact for z' with z'_j^2 = prod_i (root_i - d_j) / propick(i != j) (d_i - d_j), and so are the vectors z'_j / (d_j - root).
 */
function rankOneEigen(
  equation: SecularEquation,
  z: Float64Array,
  places: readonly number[],
): { readonly roots: Float64Array; readonly vectors: Matrix } {
  const { d } = equation;
  const k = d.length;
  const distances = new Float64Array(k * k);
  const weights = new Float64Array(k).fill(1);
  const roots = new Float64Array(k);
  for (let i = 0; i < k; i++) {
    const row = distances.subarray(i * k, (i + 1) * k);
    const { origin, tau } = secularRoot(equation, i, row);
    roots[i] = d[origin]! + tau;
    const own = d[i]!;
    for (let j = 0; j < k; j++) weights[j]! *= j === i ? row[j]! : row[j]! / (d[j]! - own);
  }
  const exact = weights.map((w, j) => Math.sqrt(Math.abs(w)) * Math.sign(z[j]!));
  const vector = new Float64Array(k);
  for (let i = 0; i < k; i++) {
    const row = distances.subarray(i * k, (i + 1) * k);
    let square = 0;
    for (let j = 0; j < k; j++) {
      const entry = exact[j]! / row[j]!;
      vector[j] = entry;
      square += entry * entry;
    }
    const scale = 1 / Math.sqrt(square);
    for (let p = 0; p < k; p++) row[p] = vector[places[p]!]! * scale;
  }
  return { roots, vectors: { rows: k, columns: k, entries: distances } };
}
