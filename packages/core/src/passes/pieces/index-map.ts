// Positions in tensors: which element of its input each element of an output is.
import { stridesOf } from "../../graph/operators/constant.ts";
import { elementCount } from "../../graph/tensor.ts";

/** Calls `visit` for each coordinate of a shape in row-major order; the array that it gets is reused. */
export function forEachCoordinate(
  dims: readonly number[],
  visit: (at: readonly number[], flat: number) => void,
): void {
  const at = dims.map(() => 0);
  const count = elementCount(dims);
  for (let flat = 0; flat < count; flat++) {
    visit(at, flat);
    for (let axis = dims.length - 1; axis >= 0 && ++at[axis]! === dims[axis]; axis--) at[axis] = 0;
  }
}

/** For each element of a shape, a flat position. */
export function indexMap(dims: readonly number[], position: (at: readonly number[]) => number): Int32Array {
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

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((d, k) => d === b[k]);

/** Where each element of a broadcast comes from: axes are aligned at the right, those of size 1 repeat. */
export function broadcastPositions(own: readonly number[], dims: readonly number[]): Int32Array {
  if (isSame(own, dims)) return Int32Array.from({ length: elementCount(dims) }, (_, k) => k);
  const offset = dims.length - own.length;
  const strides = stridesOf(own);
  const steps = dims.map((_, k) => (k < offset || own[k - offset] === 1 ? 0 : strides[k - offset]!));
  return indexMap(dims, (at) => flatten(at, steps));
}

export { stridesOf };
