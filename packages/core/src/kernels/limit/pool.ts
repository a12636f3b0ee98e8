// Arrays that are used again in the next tile: fresh ones of a megabyte each would cost more than what is computed in them.

export interface ArrayPool {
  take(length: number): Float64Array;
  /** All arrays that were taken may be handed out again. */
  reset(): void;
}

/** Arrays of a tile, with whatever stands in them. */
export function arrayPool(): ArrayPool {
  const free = new Map<number, Float64Array[]>();
  let taken: Float64Array[] = [];
  return {
    take: (length) => {
      const capacity = 2 ** Math.ceil(Math.log2(Math.max(1, length)));
      const whole = free.get(capacity)?.pop() ?? new Float64Array(capacity);
      taken.push(whole);
      return length === capacity ? whole : whole.subarray(0, length);
    },
    reset: () => {
      for (const whole of taken) {
        const list = free.get(whole.length) ?? [];
        list.push(whole);
        free.set(whole.length, list);
      }
      taken = [];
    },
  };
}
