// Arrays that are used again in the next tile: fresh ones of a megabyte each would cost more than what is computed in them.

export interface ArrayPool {
  take(length: number): Float64Array;
  /** The array may be handed out again. */
  free(array: Float64Array): void;
  /** All arrays that were taken may be handed out again. */
  reset(): void;
}

/** Arrays of a tile, with whatever stands in them. */
export function arrayPool(): ArrayPool {
  const idle = new Map<number, Float64Array[]>();
  const taken = new Map<ArrayBufferLike, Float64Array>();
  const lay = (whole: Float64Array): void => {
    const list = idle.get(whole.length) ?? [];
    list.push(whole);
    idle.set(whole.length, list);
  };
  return {
    take: (length) => {
      const capacity = capacityFor(length);
      const whole = idle.get(capacity)?.pop() ?? new Float64Array(capacity);
      taken.set(whole.buffer, whole);
      return length === capacity ? whole : whole.subarray(0, length);
    },
    free: ({ buffer }) => {
      const whole = taken.get(buffer);
      if (whole && taken.delete(buffer)) lay(whole);
    },
    reset: () => {
      taken.forEach(lay);
      taken.clear();
    },
  };
}

/** A power of two, or a multiple of an eighth of one: as little as that is left unused. */
function capacityFor(length: number): number {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, length))) - 3);
  return step * Math.ceil(length / step);
}
