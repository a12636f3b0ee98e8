// P A = L U by Gaussian elimination with row exchanges, recursively on halves of the columns (Toledo 1997), so that
// nearly all the work is in products of large matrices.
import { EngineError } from "../engine/error.ts";
import { matrixBlock, wholeBlock } from "./block.ts";
import type { Matrix } from "./matrix-norm.ts";
import { subtractProduct } from "./product.ts";
import { solveTriangular } from "./triangular.ts";

/** P A = L U of a square matrix. */
export interface LuFactors {
  readonly size: number;
  /** U on and above the diagonal, L below it, whose own diagonal is 1. */
  readonly factors: Matrix;
  /** Row order[i] of A stands at i. */
  readonly order: Int32Array;
  /** max_i sum_j |a_ij|. */
  readonly rowSum: number;
  /** The first column without a pivot other than zero, if A is singular in this arithmetic. */
  readonly singularAt?: number;
}

export interface LuOptions {
  /** The entries of the matrix become the factors; otherwise they are copied first. */
  readonly overwrite?: boolean;
}

/** Columns that are eliminated one by one. */
const panelWidth = 32;

/**
 * The factors of a square matrix: 2/3 n^3 operations.
 * @example (await luFactor({ rows: 2, columns: 2, entries: Float64Array.of(1, 2, 3, 4) })).order // Int32Array [1, 0]
 */
export async function luFactor(matrix: Matrix, options: LuOptions = {}): Promise<LuFactors> {
  if (matrix.rows !== matrix.columns)
    throw new EngineError(`LU factors need a square matrix, not ${matrix.rows} x ${matrix.columns}`);
  return eliminated(matrix, options);
}

export interface SelectedRows {
  /** Rows of the matrix, as many as it has columns, in the order in which elimination took them. */
  readonly selected: Int32Array;
  /** The factors of the square matrix of these rows, in this order. */
  readonly lu: LuFactors;
}

/**
 * As many rows of a tall matrix as it has columns, linearly independent if there are such: the pivots of elimination.
 * @example (await selectIndependentRows({ rows: 3, columns: 1, entries: Float64Array.of(1, -4, 2) })).selected // Int32Array [1]
 */
export async function selectIndependentRows(matrix: Matrix, options: LuOptions = {}): Promise<SelectedRows> {
  if (matrix.rows < matrix.columns)
    throw new EngineError(`${matrix.rows} rows cannot span ${matrix.columns} dimensions`);
  const lu = await eliminated(matrix, options);
  return { selected: lu.order, lu: { ...lu, order: lu.order.map((_, i) => i) } };
}

/** The factors of the rows that became pivots. */
async function eliminated(matrix: Matrix, { overwrite = false }: LuOptions): Promise<LuFactors> {
  const { rows, columns } = matrix;
  const sums = rowSums(matrix);
  const work = overwrite ? matrix : { ...matrix, entries: matrix.entries.slice() };
  const state: Elimination = {
    work,
    order: Int32Array.from({ length: rows }, (_, i) => i),
    singularAt: undefined,
  };
  await eliminate(state, 0, columns);
  const order = state.order.slice(0, columns);
  return {
    size: columns,
    factors: { rows: columns, columns, entries: work.entries.subarray(0, columns * columns) },
    order,
    rowSum: order.reduce((most, i) => Math.max(most, sums[i]!), 0),
    ...(state.singularAt === undefined ? {} : { singularAt: state.singularAt }),
  };
}

/** sum_j |a_ij|; a number that is not finite is refused. */
function rowSums({ rows, columns, entries }: Matrix): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += Math.abs(entries[i * columns + j]!);
    if (!Number.isFinite(sum)) throw new EngineError(`row ${i} of the matrix is not finite`);
    return sum;
  });
}

interface Elimination {
  readonly work: Matrix;
  readonly order: Int32Array;
  singularAt: number | undefined;
}

