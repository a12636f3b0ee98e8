// Products of matrices on ONNX Runtime. It takes and gives rows that stand together: other blocks are copied on the way, and
// products come strip by strip into arrays that are used again, since new ones cost as much as the product of a strip.
import { runInto } from "../engine/run.ts";
import { float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import type { Tensor } from "../graph/tensor.ts";
import { type Block, blockRows, isContiguous, packed, packedTranspose } from "./block.ts";
import { giveBack, scratch } from "./scratch.ts";
import { memoryOf } from "./simd-memory.ts";

/** Multiplications from which on several threads are worth their start. */
const worthThreads = 2 ** 27;
/** Entries of a strip: a cache of 1 MB with one thread, 32 MB with several. */
const stripEntries = { one: 2 ** 17, several: 2 ** 22 };
/** Fewest rows, or columns, of a strip. */
const thinnest = 96;

let mostThreads: number | undefined;

/** Threads of large products from now on; undefined: all cores. For measurements. */
export function productThreads(threads: number | undefined): void {
  mostThreads = threads;
}

/** Below some size two threads wait for each other longer than they work. */
const isForOne = (multiplications: number): boolean => multiplications < worthThreads || mostThreads === 1;

let product: Graph | undefined;
const productGraph = (): Graph => {
  product ??= graph({ a: float64("M", "K"), b: float64("K", "N") }, ({ a, b }) => ({ c: a.matmul(b) }), {
    name: "product",
  });
  return product;
};

/** A view, without the copy that `tensor` would make. */
const float64Tensor = (data: Float64Array, rows: number, columns: number): Tensor => ({
  type: "float64",
  dims: [rows, columns],
  data,
});

/** C = A B, all of them row by row. */
async function multiply(
  c: Float64Array,
  a: Float64Array,
  b: Float64Array,
  [rows, inner, columns]: readonly [number, number, number],
): Promise<void> {
  const threads = isForOne(rows * inner * columns) ? 1 : mostThreads;
  await runInto(
    productGraph(),
    { a: float64Tensor(a, rows, inner), b: float64Tensor(b, inner, columns) },
    { c: float64Tensor(c, rows, columns) },
    threads === undefined ? {} : { threads },
  );
}

/** Arrays for operands and products, all of them given back together. */
class Desk {
  readonly #memory;
  readonly #borrowed: Float64Array[] = [];
  #used = 0;

  /** Near this array, where there is room. */
  constructor(near: Float64Array) {
    this.#memory = memoryOf(near);
  }

  array(length: number): Float64Array {
    const room = this.#memory?.room;
    if (room && this.#used + length <= room.length) {
      this.#used += length;
      return room.subarray(this.#used - length, this.#used);
    }
    const array = scratch(length);
    this.#borrowed.push(array);
    return array;
  }

  /** The entries of a block row by row: itself where it is so already. */
  rows(block: Block): Float64Array {
    if (isContiguous(block)) return packed(block);
    return this.copy(block, this.array(block.rows * block.columns));
  }

  copy(block: Block, into: Float64Array): Float64Array {
    const { entries, start, stride, rows, columns } = block;
    const memory = this.#inMemory(entries, into);
    if (!memory) return packed(block, into);
    memory.kernel.copyRows(
      ...([into.byteOffset, 8 * columns, rows, columns, entries.byteOffset + 8 * start, 8 * stride] as const),
    );
    return into;
  }

  /** The entries of its transpose. */
  transposed(block: Block, into: Float64Array): Float64Array {
    const { entries, start, stride, rows, columns } = block;
    const memory = this.#inMemory(entries, into);
    const whole = memory ? columns - (columns % 4) : 0;
    memory?.kernel.transpose(
      ...([into.byteOffset, 8 * rows, rows, whole, entries.byteOffset + 8 * start, 8 * stride] as const),
    );
    if (whole < columns)
      packedTranspose({ ...block, start: start + whole, columns: columns - whole }, into.subarray(whole * rows));
    return into;
  }

  /** A block less these entries, row by row. */
  subtract({ entries, start, stride, rows, columns }: Block, values: Float64Array): void {
    const memory = this.#inMemory(entries, values);
    if (memory)
      memory.kernel.subtractRows(
        ...([entries.byteOffset + 8 * start, 8 * stride, rows, columns] as const),
        ...([values.byteOffset, 8 * columns] as const),
      );
    else subtractRows(entries, start, stride, rows, columns, values);
  }

  /** The memory that both arrays are in. */
  #inMemory(a: Float64Array, b: Float64Array) {
    const memory = this.#memory;
    return memory && a.buffer === memory.buffer && b.buffer === memory.buffer ? memory : undefined;
  }

  clear(): void {
    for (const array of this.#borrowed) giveBack(array);
  }
}

function subtractRows(
  entries: Float64Array,
  start: number,
  stride: number,
  rows: number,
  columns: number,
  values: Float64Array,
): void {
  for (let i = 0; i < rows; i++) {
    const to = start + i * stride;
    const from = i * columns;
    for (let j = 0; j < columns; j++) entries[to + j]! -= values[from + j]!;
  }
}

/** C = A B or A^T B; the rows of C stand together. */
export async function writeOnRuntime(c: Float64Array, a: Block, b: Block, transposed: boolean): Promise<void> {
  const [rows, inner] = [transposed ? a.columns : a.rows, b.rows];
  const desk = new Desk(b.entries);
  const right = desk.rows(b);
  const left = transposed ? desk.transposed(a, desk.array(rows * inner)) : desk.rows(a);
  await multiply(c, left, right, [rows, inner, b.columns]);
  desk.clear();
}

/** C <- C - A B or C - A^T B, strips of rows. */
export async function subtractOnRuntime(target: Block, a: Block, b: Block, transposed: boolean): Promise<void> {
  const [inner, columns] = [b.rows, target.columns];
  const entries = isForOne(target.rows * columns * inner) ? stripEntries.one : stripEntries.several;
  const most = Math.min(target.rows, Math.max(thinnest, Math.floor(entries / columns)));
  const desk = new Desk(target.entries);
  const right = desk.rows(b);
  const [values, copy] = [desk.array(most * columns), desk.array(most * inner)];
  for (let from = 0; from < target.rows; from += most) {
    const part = blockRows(target, from, Math.min(target.rows, from + most));
    const rows: Block = transposed
      ? { ...a, start: a.start + from, columns: part.rows }
      : blockRows(a, from, from + part.rows);
    const space = copy.subarray(0, part.rows * inner);
    const left = transposed
      ? desk.transposed(rows, space)
      : isContiguous(rows)
        ? packed(rows)
        : desk.copy(rows, space);
    const strip = values.subarray(0, part.rows * columns);
    await multiply(strip, left, right, [part.rows, inner, columns]);
    desk.subtract(part, strip);
  }
  desk.clear();
}

/** C <- C - A^T B on and above the diagonal: strips of columns, down to the diagonal, with the first rows of A^T. */
export async function subtractUpperOnRuntime(target: Block, a: Block, b: Block): Promise<void> {
  const [inner, { rows, columns }] = [b.rows, target];
  const most = Math.min(columns, Math.max(thinnest, Math.floor(stripEntries.one / rows)));
  const desk = new Desk(target.entries);
  const [values, copy] = [desk.array(rows * most), desk.array(inner * most)];
  const left = desk.transposed(a, desk.array(rows * inner));
  for (let from = 0; from < columns; from += most) {
    const width = Math.min(most, columns - from);
    const height = Math.min(rows, from + width);
    const right = desk.copy({ ...b, start: b.start + from, columns: width }, copy.subarray(0, inner * width));
    const strip = values.subarray(0, height * width);
    await multiply(strip, left.subarray(0, height * inner), right, [height, inner, width]);
    desk.subtract({ ...target, start: target.start + from, rows: height, columns: width }, strip);
  }
  desk.clear();
}
