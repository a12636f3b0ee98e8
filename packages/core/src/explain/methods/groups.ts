// Groups of inputs that are taken away together: patches of an image, words, single numbers.
import { elementCount } from "../../graph/tensor.ts";
import { isChannelsLast } from "../channels.ts";

/** Positions in the flat input; every one in exactly one group. */
export type Groups = readonly (readonly number[])[];

/**
 * Squares of `patch` pixels, all channels together, of an input [1, channels, height, width] or with the channels last; rows
 * of a sequence [1, steps, size] or [steps, 1, size]; of a vector, each number.
 * @example patchGroups([1, 1, 4, 4], 2).length // 4
 */
export function patchGroups(dims: readonly number[], patch: number): Groups {
  const size = elementCount(dims);
  if (dims.length <= 2) return Array.from({ length: size }, (_, k) => [k]);
  if (dims.length === 3) {
    const width = dims[2]!;
    return Array.from({ length: size / width }, (_, t) =>
      Array.from({ length: width }, (_, k) => t * width + k),
    );
  }
  const { rows, columns, at } = pixels(dims);
  const planes = size / (rows * columns);
  const groups: number[][] = [];
  for (let top = 0; top < rows; top += patch)
    for (let left = 0; left < columns; left += patch) {
      const group: number[] = [];
      for (let plane = 0; plane < planes; plane++)
        for (let r = top; r < Math.min(rows, top + patch); r++)
          for (let c = left; c < Math.min(columns, left + patch); c++) group.push(at(plane, r, c));
      groups.push(group);
    }
  return groups;
}

/** How many pixels an image has, and where the number of one is. */
function pixels(dims: readonly number[]): {
  readonly rows: number;
  readonly columns: number;
  at(plane: number, row: number, column: number): number;
} {
  if (isChannelsLast(dims.slice(1))) {
    const [rows, columns, channels] = dims.slice(1) as [number, number, number];
    return { rows, columns, at: (plane, r, c) => (r * columns + c) * channels + plane };
  }
  const [rows, columns] = dims.slice(-2) as [number, number];
  return { rows, columns, at: (plane, r, c) => (plane * rows + r) * columns + c };
}

/** Patches of the side that is asked for, or of a 14th of the width. */
const usualPatches = (dims: readonly number[], patch?: number): Groups => {
  const width = dims.length > 3 ? pixels(dims).columns : (dims.at(-1) ?? 1);
  return patchGroups(dims, patch ?? Math.max(1, Math.round(width / 14)));
};

/** The groups of all inputs, one input after the other. */
export function usualGroups(shapes: readonly (readonly number[])[], patch?: number): Groups {
  let start = 0;
  return shapes.flatMap((dims) => {
    const first = start;
    start += elementCount(dims);
    return usualPatches(dims, patch).map((group) => group.map((k) => first + k));
  });
}

/** A value for each group, spread evenly over its positions: what it sums to is kept. */
export function spreadGroups(values: readonly number[], groups: Groups, size: number): Float64Array {
  const out = new Float64Array(size);
  groups.forEach((group, g) => {
    for (const k of group) out[k] = values[g]! / group.length;
  });
  return out;
}
