// Elements that are picked and placed by constant indices.

import { flatten, indexMap, stridesOf } from "../../../graph/elements/positions.ts";
import { elementCount } from "../../../graph/tensor.ts";
import type { Rules } from "../../pass.ts";
import { affineImage, joined } from "../linear.ts";
import { axisOf, firstDims } from "../shape.ts";
import { integers, type Pieces } from "../tensor.ts";
import { Unreadable } from "../unreadable.ts";
import { moved } from "./movers.ts";

/** An index of an axis, counted from the front. */
function place(index: number, size: number): number {
  if (index < -size || index >= size)
    throw new Unreadable(`index ${index} is outside an axis of size ${size}`);
  return index < 0 ? index + size : index;
}

const indicesOf = (x: Pieces | undefined): readonly number[] => integers(x!, "its indices");

/** The flat position that a tuple of indices starts at. */
function tuplePosition(x: Pieces, tuple: readonly number[], skip: number): number {
  const strides = stridesOf(x.dims);
  return tuple.reduce((sum, i, k) => sum + place(i, x.dims[skip + k]!) * strides[skip + k]!, 0);
}

/** An input with some elements replaced by those of another, or added to. */
function scattered(x: Pieces, updates: Pieces, targets: Int32Array, reduction: string): Pieces {
  const { all, starts } = joined([x, updates]);
  if (reduction === "none") {
    const positions = Int32Array.from(x.elements, (_, k) => k);
    targets.forEach((target, k) => {
      positions[target] = starts[1]! + k;
    });
    return { ...moved(all, x.dims, positions), type: x.type };
  }
  if (reduction !== "add") throw new Unreadable(`its reduction is "${reduction}"`);
  const added: number[][] = x.elements.map((_, k) => [k]);
  targets.forEach((target, k) => {
    added[target]!.push(starts[1]! + k);
  });
  return affineImage(all, x.dims, (output) => ({
    indices: added[output]!,
    weights: added[output]!.map(() => 1),
  }));
}

export const indexing: Rules<Pieces> = {
  Gather: ([x, indices], { axis }, node) => {
    const along = axisOf(axis, x!);
    const dims = firstDims(node, [x, indices]);
    const [size, inner] = [x!.dims[along]!, elementCount(x!.dims.slice(along + 1))];
    const outer = elementCount(x!.dims.slice(0, along));
    const places = indicesOf(indices).map((i) => place(i, size));
    const positions = new Int32Array(outer * places.length * inner);
    let next = 0;
    for (let n = 0; n < outer; n++)
      for (const p of places) for (let i = 0; i < inner; i++) positions[next++] = (n * size + p) * inner + i;
    return moved(x!, dims, positions);
  },
  GatherElements: ([x, indices], { axis }) => {
    const along = axisOf(axis, x!);
    return moved(x!, indices!.dims, alongAxis(x!, indices!, along));
  },
  GatherND: ([x, indices], { batch_dims: batch }, node) => {
    const dims = firstDims(node, [x, indices]);
    const depth = indices!.dims.at(-1)!;
    const chunk = elementCount(x!.dims.slice(batch + depth));
    const batches = elementCount(x!.dims.slice(0, batch));
    const batchSize = elementCount(x!.dims.slice(batch));
    const values = indicesOf(indices);
    const tuples = elementCount(indices!.dims.slice(0, -1));
    const positions = Int32Array.from({ length: tuples * chunk }, (_, output) => {
      const n = Math.floor(output / chunk);
      const start = tuplePosition(x!, values.slice(n * depth, (n + 1) * depth), batch);
      return Math.floor(n / (tuples / batches)) * batchSize + start + (output % chunk);
    });
    return moved(x!, dims, positions);
  },
  ScatterElements: ([x, indices, updates], { axis, reduction }) =>
    scattered(x!, updates!, alongAxis(x!, indices!, axisOf(axis, x!)), reduction),
  ScatterND: ([x, indices, updates], { reduction }) => {
    const depth = indices!.dims.at(-1)!;
    const chunk = elementCount(x!.dims.slice(depth));
    const values = indicesOf(indices);
    const targets = Int32Array.from(updates!.elements, (_, k) => {
      const n = Math.floor(k / chunk);
      return tuplePosition(x!, values.slice(n * depth, (n + 1) * depth), 0) + (k % chunk);
    });
    return scattered(x!, updates!, targets, reduction);
  },
};

/** Positions in x at the coordinates of the indices, but for one axis, where the index itself stands. */
function alongAxis(x: Pieces, indices: Pieces, axis: number): Int32Array {
  const strides = stridesOf(x.dims);
  const values = indicesOf(indices);
  let next = 0;
  return indexMap(indices.dims, (at) => {
    const index = place(values[next++]!, x.dims[axis]!);
    return flatten(at, strides) + (index - at[axis]!) * strides[axis]!;
  });
}
