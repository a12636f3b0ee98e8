// Arrays that are used again in the next tile: fresh ones of a megabyte each would cost more than what is computed in them.
import { isSimdThere } from "../../linear-algebra/simd-memory.ts";
import { isInTileMemory, tileMemory } from "./tile-memory.ts";

export interface ArrayPool {
  take(length: number): Float64Array;
  /** The array may be handed out again. */
  free(array: Float64Array): void;
  /** All arrays that were taken may be handed out again. */
  reset(): void;
}

/** Arrays of a tile, with whatever stands in them; in the memory of the kernels as long as there is room. */
export function arrayPool(): ArrayPool {
  let idle = new Map<number, Float64Array[]>();
  const taken = new Map<ArrayBufferLike | number, Float64Array>();
  let used = 0;
  let isFull = false;
  const lay = (whole: Float64Array): void => {
    const list = idle.get(whole.length) ?? [];
    list.push(whole);
    idle.set(whole.length, list);
  };
  const fresh = (capacity: number): Float64Array => {
    const room = isSimdThere() ? tileMemory().room : undefined;
    isFull ||= room !== undefined && used + capacity > room.length;
    if (!room || isFull) return new Float64Array(capacity);
    used += capacity;
    return room.subarray(used - capacity, used);
  };
  return {
    take: (length) => {
      const capacity = capacityFor(length);
      const whole = idle.get(capacity)?.pop() ?? fresh(capacity);
      taken.set(keyOf(whole), whole);
      return length === capacity ? whole : whole.subarray(0, length);
    },
    free: (array) => {
      const whole = taken.get(keyOf(array));
      if (whole && taken.delete(keyOf(array))) lay(whole);
    },
    reset: () => {
      taken.forEach(lay);
      taken.clear();
      if (!isFull) return;
      // Arrays of other lengths may be what fills the room.
      idle = new Map();
      [used, isFull] = [0, false];
    },
  };
}

/** What tells arrays apart that stand in one memory or have one each. */
const keyOf = (array: Float64Array): ArrayBufferLike | number =>
  isInTileMemory(array) ? array.byteOffset : array.buffer;

/** Numbers behind an array: a kernel may write one. */
const behind = 1;

/** A power of two, or a multiple of an eighth of one: as little as that is left unused. */
function capacityFor(length: number): number {
  const least = length + behind;
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, least))) - 3);
  return step * Math.ceil(least / step);
}
