// C <- C - A B in place, and A B. Large products run on ONNX Runtime, at 45 GFLOP/s a core where it was measured; middle ones,
// which do not repay the way there, on the kernel in WebAssembly at 20; the smallest by plain loops at 2.
import { type Block, blockRows, isContiguous, rowsIn, wholeBlock } from "./block.ts";
import { subtractBlock } from "./block-moves.ts";
import { addInMemory, mostStaged, stagedProduct } from "./kernel-product.ts";
import type { Matrix } from "./matrix-norm.ts";
import { subtractPlainly } from "./plain-product.ts";
import {
  subtractOnRuntime,
  subtractUpperOnRuntime,
  worthThreads,
  writeOnRuntime,
} from "./runtime-product.ts";
import { isSimdThere, memoryOf } from "./simd-memory.ts";

export { productThreads, worthThreads } from "./runtime-product.ts";

/** Multiplications from which on operands are worth packing for the kernel, and the fewest rows, columns and terms for it. */
const worthPacking = 2 ** 10;
const fewest = 4;
/**
 * Multiplications from which on ONNX Runtime is worth a call: with the kernel there, if nothing has to be copied, without
 * the kernel, and for half of a product, of which the kernel makes no more.
 */
const worthACall = { kernel: 2 ** 22, inPlace: 2 ** 20, plain: 2 ** 15, half: 2 ** 26 };
/** With fewer terms a sum copies take as long as the runtime saves, unless it has several threads. */
const fewTerms = 96;

export interface ProductForm {
  /** A is stored as its transpose. */
  readonly transposed?: boolean;
}

type Way = "plain" | "kernel" | "runtime";

/** Who multiplies, for a product of these dimensions, if ONNX Runtime is worth a call from so many multiplications on. */
function wayOf(rows: number, columns: number, inner: number, most: number): Way {
  const multiplications = rows * columns * inner;
  if (!isSimdThere()) return multiplications < worthACall.plain || columns < 8 ? "plain" : "runtime";
  if (multiplications < worthPacking || Math.min(rows, columns, inner) < fewest) return "plain";
  return multiplications < most ? "kernel" : "runtime";
}

/** Multiplications from which on the runtime is worth a call for a whole product, where blocks that are not contiguous are copied. */
const worthWhole = (inner: number, ...blocks: readonly Block[]): number =>
  blocks.every(isContiguous) ? worthACall.inPlace : inner >= fewTerms ? worthACall.kernel : worthThreads;

/** C <- C - A B, or C - A^T B. */
export async function subtractProduct(
  target: Block,
  a: Block,
  b: Block,
  { transposed = false }: ProductForm = {},
): Promise<void> {
  const way = wayOf(target.rows, target.columns, b.rows, worthWhole(b.rows, target, a, b));
  if (way === "runtime") return subtractOnRuntime(target, a, b, transposed);
  if (way === "plain") subtractPlainly(target, a, b, transposed);
  else subtractByKernel(target, a, b, transposed);
}

function subtractByKernel(target: Block, a: Block, b: Block, transposed: boolean): void {
  const memory = memoryOf(target.entries);
  if (memory) {
    addInMemory(memory, target, a, b, { transposed, upper: false, factor: -1 });
    return;
  }
  const step = Math.max(1, Math.floor(mostStaged / target.columns));
  for (let from = 0; from < target.rows; from += step) {
    const part = blockRows(target, from, Math.min(target.rows, from + step));
    const rows = transposed
      ? { ...a, start: a.start + from, columns: part.rows }
      : blockRows(a, from, from + part.rows);
    subtractBlock(part, rowsIn(stagedProduct(rows, b, transposed), part.rows, part.columns));
  }
}

/** C <- C - A^T B, of which only what is on and above the diagonal counts. */
export async function subtractUpper(target: Block, a: Block, b: Block): Promise<void> {
  const way = wayOf(target.rows, target.columns, b.rows, worthACall.half);
  const memory = memoryOf(target.entries);
  if (way === "runtime") return subtractUpperOnRuntime(target, a, b);
  if (way === "kernel" && memory)
    addInMemory(memory, target, a, b, { transposed: true, upper: true, factor: -1 });
  else return subtractProduct(target, a, b, { transposed: true });
}

/** A B, or A^T B, into an array of as many entries. */
export async function writeProduct(
  into: Float64Array,
  a: Block,
  b: Block,
  { transposed = false }: ProductForm = {},
): Promise<void> {
  const [rows, columns] = [transposed ? a.columns : a.rows, b.columns];
  const way = wayOf(rows, columns, b.rows, worthWhole(b.rows, a, b));
  if (way === "runtime") return writeOnRuntime(into, a, b, transposed);
  const target = rowsIn(into, rows, columns);
  const memory = memoryOf(into);
  if (way === "kernel" && memory) {
    into.fill(0);
    addInMemory(memory, target, a, b, { transposed, upper: false, factor: 1 });
  } else if (way === "kernel" && into.length <= mostStaged) into.set(stagedProduct(a, b, transposed));
  else {
    into.fill(0);
    await subtractProduct(target, a, b, { transposed });
    for (let k = 0; k < into.length; k++) into[k] = -into[k]!;
  }
}

/** A B, or A^T B, as a matrix of its own. */
export async function productOf(a: Block, b: Block, form: ProductForm = {}): Promise<Matrix> {
  const [rows, columns] = [form.transposed ? a.columns : a.rows, b.columns];
  const entries = new Float64Array(rows * columns);
  await writeProduct(entries, a, b, form);
  return { rows, columns, entries };
}

/**
 * A B.
 * @example (await matrixProduct(matrixOfRows([[1, 2]]), matrixOfRows([[3], [4]]))).entries // Float64Array [11]
 */
export const matrixProduct = (a: Matrix, b: Matrix): Promise<Matrix> =>
  productOf(wholeBlock(a), wholeBlock(b));
