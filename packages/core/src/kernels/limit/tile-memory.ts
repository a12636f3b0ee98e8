// The memory of the kernels in WebAssembly: a part that the kernels themselves use, and room for the arrays of a tile.
import { mostPairs } from "./pair-code.ts";

/** Numbers that the kernels use: pairs, variances, and what a formula finds of columns. */
const stagedSize = 32 * mostPairs;
/** Numbers of arrays: 16 MB; arrays that do not fit are JavaScript's own. */
const roomSize = 2 ** 21;

export interface TileMemory {
  readonly memory: WebAssembly.Memory;
  readonly staged: Float64Array;
  /** Where arrays of a tile are, but for a number behind the last. */
  readonly room: Float64Array;
}

let made: TileMemory | undefined;

/** Throws where there is not that much memory. */
export function tileMemory(): TileMemory {
  if (made) return made;
  const memory = new WebAssembly.Memory({ initial: (8 * (stagedSize + roomSize)) / 65536 });
  const staged = new Float64Array(memory.buffer, 0, stagedSize);
  const room = new Float64Array(memory.buffer, 8 * stagedSize, roomSize - 1);
  made = { memory, staged, room };
  return made;
}

export const isInTileMemory = ({ buffer }: Float64Array): boolean => buffer === made?.memory.buffer;
