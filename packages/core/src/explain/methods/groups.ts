// Groups of inputs that are taken away together: patches of an image, words, single numbers.
import { elementCount } from "../../graph/tensor.ts";

/** Positions in the flat input; every one in exactly one group. */
export type Groups = readonly (readonly number[])[];

/**
 * Squares of `patch` pixels, all channels together, of an input [1, channels, height, width]; rows of a sequence
 * [1, steps, size] or [steps, 1, size]; of a vector, each number.
 * @example patchGroups([1, 1, 4, 4], 2).length // 4
 */
export function patchGroups(dims: readonly number[], patch: number): Groups {
  const size = elementCount(dims);
  if (dims.length <= 2) return Array.from({ length: size }, (_, k) => [k]);
  const [rows, columns] = dims.slice(-2) as [number, number];
  if (dims.length === 3) {
    return Array.from({ length: size / columns }, (_, t) =>
      Array.from({ length: columns }, (_, k) => t * columns + k),
    );
  }
  const planes = size / (rows * columns);
  const groups: number[][] = [];
  for (let top = 0; top < rows; top += patch)
    for (let left = 0; left < columns; left += patch) {
      const group: number[] = [];
      for (let plane = 0; plane < planes; plane++)
        for (let r = top; r < Math.min(rows, top + patch); r++)
          for (let c = left; c < Math.min(columns, left + patch); c++)
            group.push((plane * rows + r) * columns + c);
      groups.push(group);
    }
  return groups;
}

/** Patches of the side that is asked for, or of a 14th of the width. */
export const usualGroups = (dims: readonly number[], patch?: number): Groups =>
  patchGroups(dims, patch ?? Math.max(1, Math.round((dims.at(-1) ?? 1) / 14)));

/** A value for each group, spread evenly over its positions: what it sums to is kept. */
export function spreadGroups(values: readonly number[], groups: Groups, size: number): Float64Array {
  const out = new Float64Array(size);
  groups.forEach((group, g) => {
    for (const k of group) out[k] = values[g]! / group.length;
  });
  return out;
}
