// C <- C - A B in place, and A B. Large products run on ONNX Runtime, some thirty times as fast as plain loops; small ones and
// those with few columns do not repay the way there.

import { run } from "../engine/run.ts";
import { float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import type { Tensor } from "../graph/tensor.ts";
import { type Block, blockRows, isContiguous, packed, packedTranspose, wholeBlock } from "./block.ts";
import type { Matrix } from "./matrix-norm.ts";
import { giveBack, scratch } from "./scratch.ts";

/** Multiplications from which on ONNX Runtime is worth a call, and the fewest columns for it. */
const worthACall = 2 ** 15;
const fewestColumns = 8;
/** Multiplications from which on several threads are worth their start. */
export const worthThreads = 2 ** 27;
/** Entries of a product that are made at once: 32 MB. */
const entriesAtOnce = 2 ** 22;

let mostThreads: number | undefined;

/** Threads of large products from now on; undefined: all cores. For measurements. */
export function productThreads(threads: number | undefined): void {
  mostThreads = threads;
}

/** Below some size two threads wait for each other longer than they work. */
const threadsFor = (multiplications: number): { readonly threads?: number } => {
  if (multiplications < worthThreads) return { threads: 1 };
  return mostThreads === undefined ? {} : { threads: mostThreads };
};

let product: Graph | undefined;
const productGraph = (): Graph => {
  product ??= graph({ a: float64("M", "K"), b: float64("K", "N") }, ({ a, b }) => ({ c: a.matmul(b) }), {
    name: "product",
  });
  return product;
};

export interface ProductForm {
  /** A is stored as its transpose. */
  readonly transposed?: boolean;
}

/** C <- C - A B, or C - A^T B. */
export async function subtractProduct(
  target: Block,
  a: Block,
  b: Block,
  { transposed = false }: ProductForm = {},
): Promise<void> {
  const multiplications = target.rows * target.columns * b.rows;
  if (multiplications < worthACall || target.columns < fewestColumns)
    subtractPlainly(target, a, b, transposed);
  else await subtractOnRuntime(target, a, b, transposed);
}

/** A B, or A^T B, as a matrix of its own. */
export async function productOf(
  a: Block,
  b: Block,
  { transposed = false }: ProductForm = {},
): Promise<Matrix> {
  const [rows, columns] = [transposed ? a.columns : a.rows, b.columns];
  const isWorthACall = rows * columns * b.rows >= worthACall && columns >= fewestColumns;
  if (isWorthACall && rows * columns <= entriesAtOnce)
    return { rows, columns, entries: await productOnRuntime(a, b, transposed) };
  const result: Matrix = { rows, columns, entries: new Float64Array(rows * columns) };
  await subtractProduct(wholeBlock(result), a, b, { transposed });
  for (let k = 0; k < result.entries.length; k++) result.entries[k] = -result.entries[k]!;
  return result;
}

/**
 * A B.
 * @example (await matrixProduct(matrixOfRows([[1, 2]]), matrixOfRows([[3], [4]]))).entries // Float64Array [11]
 */
export const matrixProduct = (a: Matrix, b: Matrix): Promise<Matrix> =>
  productOf(wholeBlock(a), wholeBlock(b));

/** Rows of a Gram matrix that are computed at once, upper half or not. */
const gramStrip = 192;

/** C <- C - A^T A, of which only the upper half counts. */
export async function subtractGram(target: Block, a: Block): Promise<void> {
  const size = target.rows;
  for (let from = 0; from < size; from += gramStrip) {
    const to = Math.min(size, from + gramStrip);
    const strip: Block = {
      ...target,
      start: target.start + from * (target.stride + 1),
      rows: to - from,
      columns: size - from,
    };
    const columns = (left: number, right: number): Block => ({
      ...a,
      start: a.start + left,
      columns: right - left,
    });
    await subtractProduct(strip, columns(from, to), columns(from, size), { transposed: true });
  }
}

/** A row of the target at a time; four rows of B at once, since the target's row is then read once for four. */
function subtractPlainly(target: Block, a: Block, b: Block, transposed: boolean): void {
  const [rowStep, innerStep] = transposed ? [1, a.stride] : [a.stride, 1];
  const { columns } = target;
  if (columns === 1) {
    subtractFromVector(target, a, b, transposed);
    return;
  }
  const inner = b.rows;
  const [t, f, g] = [target.entries, a.entries, b.entries];
  for (let i = 0; i < target.rows; i++) {
    const row = target.start + i * target.stride;
    let p = 0;
    for (; p + 4 <= inner; p += 4) {
      const at = a.start + i * rowStep + p * innerStep;
      const f0 = f[at]!;
      const f1 = f[at + innerStep]!;
      const f2 = f[at + 2 * innerStep]!;
      const f3 = f[at + 3 * innerStep]!;
      const b0 = b.start + p * b.stride;
      const b1 = b0 + b.stride;
      const b2 = b1 + b.stride;
      const b3 = b2 + b.stride;
      for (let j = 0; j < columns; j++)
        t[row + j]! -= f0 * g[b0 + j]! + f1 * g[b1 + j]! + f2 * g[b2 + j]! + f3 * g[b3 + j]!;
    }
    for (; p < inner; p++) {
      const factor = f[a.start + i * rowStep + p * innerStep]!;
      const from = b.start + p * b.stride;
      for (let j = 0; j < columns; j++) t[row + j]! -= factor * g[from + j]!;
    }
  }
}

/** One column: A is read along its rows as stored, whichever way round it is meant. */
function subtractFromVector(target: Block, a: Block, b: Block, transposed: boolean): void {
  const [t, f, g] = [target.entries, a.entries, b.entries];
  if (transposed)
    for (let p = 0; p < b.rows; p++) {
      const factor = g[b.start + p * b.stride]!;
      const from = a.start + p * a.stride;
      for (let i = 0; i < target.rows; i++) t[target.start + i * target.stride]! -= f[from + i]! * factor;
    }
  else
    for (let i = 0; i < target.rows; i++) {
      const from = a.start + i * a.stride;
      let sum = 0;
      for (let p = 0; p < b.rows; p++) sum += f[from + p]! * g[b.start + p * b.stride]!;
      t[target.start + i * target.stride]! -= sum;
    }
}

/** A view, without the copy that `tensor` would make. */
const float64Tensor = (data: Float64Array, rows: number, columns: number): Tensor => ({
  type: "float64",
  dims: [rows, columns],
  data,
});

/** The entries of A, or of its transpose, together; and what to do with the array afterwards. */
function operand(a: Block, transposed = false): { readonly entries: Float64Array; done(): void } {
  if (!transposed && isContiguous(a)) return { entries: packed(a), done: () => {} };
  const copy = scratch(a.rows * a.columns);
  const entries = transposed ? packedTranspose(a, copy) : packed(a, copy);
  return { entries, done: () => giveBack(copy) };
}

/** A B in one call. */
async function productOnRuntime(a: Block, b: Block, transposed: boolean): Promise<Float64Array> {
  const [rows, inner, columns] = [transposed ? a.columns : a.rows, b.rows, b.columns];
  const [left, right] = [operand(a, transposed), operand(b)];
  const { c } = await run(
    productGraph(),
    { a: float64Tensor(left.entries, rows, inner), b: float64Tensor(right.entries, inner, columns) },
    threadsFor(rows * columns * inner),
  );
  left.done();
  right.done();
  return c!.data as Float64Array;
}

async function subtractOnRuntime(target: Block, a: Block, b: Block, transposed: boolean): Promise<void> {
  const step = Math.max(1, Math.floor(entriesAtOnce / target.columns));
  for (let from = 0; from < target.rows; from += step) {
    const part = blockRows(target, from, Math.min(target.rows, from + step));
    const rows: Block = transposed
      ? { ...a, start: a.start + from, columns: part.rows }
      : blockRows(a, from, from + part.rows);
    subtractPacked(part, await productOnRuntime(rows, b, transposed));
  }
}

function subtractPacked({ entries, start, stride, rows, columns }: Block, values: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    const to = start + i * stride;
    const from = i * columns;
    for (let j = 0; j < columns; j++) entries[to + j]! -= values[from + j]!;
  }
}
