// Products of matrices on ONNX Runtime. It takes and gives rows that stand together: other blocks are copied on the way, and
// products come strip by strip into arrays that are used again, since new ones cost as much as the product of a strip.
import { runInto } from "../engine/run.ts";
import { float64, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import type { Tensor } from "../graph/tensor.ts";
import { type Block, blockRows, entriesOf, isContiguous, rowsIn } from "./block.ts";
import { copyBlock, subtractBlock, transposeBlock } from "./block-moves.ts";
import { giveBack, scratch } from "./scratch.ts";
import { memoryOf } from "./simd-memory.ts";

/** Multiplications from which on several threads are worth their start. */
export const worthThreads = 2 ** 27;
/** Entries of a strip: 2 MB with one thread, which stay in a cache, 32 MB with several. */
const stripEntries = { one: 2 ** 18, several: 2 ** 22 };
/** Fewest rows, or columns, of a strip. */
const thinnest = 96;

let mostThreads: number | undefined;

/** Threads of large products from now on; undefined: all cores. For measurements. */
export function productThreads(threads: number | undefined): void {
  mostThreads = threads;
}

/** Below some size two threads wait for each other longer than they work. */
const isForOne = (multiplications: number): boolean => multiplications < worthThreads || mostThreads === 1;

interface Form {
  /** A is stored as its transpose. */
  readonly transposed: boolean;
  /** C - A B instead of A B. */
  readonly subtracted: boolean;
}

const graphs = new Map<string, Graph>();

function graphOf({ transposed, subtracted }: Form): Graph {
  const key = `${transposed}/${subtracted}`;
  const known = graphs.get(key);
  if (known) return known;
  const a = transposed ? float64("K", "M") : float64("M", "K");
  const b = float64("K", "N");
  const transA = transposed ? 1 : 0;
  const made = subtracted
    ? graph({ a, b, c: float64("M", "N") }, ({ a, b, c }) => ({
        y: a.op("Gemm", [b, c], { transA, alpha: -1, beta: 1 }),
      }))
    : graph({ a, b }, ({ a, b }) => ({ y: transposed ? a.op("Gemm", [b], { transA }) : a.matmul(b) }));
  graphs.set(key, made);
  return made;
}

/** A view, without the copy that `tensor` would make. */
const float64Tensor = (data: Float64Array, rows: number, columns: number): Tensor => ({
  type: "float64",
  dims: [rows, columns],
  data,
});

/** C = A B or C <- C - A B, in place; the rows of all of them stand together. */
async function multiply(
  c: Float64Array,
  a: Float64Array,
  b: Float64Array,
  [rows, inner, columns]: readonly [number, number, number],
  form: Form = { transposed: false, subtracted: false },
): Promise<void> {
  const threads = isForOne(rows * inner * columns) ? 1 : mostThreads;
  const [left, right] = [
    form.transposed ? float64Tensor(a, inner, rows) : float64Tensor(a, rows, inner),
    float64Tensor(b, inner, columns),
  ];
  const target = float64Tensor(c, rows, columns);
  await runInto(
    graphOf(form),
    form.subtracted ? { a: left, b: right, c: target } : { a: left, b: right },
    { y: target },
    threads === undefined ? {} : { threads },
  );
}

/** Arrays for operands and products, all of them given back together. */
class Desk {
  readonly #room: Float64Array | undefined;
  readonly #borrowed: Float64Array[] = [];
  #used = 0;

  /** Near this array, where there is room. */
  constructor(near: Float64Array) {
    this.#room = memoryOf(near)?.room;
  }

  array(length: number): Float64Array {
    const room = this.#room;
    if (room && this.#used + length <= room.length) {
      this.#used += length;
      return room.subarray(this.#used - length, this.#used);
    }
    const array = scratch(length);
    this.#borrowed.push(array);
    return array;
  }

  clear(): void {
    for (const array of this.#borrowed) giveBack(array);
  }
}

/** The entries of A, or of its transpose, row by row: where they are, or copied. */
function operand(a: Block, transposed: boolean, space: (length: number) => Float64Array): Float64Array {
  if (!transposed && isContiguous(a)) return entriesOf(a);
  const copy = space(a.rows * a.columns);
  if (transposed) transposeBlock(rowsIn(copy, a.columns, a.rows), a);
  else copyBlock(rowsIn(copy, a.rows, a.columns), a);
  return copy;
}

/** What becomes of rows of the product, which stand together in a passing array. */
type Strip = (rows: Block, from: number) => void;

/** A B or A^T B, so many rows at a time. */
async function inStrips(desk: Desk, a: Block, b: Block, transposed: boolean, take: Strip): Promise<void> {
  const [rows, inner, columns] = [transposed ? a.columns : a.rows, b.rows, b.columns];
  const entries = isForOne(rows * columns * inner) ? stripEntries.one : stripEntries.several;
  const most = Math.min(rows, Math.max(thinnest, Math.floor(entries / Math.max(inner, columns))));
  const right = operand(b, false, (length) => desk.array(length));
  const [values, copy] = [desk.array(most * columns), desk.array(most * inner)];
  for (let from = 0; from < rows; from += most) {
    const count = Math.min(most, rows - from);
    const part: Block = transposed
      ? { ...a, start: a.start + from, columns: count }
      : blockRows(a, from, from + count);
    const left = operand(part, transposed, (length) => copy.subarray(0, length));
    const strip = rowsIn(values.subarray(0, count * columns), count, columns);
    await multiply(strip.entries, left, right, [count, inner, columns]);
    take(strip, from);
  }
}

/** C = A B or A^T B; the rows of C stand together. */
export async function writeOnRuntime(
  c: Float64Array,
  a: Block,
  b: Block,
  transposed: boolean,
): Promise<void> {
  const desk = new Desk(b.entries);
  if (isContiguous(a))
    await multiply(
      c,
      entriesOf(a),
      operand(b, false, (length) => desk.array(length)),
      [transposed ? a.columns : a.rows, b.rows, b.columns],
      { transposed, subtracted: false },
    );
  else
    await inStrips(desk, a, b, transposed, ({ entries }, from) => {
      c.set(entries, from * b.columns);
    });
  desk.clear();
}

/** C <- C - A B or C - A^T B. */
export async function subtractOnRuntime(
  target: Block,
  a: Block,
  b: Block,
  transposed: boolean,
): Promise<void> {
  // The runtime reads C before it writes it: where nothing has to be copied, both are the same array.
  if ([target, a, b].every(isContiguous))
    return multiply(
      ...([entriesOf(target), entriesOf(a), entriesOf(b)] as const),
      [target.rows, b.rows, target.columns],
      { transposed, subtracted: true },
    );
  const desk = new Desk(target.entries);
  await inStrips(desk, a, b, transposed, (strip, from) => {
    subtractBlock(blockRows(target, from, from + strip.rows), strip);
  });
  desk.clear();
}

/** C <- C - A^T B on and above the diagonal: strips of columns, down to the diagonal, with the first rows of A^T. */
export async function subtractUpperOnRuntime(target: Block, a: Block, b: Block): Promise<void> {
  const [inner, { rows, columns }] = [b.rows, target];
  // Thin strips compute little below the diagonal. A multiple of four, so that the squares of 4 x 4 on it are whole.
  const width = Math.min(stripEntries.one / rows, columns / 8);
  const most = Math.min(columns, 4 * Math.max(thinnest / 4, Math.floor(width / 4)));
  const desk = new Desk(target.entries);
  const [values, copy] = [desk.array(rows * most), desk.array(inner * most)];
  const left = operand(a, true, (length) => desk.array(length));
  for (let from = 0; from < columns; from += most) {
    const count = Math.min(most, columns - from);
    const height = Math.min(rows, from + count);
    const part: Block = { ...b, start: b.start + from, columns: count };
    const right = operand(part, false, (length) => copy.subarray(0, length));
    const strip = rowsIn(values.subarray(0, height * count), height, count);
    await multiply(strip.entries, left.subarray(0, height * inner), right, [height, inner, count]);
    subtractBlock({ ...target, start: target.start + from, rows: height, columns: count }, strip);
  }
  desk.clear();
}
