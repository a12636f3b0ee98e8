// A X = B for several right-hand sides in step: each has conjugate gradients of its own, and one pass over A serves them
// all. That is what counts where A is on a disk.
import { EngineError } from "../engine/error.ts";
import { dotOfDoubles } from "./dot.ts";
import type { Matrix } from "./matrix-norm.ts";
import type { RowsProduct } from "./top-eigenpairs.ts";

export interface SimultaneousOptions {
  /** Something like A^-1, positive definite, for one vector; default: the identity. */
  readonly preconditioner?: (v: Float64Array) => Float64Array;
  /** |b - A x| / |b| at which x counts as found; default 1e-10. */
  readonly tolerance?: number;
  /** Passes over A at most; default: ten times as many as dimensions. */
  readonly steps?: number;
  /** Called after each pass with the greatest |b - A x| / |b|. */
  readonly onStep?: (residual: number) => void;
  readonly signal?: AbortSignal;
}

export interface SimultaneousSolution {
  /** Row k solves for row k of the right-hand sides. */
  readonly solution: Matrix;
  /** The greatest |b - A x| / |b|, from products with the solutions themselves. */
  readonly residual: number;
  readonly converged: boolean;
  /** Passes over A. */
  readonly products: number;
}

const length = (x: Float64Array): number => Math.sqrt(dotOfDoubles(x, x));
const rowsOf = ({ rows, columns, entries }: Matrix): Float64Array[] =>
  Array.from({ length: rows }, (_, k) => entries.subarray(k * columns, (k + 1) * columns));

/** One right-hand side: the rest of it, the direction of its next step and what is known of the one before. */
interface Pursuit {
  readonly size: number;
  readonly x: Float64Array;
  readonly rest: Float64Array;
  direction: Float64Array | undefined;
  before: number;
}

/**
 * Rows x with A x = b for the rows b of a matrix, for positive definite A.
 * @example (await simultaneousGradients(async (v) => ({ ...v, entries: v.entries.map((x) => 4 * x) }), matrixOfRows([[2, 8], [4, 0]]))).solution.entries // Float64Array [0.5, 2, 1, 0]
 */
export async function simultaneousGradients(
  product: RowsProduct,
  b: Matrix,
  {
    preconditioner = (v) => v.slice(),
    tolerance = 1e-10,
    steps = 10 * b.columns,
    onStep,
    signal,
  }: SimultaneousOptions = {},
): Promise<SimultaneousSolution> {
  const solution: Matrix = { ...b, entries: new Float64Array(b.entries.length) };
  const x = rowsOf(solution);
  const pursuits = rowsOf(b).map(
    (row, k): Pursuit => ({
      ...{ size: sizeOf(row), x: x[k]!, rest: row.slice(), direction: undefined, before: 0 },
    }),
  );
  const isOpen = ({ rest, size }: Pursuit): boolean => length(rest) > tolerance * size;
  let products = 0;
  for (let open = pursuits.filter(isOpen); open.length > 0 && products < steps; open = open.filter(isOpen)) {
    signal?.throwIfAborted();
    for (const pursuit of open) turn(pursuit, preconditioner(pursuit.rest));
    const images = await product(stackedDirections(open, b.columns));
    products++;
    rowsOf(images).forEach((image, k) => {
      advance(open[k]!, image);
    });
    onStep?.(open.reduce((most, { rest, size }) => Math.max(most, length(rest) / size), 0));
  }
  const images = rowsOf(await product(solution));
  const residual = rowsOf(b).reduce((most, row, k) => {
    const rest = length(row.map((v, j) => v - images[k]![j]!));
    return Math.max(most, rest === 0 ? 0 : rest / length(row));
  }, 0);
  return { solution, residual, converged: residual <= 2 * tolerance, products: products + 1 };
}

function sizeOf(row: Float64Array): number {
  const size = length(row);
  if (Number.isFinite(size)) return size;
  throw new EngineError("a right-hand side is not finite, or too large to square");
}

/** The next direction: z, made conjugate to the one before. */
function turn(pursuit: Pursuit, z: Float64Array): void {
  const along = dotOfDoubles(pursuit.rest, z);
  const { direction: previous, before } = pursuit;
  pursuit.direction = previous ? z.map((v, j) => v + (along / before) * previous[j]!) : z.slice();
  pursuit.before = along;
}

function stackedDirections(open: readonly Pursuit[], columns: number): Matrix {
  const entries = new Float64Array(open.length * columns);
  open.forEach(({ direction }, k) => {
    entries.set(direction!, k * columns);
  });
  return { rows: open.length, columns, entries };
}

/** A step along the direction, to where the error is least in the norm of A. */
function advance({ x, rest, direction, before: along }: Pursuit, image: Float64Array): void {
  const curvature = dotOfDoubles(direction!, image);
  if (!(curvature > 0 && along > 0))
    throw new EngineError(`not positive definite: a direction with <p, A p> = ${curvature.toExponential(1)}`);
  const step = along / curvature;
  for (let j = 0; j < x.length; j++) {
    x[j]! += step * direction![j]!;
    rest[j]! -= step * image[j]!;
  }
}
