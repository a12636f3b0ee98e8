// Where the elements of tensors stand: row-major steps, coordinates, and from which element of its input each element of a
// result comes, for operators that move elements.
import { elementCount } from "../tensor.ts";

type Dims = readonly number[];

/**
 * Row-major steps of each axis.
 * @example stridesOf([2, 3, 4]) // [12, 4, 1]
 */
export function stridesOf(dims: Dims): readonly number[] {
  const strides = new Array<number>(dims.length).fill(1);
  for (let k = dims.length - 2; k >= 0; k--) strides[k] = strides[k + 1]! * dims[k + 1]!;
  return strides;
}

/** What `visit` makes of the coordinates of every element, in row-major order. */
export function eachCoordinate<T>(dims: Dims, visit: (at: readonly number[]) => T): T[] {
  const strides = stridesOf(dims);
  return Array.from({ length: elementCount(dims) }, (_, flat) =>
    visit(dims.map((d, k) => Math.floor(flat / strides[k]!) % d)),
  );
}

/** Calls `visit` for each coordinate of a shape in row-major order; the array that it gets is reused. */
export function forEachCoordinate(dims: Dims, visit: (at: readonly number[], flat: number) => void): void {
  const at = dims.map(() => 0);
  const count = elementCount(dims);
  for (let flat = 0; flat < count; flat++) {
    visit(at, flat);
    for (let axis = dims.length - 1; axis >= 0 && ++at[axis]! === dims[axis]; axis--) at[axis] = 0;
  }
}

/** For each element of a shape, a flat position. */
export function indexMap(dims: Dims, position: (at: readonly number[]) => number): Int32Array {
  const map = new Int32Array(elementCount(dims));
  forEachCoordinate(dims, (at, flat) => {
    map[flat] = position(at);
  });
  return map;
}

/** The flat position of coordinates: sum_k at[k] strides[k]. */
export const flatten = (at: readonly number[], strides: readonly number[]): number => {
  let flat = 0;
  for (let k = 0; k < at.length; k++) flat += at[k]! * strides[k]!;
  return flat;
};

/**
 * For each element of a result of shape `dims`, the sum over its axes of steps[axis](coordinate).
 * @example affinePositions([2, 2], [(i) => i, (j) => 2 * j]) // [0, 2, 1, 3]: a transposition
 */
export function affinePositions(dims: Dims, steps: readonly ((coordinate: number) => number)[]): Int32Array {
  const positions = new Int32Array(elementCount(dims));
  let block = positions.length;
  dims.forEach((size, axis) => {
    block /= size || 1;
    const offsets = Array.from({ length: size }, (_, c) => steps[axis]!(c));
    for (let k = 0; k < positions.length; k++) positions[k]! += offsets[Math.floor(k / block) % size]!;
  });
  return positions;
}

const isSame = (a: Dims, b: Dims): boolean => a.length === b.length && a.every((d, k) => d === b[k]);

/** Where each element of the broadcast shape comes from in a tensor of shape `own`. */
export function broadcastPositions(own: Dims, dims: Dims): Int32Array {
  if (isSame(own, dims)) return Int32Array.from({ length: elementCount(dims) }, (_, k) => k);
  const steps = stridesOf(own);
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
export function transposedPositions(dims: Dims, perm: readonly number[]): Int32Array {
  const steps = stridesOf(dims);
  return affinePositions(
    perm.map((k) => dims[k]!),
    perm.map((k) => (c) => c * steps[k]!),
  );
}

/** Elements of the axis at these indices, the others all. */
export function pickedPositions(dims: Dims, axis: number, indices: Dims): Int32Array {
  const steps = stridesOf(dims);
  return affinePositions(
    dims.map((d, k) => (k === axis ? indices.length : d)),
    dims.map((_, k) => (c) => (k === axis ? indices[c]! : c) * steps[k]!),
  );
}

/** The positions that are summed up (or compared) for each element that remains. */
export function reducedGroups(dims: Dims, axes: readonly number[]): number[][] {
  const kept = dims.map((d, k) => (axes.includes(k) ? 1 : d));
  const target = broadcastPositions(kept, dims);
  const groups = Array.from({ length: elementCount(kept) }, (): number[] => []);
  target.forEach((group, k) => {
    groups[group]!.push(k);
  });
  return groups;
}