/** Eliminates columns from .. to - 1, below the rows that are done. */
async function eliminate(state: Elimination, from: number, to: number): Promise<void> {
  if (to - from <= panelWidth) return eliminatePanel(state, from, to);
  const middle = from + panelWidth * Math.ceil((to - from) / (2 * panelWidth));
  const { work } = state;
  await eliminate(state, from, middle);
  const upper = matrixBlock(work, [from, middle], [middle, to]);
  await solveTriangular(
    matrixBlock(work, [from, middle], [from, middle]),
    { half: "lower", unit: true },
    upper,
  );
  const rest = matrixBlock(work, [middle, work.rows], [middle, to]);
  await subtractProduct(rest, matrixBlock(work, [middle, work.rows], [from, middle]), upper);
  await eliminate(state, middle, to);
}

function eliminatePanel(state: Elimination, from: number, to: number): void {
  const { rows, columns, entries } = state.work;
  for (let j = from; j < to; j++) {
    let [best, size] = [j, Math.abs(entries[j * columns + j]!)];
    for (let i = j + 1; i < rows; i++) {
      const other = Math.abs(entries[i * columns + j]!);
      if (other > size) [best, size] = [i, other];
    }
    if (best !== j) exchangeRows(state, best, j);
    const pivot = entries[j * columns + j]!;
    if (pivot === 0) {
      state.singularAt ??= j;
      continue;
    }
    const top = j * columns;
    for (let i = j + 1; i < rows; i++) {
      const row = i * columns;
      const factor = entries[row + j]! / pivot;
      entries[row + j] = factor;
      if (factor !== 0) for (let c = j + 1; c < to; c++) entries[row + c]! -= factor * entries[top + c]!;
    }
  }
}

function exchangeRows({ work: { columns, entries }, order }: Elimination, i: number, j: number): void {
  const row = entries.slice(i * columns, (i + 1) * columns);
  entries.copyWithin(i * columns, j * columns, (j + 1) * columns);
  entries.set(row, j * columns);
  [order[i], order[j]] = [order[j]!, order[i]!];
}

function requirePivots({ singularAt, size }: LuFactors): void {
  if (singularAt !== undefined)
    throw new EngineError(`the matrix of size ${size} is singular: no pivot in column ${singularAt}`);
}

function requireRows({ size }: LuFactors, b: Matrix): void {
  if (b.rows !== size) throw new EngineError(`${b.rows} right-hand sides' rows for a matrix of size ${size}`);
}

/** X with A X = B, a column of B a right-hand side. */
export async function luSolve(lu: LuFactors, b: Matrix): Promise<Matrix> {
  requirePivots(lu);
  requireRows(lu, b);
  const { columns } = b;
  const x: Matrix = { ...b, entries: new Float64Array(b.entries.length) };
  lu.order.forEach((row, i) => {
    x.entries.set(b.entries.subarray(row * columns, (row + 1) * columns), i * columns);
  });
  await solveTriangular(wholeBlock(lu.factors), { half: "lower", unit: true }, wholeBlock(x));
  await solveTriangular(wholeBlock(lu.factors), { half: "upper" }, wholeBlock(x));
  return x;
}

/** X with A^T X = B. */
export async function luSolveTransposed(lu: LuFactors, b: Matrix): Promise<Matrix> {
  requirePivots(lu);
  requireRows(lu, b);
  const { columns } = b;
  const z: Matrix = { ...b, entries: b.entries.slice() };
  await solveTriangular(wholeBlock(lu.factors), { half: "upper", transposed: true }, wholeBlock(z));
  await solveTriangular(
    wholeBlock(lu.factors),
    { half: "lower", unit: true, transposed: true },
    wholeBlock(z),
  );
  const x: Matrix = { ...b, entries: new Float64Array(b.entries.length) };
  lu.order.forEach((row, i) => {
    x.entries.set(z.entries.subarray(i * columns, (i + 1) * columns), row * columns);
  });
  return x;
}

/** det A, as far as doubles reach. */
export function luDeterminant({ factors, order, size }: LuFactors): number {
  let determinant = permutationSign(order);
  for (let i = 0; i < size; i++) determinant *= factors.entries[i * (size + 1)]!;
  return determinant;
}

function permutationSign(order: Int32Array): number {
  const seen = new Uint8Array(order.length);
  let sign = 1;
  for (let i = 0; i < order.length; i++) {
    let length = 0;
    for (let k = i; seen[k] === 0; k = order[k]!) {
      seen[k] = 1;
      length++;
    }
    if (length > 0 && length % 2 === 0) sign = -sign;
  }
  return sign;
}
