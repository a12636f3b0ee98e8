// Parts of tensors along one axis.
import { encode, type FloatType, numbers, type Tensor } from "../../graph/tensor.ts";

const outerInner = (dims: readonly number[], axis: number): readonly [number, number] => [
  dims.slice(0, axis).reduce((a, b) => a * b, 1),
  dims.slice(axis + 1).reduce((a, b) => a * b, 1),
];

/** Calls `visit(position, k)` for each element: k is its place along the axis. */
export function alongAxis(
  dims: readonly number[],
  axis: number,
  visit: (position: number, k: number) => void,
): void {
  const [outer, inner] = outerInner(dims, axis);
  const size = dims[axis]!;
  for (let o = 0, position = 0; o < outer; o++)
    for (let k = 0; k < size; k++) for (let i = 0; i < inner; i++) visit(position++, k);
}

/** The tensor with these places along an axis only. */
export function keepPlaces(tensor: Tensor, axis: number, kept: (place: number) => boolean): Tensor {
  const values = numbers(tensor);
  const some: number[] = [];
  alongAxis(tensor.dims, axis, (position, k) => {
    if (kept(k)) some.push(Number(values[position]));
  });
  const places = Array.from({ length: tensor.dims[axis]! }, (_, k) => k).filter(kept);
  return {
    type: tensor.type,
    dims: tensor.dims.with(axis, places.length),
    data: encode(some, tensor.type as FloatType),
  };
}

/** The numbers of each unit, in their order: unitAt says whose the places along the axis are. */
export function byUnit(
  dims: readonly number[],
  axis: number,
  unitAt: Int32Array,
  values: ArrayLike<number>,
  units: number,
): readonly number[][] {
  const parts: number[][] = Array.from({ length: units }, () => []);
  alongAxis(dims, axis, (position, k) => {
    if (unitAt[k]! >= 0) parts[unitAt[k]!]!.push(Number(values[position]));
  });
  return parts;
}
