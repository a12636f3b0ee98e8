// Eigenpairs of a symmetric tridiagonal matrix: halves, and a rank-one matrix between them (Cuppen 1981), with vectors
// that are orthogonal because they are exact for a slightly changed z (Gu and Eisenstat 1995).
import { type Deflation, deflate } from "./deflation.ts";
import type { Matrix } from "./matrix-norm.ts";
import {
  coefficientsFor,
  mergeVectors,
  type Part,
  placesByPart,
  rotateRows,
  setCoefficients,
} from "./merge-rows.ts";
import { quotients, rankOneRoots } from "./rank-one.ts";
import { implicitQl, type Tridiagonal } from "./tridiagonal.ts";
import type { VectorWorkspace } from "./vector-workspace.ts";

export interface TridiagonalEigenpairs {
  /** In any order. */
  readonly values: Float64Array;
  /** Row k is the unit eigenvector of values[k]; in the workspace. */
  readonly vectors: Matrix;
}

/** Up to this size the QL iteration is quicker. */
const leafSize = 32;

/** All eigenpairs of a tridiagonal matrix whose entries are of moderate size, in a workspace with room for merges. */
export async function tridiagonalEigenpairs(
  { diagonal, off }: Tridiagonal,
  workspace: VectorWorkspace,
): Promise<TridiagonalEigenpairs> {
  const n = diagonal.length;
  const work: Work = {
    ...{ workspace, off },
    d: diagonal.slice(),
    v: { rows: n, columns: n, entries: workspace.array(n * n) },
  };
  await divide(work, 0, n);
  return { values: work.d, vectors: work.v };
}

interface Work {
  readonly workspace: VectorWorkspace;
  readonly off: Float64Array;
  /** The diagonal, and between the ends of what is done the eigenvalues. */
  readonly d: Float64Array;
  /** The vectors, in blocks on the diagonal. */
  readonly v: Matrix;
}

/** Overwrites d between from and to by the eigenvalues, and that block on the diagonal of V by the vectors. */
async function divide(work: Work, from: number, to: number): Promise<void> {
  const { d, off, v } = work;
  if (to - from <= leafSize) return leaf(d, off, v, from, to);
  const middle = (from + to) >> 1;
  const e = off[middle - 1]!;
  d[middle - 1]! -= Math.abs(e);
  d[middle]! -= Math.abs(e);
  await divide(work, from, middle);
  await divide(work, middle, to);
  await work.workspace.lending(() => conquer(work, e, [from, middle, to]));
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
  rows.forEach((row, k) => {
    d[from + k] = values[k]!;
    v.entries.set(row, (from + k) * v.columns + from);
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
  { workspace, d: values, v }: Work,
  e: number,
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
  values.set(await changePairs(halves, kept, deflated, workspace), from);
  deflated.forEach((k, place) => {
    values[from + kept.length + place] = d[k]!;
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

/**
 * Replaces the vectors by those of diag(d) + rho z z^T, which are z'_j / (d_j - root) in terms of those that deflation has
 * left, with the deflated ones behind them. The roots.
 */
async function changePairs(
  { v, from, middle, to, ...halves }: Halves,
  kept: readonly number[],
  deflated: readonly number[],
  workspace: VectorWorkspace,
): Promise<Float64Array> {
  const d = workspace.arrayOf(kept.map((k) => halves.d[k]!));
  const z = Float64Array.from(kept, (k) => halves.z[k]!);
  const squares = workspace.arrayOf(z.map((x) => x * x));
  const { roots, exact } = rankOneRoots({ d, squares, rho: halves.rho, poles: "d" }, z, workspace);
  const parts = kept.map((k) => halves.part[k]!);
  const places = placesByPart(parts);
  const coefficients = coefficientsFor(parts, workspace);
  const byPlace = (x: Float64Array): Float64Array => workspace.arrayOf(places.map((j) => x[j]!));
  const [placedD, placedZ, vector] = [byPlace(d), byPlace(exact), workspace.array(kept.length)];
  roots.forEach(({ origin, tau }, i) => {
    const square = quotients(vector, placedZ, { d: placedD, poles: "d" }, d[origin]!, tau);
    setCoefficients(coefficients, i, vector, 1 / Math.sqrt(square));
  });
  await mergeVectors(
    {
      ...{ vectors: v, row: from },
      placed: places.map((j) => from + kept[j]!),
      deflated: deflated.map((k) => from + k),
      halves: [
        { from, to: middle },
        { from: middle, to },
      ],
    },
    coefficients,
    workspace,
  );
  return Float64Array.from(roots, ({ origin, tau }) => d[origin]! + tau);
}
