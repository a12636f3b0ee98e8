// Products of matrices by the kernel in WebAssembly: blocks that fit caches, packed, and multiplied tile by tile.
import type { Block } from "./block.ts";
import { packingSpace, type SimdMemory, simdMemory } from "./simd-memory.ts";

/** Inner indices, columns and rows that are packed at once. Rows divide columns. */
const [depth, width, height] = [256, 512, 64];
/** Where panels of B, strips of A and tiles at the edges stand in the memory, in numbers. */
const panelsAt = 0;
const stripsAt = panelsAt + depth * width;
const edgesAt = stripsAt + depth * height;
if (edgesAt + 4 * width > packingSpace)
  throw new RangeError("operands do not fit the space that is there for them");

export interface KernelProduct {
  /** A is stored as its transpose. */
  readonly transposed: boolean;
  /** Only what is on and above the diagonal of C counts; some of the rest is computed, too. */
  readonly upper: boolean;
  readonly factor: 1 | -1;
}

/** C <- C + factor A B. C is in this memory, A and B anywhere. */
export function addInMemory(
  memory: SimdMemory,
  target: Block,
  a: Block,
  b: Block,
  form: KernelProduct,
): void {
  for (let near = 0; near < b.rows; near += depth) {
    const inner = Math.min(depth, b.rows - near);
    for (let left = 0; left < target.columns; left += width) {
      const columns = Math.min(width, target.columns - left);
      packColumns(memory, { ...b, start: b.start + near * b.stride + left, rows: inner, columns }, panelsAt);
      const bottom = form.upper ? Math.min(target.rows, left + columns) : target.rows;
      for (let top = 0; top < bottom; top += height) {
        const rows = Math.min(height, bottom - top);
        if (form.transposed)
          packColumns(
            memory,
            { ...a, start: a.start + near * a.stride + top, rows: inner, columns: rows },
            stripsAt,
          );
        else
          packRows(memory, { ...a, start: a.start + top * a.stride + near, rows, columns: inner }, stripsAt);
        // Panels of B that this strip begins after; they are left of the diagonal.
        const begin = form.upper && top >= left ? (top - left) >> 2 : 0;
        const skip = form.upper && top >= left ? 1 : 0;
        const part: Block = {
          ...target,
          start: target.start + top * target.stride + left,
          ...{ rows, columns },
        };
        multiply(memory, part, inner, begin, skip, form.factor);
      }
    }
  }
}

/** Four columns side by side, then the next four. What is beyond the last is anything. */
function packColumns({ kernel, buffer, numbers }: SimdMemory, block: Block, to: number): void {
  const { entries, start, stride, rows, columns } = block;
  if (entries.buffer === buffer) {
    kernel.packColumns(entries.byteOffset + 8 * start, 8 * stride, rows, (columns + 3) >> 2, 8 * to);
    return;
  }
  for (let left = 0; left < columns; left += 4) {
    const most = Math.min(4, columns - left);
    for (let p = 0; p < rows; p++) {
      const [from, at] = [start + p * stride + left, to + left * rows + 4 * p];
      for (let j = 0; j < most; j++) numbers[at + j] = entries[from + j]!;
    }
  }
}

/** Four rows side by side, then the next four. */
function packRows({ kernel, buffer, numbers }: SimdMemory, block: Block, to: number): void {
  const { entries, start, stride, rows, columns } = block;
  const whole = entries.buffer === buffer ? rows >> 2 : 0;
  kernel.packRows(entries.byteOffset + 8 * start, 8 * stride, columns, whole, 8 * to);
  for (let i = 4 * whole; i < rows; i++) {
    const [from, at] = [start + i * stride, to + (i - (i & 3)) * columns + (i & 3)];
    for (let p = 0; p < columns; p++) numbers[at + 4 * p] = entries[from + p]!;
  }
}

/** A block of C, with the operands as packed. Tiles at the right and at the bottom that are not whole are made elsewhere. */
function multiply(
  { kernel, numbers }: SimdMemory,
  target: Block,
  inner: number,
  begin: number,
  skip: 0 | 1,
  factor: number,
): void {
  const { entries, start, stride, rows, columns } = target;
  const [strips, panels] = [rows >> 2, columns >> 2];
  const [a, b, edges] = [8 * stripsAt, 8 * panelsAt, 8 * edgesAt];
  const panelBytes = 32 * inner;
  const c = entries.byteOffset + 8 * start;
  kernel.addProduct(
    ...([c + 32 * begin, 8 * stride, a, b + begin * panelBytes] as const),
    ...([inner, strips, panels - begin, skip, factor] as const),
  );
  if (4 * panels < columns) {
    const tall = (rows + 3) >> 2;
    numbers.fill(0, edgesAt, edgesAt + 16 * tall);
    kernel.addProduct(edges, 32, a, b + panels * panelBytes, inner, tall, 1, 0, factor);
    addEdge(numbers, 4, { ...target, start: start + 4 * panels, columns: columns - 4 * panels });
  }
  const first = begin + skip * strips;
  if (4 * strips < rows && first < panels) {
    const wide = panels - first;
    numbers.fill(0, edgesAt, edgesAt + 16 * wide);
    kernel.addProduct(
      ...([edges, 32 * wide, a + strips * panelBytes, b + first * panelBytes] as const),
      ...([inner, 1, wide, 0, factor] as const),
    );
    addEdge(numbers, 4 * wide, {
      ...target,
      ...{ start: start + 4 * strips * stride + 4 * first, rows: rows - 4 * strips, columns: 4 * wide },
    });
  }
}

function addEdge(numbers: Float64Array, stride: number, { entries, start, ...to }: Block): void {
  for (let i = 0; i < to.rows; i++)
    for (let j = 0; j < to.columns; j++)
      entries[start + i * to.stride + j]! += numbers[edgesAt + i * stride + j]!;
}

/** Entries of a product that is made here for arrays that are elsewhere. */
export const mostStaged = 2 ** 18;

let staging: SimdMemory | undefined;

/** A B for arrays that are anywhere, of no more than `mostStaged` entries; a view of what the next call overwrites. */
export function stagedProduct(a: Block, b: Block, transposed: boolean): Float64Array {
  const rows = transposed ? a.columns : a.rows;
  staging ??= simdMemory(0);
  const entries = staging.room.subarray(0, rows * b.columns).fill(0);
  const target: Block = { entries, start: 0, stride: b.columns, rows, columns: b.columns };
  addInMemory(staging, target, a, b, { transposed, upper: false, factor: 1 });
  return entries;
}
