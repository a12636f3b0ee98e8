// C <- C - A B in place, and A B. Large products run on ONNX Runtime, at 45 GFLOP/s a core where it was measured; middle ones,
// which do not repay the way there, on the kernel in WebAssembly at 20; the smallest by plain loops at 2.

import { run } from "../engine/run.ts";
import { float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import type { Tensor } from "../graph/tensor.ts";
import { type Block, blockRows, isContiguous, packed, packedTranspose, wholeBlock } from "./block.ts";
import { addInMemory, mostStaged, stagedProduct } from "./kernel-product.ts";
import type { Matrix } from "./matrix-norm.ts";
import { giveBack, scratch } from "./scratch.ts";
import { isSimdThere, memoryOf } from "./simd-memory.ts";

/** Multiplications from which on operands are worth packing for the kernel, and the fewest rows, columns and terms for it. */
const worthPacking = 2 ** 10;
const fewest = 4;
/** Multiplications from which on ONNX Runtime is worth a call, with the kernel there and without it. */
const worthACall = { kernel: 2 ** 22, plain: 2 ** 15 };
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

type Way = "plain" | "kernel" | "runtime";

/** Who multiplies, for a product of these dimensions. */
function wayOf(rows: number, columns: number, inner: number): Way {
  const multiplications = rows * columns * inner;
  const isThin = Math.min(rows, columns, inner) < fewest;
  if (isSimdThere()) {
    if (multiplications < worthPacking || isThin) return "plain";
    return multiplications < worthACall.kernel ? "kernel" : "runtime";
  }
  return multiplications < worthACall.plain || columns < 8 ? "plain" : "runtime";
}

/** C <- C - A B, or C - A^T B. */
export async function subtractProduct(
  target: Block,
  a: Block,
  b: Block,
  { transposed = false }: ProductForm = {},
): Promise<void> {
  const way = wayOf(target.rows, target.columns, b.rows);
  if (way === "runtime") await subtractOnRuntime(target, a, b, transposed);
  else if (way === "plain") subtractPlainly(target, a, b, transposed);
  else subtractByKernel(target, a, b, { transposed, upper: false });
}

function subtractByKernel(
  target: Block,
  a: Block,
  b: Block,
  form: { readonly transposed: boolean; readonly upper: boolean },
): void {
  const memory = memoryOf(target.entries);
  if (memory) addInMemory(memory, target, a, b, { ...form, factor: -1 });
  else
    for (const [part, rows] of inParts(target, a, form.transposed, mostStaged))
      subtractPacked(part, stagedProduct(rows, b, form.transposed));
}

/** A B, or A^T B, as a matrix of its own. */
export async function productOf(
  a: Block,
  b: Block,
  { transposed = false }: ProductForm = {},
): Promise<Matrix> {
  const [rows, columns] = [transposed ? a.columns : a.rows, b.columns];
  const way = wayOf(rows, columns, b.rows);
  if (way === "runtime" && rows * columns <= entriesAtOnce)
    return { rows, columns, entries: await productOnRuntime(a, b, transposed) };
  if (way === "kernel" && rows * columns <= mostStaged)
    return { rows, columns, entries: stagedProduct(a, b, transposed).slice() };
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

/** Rows of the upper half that are computed at once by the runtime, with some of the lower half. */
const upperStrip = 192;

/** C <- C - A^T B, of which only what is on and above the diagonal counts. */
export async function subtractUpper(target: Block, a: Block, b: Block): Promise<void> {
  const { rows, columns } = target;
  if (wayOf(rows, columns, b.rows) === "kernel") {
    subtractByKernel(target, a, b, { transposed: true, upper: true });
    return;
  }
  for (let from = 0; from < rows; from += upperStrip) {
    const to = Math.min(rows, from + upperStrip);
    const strip: Block = {
      ...target,
      start: target.start + from * (target.stride + 1),
      ...{ rows: to - from, columns: columns - from },
    };
    const left: Block = { ...a, start: a.start + from, columns: to - from };
    const right: Block = { ...b, start: b.start + from, columns: columns - from };
    await subtractProduct(strip, left, right, { transposed: true });
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
  for (const [part, rows] of inParts(target, a, transposed, entriesAtOnce))
    subtractPacked(part, await productOnRuntime(rows, b, transposed));
}

/** Rows of C, so many that a part has no more than `most` entries, and the part of A that belongs to them. */
function* inParts(
  target: Block,
  a: Block,
  transposed: boolean,
  most: number,
): Generator<readonly [part: Block, rows: Block]> {
  const step = Math.max(1, Math.floor(most / target.columns));
  for (let from = 0; from < target.rows; from += step) {
    const part = blockRows(target, from, Math.min(target.rows, from + step));
    yield [
      part,
      transposed
        ? { ...a, start: a.start + from, columns: part.rows }
        : blockRows(a, from, from + part.rows),
    ];
  }
}

function subtractPacked({ entries, start, stride, rows, columns }: Block, values: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    const to = start + i * stride;
    const from = i * columns;
    for (let j = 0; j < columns; j++) entries[to + j]! -= values[from + j]!;
  }
}
