// Copies, transposes and differences of blocks: by the kernel where both are in its memory, by loops elsewhere.
import { type Block, rowsIn } from "./block.ts";
import { memoryOf, type SimdMemory } from "./simd-memory.ts";

const sharedMemory = (a: Block, b: Block): SimdMemory | undefined =>
  a.entries.buffer === b.entries.buffer ? memoryOf(a.entries) : undefined;

const address = ({ entries, start }: Block): number => entries.byteOffset + 8 * start;

/** to_ij = from_ij. */
export function copyBlock(to: Block, from: Block): void {
  const { rows, columns } = from;
  const memory = sharedMemory(to, from);
  if (memory) {
    memory.kernel.copyRows(address(to), 8 * to.stride, rows, columns, address(from), 8 * from.stride);
    return;
  }
  for (let i = 0; i < rows; i++) {
    const [at, source] = [to.start + i * to.stride, from.start + i * from.stride];
    // A view of a short row takes longer to make than the row to copy.
    if (columns < 200) for (let j = 0; j < columns; j++) to.entries[at + j] = from.entries[source + j]!;
    else to.entries.set(from.entries.subarray(source, source + columns), at);
  }
}

/** to_ij <- to_ij - from_ij. */
export function subtractBlock(to: Block, from: Block): void {
  const { rows, columns } = from;
  const memory = sharedMemory(to, from);
  if (memory)
    memory.kernel.subtractRows(address(to), 8 * to.stride, rows, columns, address(from), 8 * from.stride);
  else subtractPlainly(to, from);
}

function subtractPlainly(to: Block, { entries, start, stride, rows, columns }: Block): void {
  const target = to.entries;
  for (let i = 0; i < rows; i++) {
    const [at, from] = [to.start + i * to.stride, start + i * stride];
    for (let j = 0; j < columns; j++) target[at + j]! -= entries[from + j]!;
  }
}

const tile = 16;

/** to_ji = from_ij. */
export function transposeBlock(to: Block, from: Block): void {
  const memory = sharedMemory(to, from);
  const whole = memory ? from.columns - (from.columns % 4) : 0;
  memory?.kernel.transpose(address(to), 8 * to.stride, from.rows, whole, address(from), 8 * from.stride);
  // Tiles of 16 by 16 keep both sides in the cache.
  for (let top = 0; top < from.rows && whole < from.columns; top += tile)
    for (let left = whole; left < from.columns; left += tile) transposeTile(to, from, top, left);
}

function transposeTile(to: Block, from: Block, top: number, left: number): void {
  const [bottom, right] = [Math.min(from.rows, top + tile), Math.min(from.columns, left + tile)];
  for (let i = top; i < bottom; i++)
    for (let j = left; j < right; j++)
      to.entries[to.start + j * to.stride + i] = from.entries[from.start + i * from.stride + j]!;
}

/** The entries of the transpose of a block, row by row. */
export function packedTranspose(block: Block): Float64Array {
  const copy = new Float64Array(block.rows * block.columns);
  transposeBlock(rowsIn(copy, block.columns, block.rows), block);
  return copy;
}
