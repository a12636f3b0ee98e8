// A = R^T R for positive definite A, panel of columns by panel of columns: what the rows above take from a block is one product
// of matrices, and the rest is substitution.
import { EngineError } from "../engine/error.ts";
import { type Block, matrixBlock, wholeBlock } from "./block.ts";
import { ColumnPanels } from "./column-panels.ts";
import type { Matrix } from "./matrix-norm.ts";
import { subtractProduct, subtractUpper } from "./product.ts";
import { memoryOf } from "./simd-memory.ts";
import { solveTriangular } from "./triangular.ts";
import { VectorWorkspace } from "./vector-workspace.ts";
import { copyScaled, requireFinite, requireSquareShape } from "./well-formed.ts";

/** A = R^T R. */
export interface CholeskyFactors {
  readonly size: number;
  /** R: upper triangular, zeros below the diagonal, which is positive. */
  readonly factor: Matrix;
}

/** Rows that are eliminated one by one. */
const fewestRows = 16;

/** Columns of a panel, a multiple of 32; one panel for small matrices. */
const panelWidth = (n: number): number => (n <= 256 ? 256 : 128);

/**
 * The factor of a symmetric positive definite matrix: n^3/3 operations. Another matrix is refused, with the pivot that is
 * not positive.
 * @example (await cholesky(matrixOfRows([[4, 2], [2, 5]]))).factor.entries // Float64Array [2, 1, 0, 2]
 */
export async function cholesky(matrix: Matrix): Promise<CholeskyFactors> {
  const n = matrix.rows;
  const what = "a matrix with Cholesky factors";
  requireSquareShape(what, matrix);
  const panels = new ColumnPanels(n, panelWidth(n));
  const workspace = new VectorWorkspace(panels.length + n, 2);
  try {
    const entries = workspace.array(panels.length, "as it is");
    const exponent = copyScaled(what, matrix, entries, (column) => panels.place(column));
    const elimination: Elimination = { panels, entries, exponent, inverses: workspace.array(n) };
    const factor = new Float64Array(n * n);
    for (let panel = 0; panel < panels.count; panel++) {
      await eliminatePanel(elimination, panel);
      writePanel(elimination, panel, factor); // while it is in a cache
    }
    return { size: n, factor: { ...matrix, entries: factor } };
  } finally {
    workspace.release();
  }
}

interface Elimination {
  readonly panels: ColumnPanels;
  /** A, and in the panels that are done R. */
  readonly entries: Float64Array;
  readonly exponent: number;
  /** 1 / r_kk. */
  readonly inverses: Float64Array;
}

/** The blocks R_ij of a panel j: R_ii^T R_ij = A_ij - sum_(k < i) R_ki^T R_kj, and R_jj^T R_jj for the last. */
async function eliminatePanel(elimination: Elimination, j: number): Promise<void> {
  const { panels, entries, inverses } = elimination;
  for (let i = 0; i <= j; i++) {
    const block = panels.block(entries, i, j);
    const [left, right] = [panels.above(entries, i, i), panels.above(entries, i, j)];
    if (i === j) {
      if (i > 0) await subtractUpper(block, left, right);
      await eliminateSquare(elimination, block, i * panels.width);
    } else {
      if (i > 0) await subtractProduct(block, left, right, { transposed: true });
      await substitute(panels.block(entries, i, i), inverses.subarray(i * panels.width), block);
    }
  }
}

/** X <- R^-T X. */
async function substitute(r: Block, inverses: Float64Array, x: Block): Promise<void> {
  const memory = memoryOf(x.entries);
  if (!memory || r.rows % 4 !== 0) return solveTriangular(r, { half: "upper", transposed: true }, x);
  const at = ({ entries, start }: Block): number => entries.byteOffset + 8 * start;
  memory.kernel.substitute(
    ...([at(r), 8 * r.stride, at(x), 8 * x.stride] as const),
    ...([r.rows / 4, x.columns, inverses.byteOffset] as const),
  );
}

/** A square on the diagonal, whose first row is row `first` of the matrix: half of its rows, then the others. */
async function eliminateSquare(elimination: Elimination, square: Block, first: number): Promise<void> {
  const size = square.rows;
  if (size <= fewestRows) return eliminateRows(elimination, square, first);
  const half = fewestRows * Math.ceil(size / (2 * fewestRows));
  const part = (top: number, left: number, rows: number, columns: number): Block => ({
    ...square,
    start: square.start + top * square.stride + left,
    ...{ rows, columns },
  });
  const [corner, right] = [part(0, 0, half, half), part(0, half, half, size - half)];
  await eliminateSquare(elimination, corner, first);
  await substitute(corner, elimination.inverses.subarray(first), right);
  const rest = part(half, half, size - half, size - half);
  await subtractUpper(rest, right, right);
  await eliminateSquare(elimination, rest, first + half);
}

/** Rows one by one: row k <- (row k - sum_p r_pk row p) / r_kk. */
function eliminateRows({ exponent, inverses }: Elimination, square: Block, first: number): void {
  const { entries, start, stride, rows } = square;
  for (let k = 0; k < rows; k++) {
    const row = start + k * stride;
    for (let p = 0; p < k; p++) {
      const above = start + p * stride;
      const factor = entries[above + k]!;
      for (let j = k; j < rows; j++) entries[row + j]! -= factor * entries[above + j]!;
    }
    const pivot = entries[row + k]!;
    if (!(pivot > 0)) {
      const value = pivot * 2 ** (exponent / 2) * 2 ** (exponent / 2);
      throw new EngineError(`not positive definite: pivot ${first + k} is ${value.toExponential(1)}`);
    }
    const root = Math.sqrt(pivot);
    const inverse = 1 / root;
    inverses[first + k] = inverse;
    entries[row + k] = root;
    for (let j = k + 1; j < rows; j++) entries[row + j]! *= inverse;
  }
}

/** A panel of R at its own scale, down to the diagonal, into the rows of a matrix of zeros. */
function writePanel({ panels, entries, exponent }: Elimination, panel: number, factor: Float64Array): void {
  const { size: n, width } = panels;
  const scale = 2 ** (exponent / 2);
  const left = panel * width;
  const { start, stride } = panels.place(left);
  const right = left + stride;
  for (let i = 0; i < right; i++) {
    const [from, row] = [start + i * stride, i * n];
    for (let j = Math.max(i, left); j < right; j++) factor[row + j] = entries[from + j]! * scale;
  }
}

/**
 * X with A X = B, a column of B a right-hand side.
 * @example (await choleskySolve(await cholesky(matrixOfRows([[4]])), matrixOfRows([[2, 8]]))).entries // Float64Array [0.5, 2]
 */
export async function choleskySolve({ size, factor }: CholeskyFactors, b: Matrix): Promise<Matrix> {
  if (b.rows !== size) throw new EngineError(`${b.rows} right-hand sides' rows for a matrix of size ${size}`);
  requireFinite("right-hand sides", b);
  const x: Matrix = { ...b, entries: b.entries.slice() };
  const whole = matrixBlock(factor, [0, size], [0, size]);
  await solveTriangular(whole, { half: "upper", transposed: true }, wholeBlock(x));
  await solveTriangular(whole, { half: "upper" }, wholeBlock(x));
  return x;
}

/**
 * log det A = 2 sum_i log r_ii.
 * @example logDeterminant(await cholesky(matrixOfRows([[1, 0], [0, 1]]))) // 0
 */
export function logDeterminant({ size, factor }: CholeskyFactors): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += Math.log(factor.entries[i * (size + 1)]!);
  return 2 * sum;
}
