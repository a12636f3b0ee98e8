// Where the elements of a result come from: flat row-major positions for operators that move elements.
import { elementCount } from "../../graph/tensor.ts";

/** Row-major steps of each axis. */
export function strides(dims: readonly number[]): number[] {
  const steps = new Array<number>(dims.length).fill(1);
  for (let k = dims.length - 2; k >= 0; k--) steps[k] = steps[k + 1]! * dims[k + 1]!;
  return steps;
}

/**
 * For each element of a result of shape `dims`, the sum over its axes of steps[axis](coordinate).
 * @example affinePositions([2, 2], [(i) => i, (j) => 2 * j]) // [0, 2, 1, 3]: a transposition
 */
export function affinePositions(
  dims: readonly number[],
  steps: readonly ((coordinate: number) => number)[],
): Int32Array {
  const positions = new Int32Array(elementCount(dims));
  let block = positions.length;
  dims.forEach((size, axis) => {
    block /= size || 1;
    const offsets = Array.from({ length: size }, (_, c) => steps[axis]!(c));
    for (let k = 0; k < positions.length; k++) positions[k]! += offsets[Math.floor(k / block) % size]!;
  });
  return positions;
}

/** Where each element of the broadcast shape comes from in a tensor of shape `own`. */
export function broadcastPositions(own: readonly number[], dims: readonly number[]): Int32Array {
  const steps = strides(own);
  const missing = dims.length - own.length;
  return affinePositions(
    dims,
    dims.map((_, axis) => {
      const k = axis - missing;
      return (c) => (k < 0 || own[k] === 1 ? 0 : c * steps[k]!);
    }),
  );
}

/** result[..., perm] of a transposition. */
export function transposedPositions(dims: readonly number[], perm: readonly number[]): Int32Array {
  const steps = strides(dims);
  return affinePositions(
    perm.map((k) => dims[k]!),
    perm.map((k) => (c) => c * steps[k]!),
  );
}

/** Elements of the axis at these indices, the others all. */
export function pickedPositions(
  dims: readonly number[],
  axis: number,
  indices: readonly number[],
): Int32Array {
  const steps = strides(dims);
  return affinePositions(
    dims.map((d, k) => (k === axis ? indices.length : d)),
    dims.map((_, k) => (c) => (k === axis ? indices[c]! : c) * steps[k]!),
  );
}

/** The positions that are summed up (or compared) for each element that remains. */
export function reducedGroups(dims: readonly number[], axes: readonly number[]): number[][] {
  const kept = dims.map((d, k) => (axes.includes(k) ? 1 : d));
  const target = broadcastPositions(kept, dims);
  const groups = Array.from({ length: elementCount(kept) }, (): number[] => []);
  target.forEach((group, k) => {
    groups[group]!.push(k);
  });
  return groups;
}
