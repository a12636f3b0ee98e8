// Where elements stand: shapes and row-major positions for the operators that only move numbers.
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import { elementCount } from "../../graph/tensor.ts";

type Dims = readonly number[];

/** An axis counted from the end is made one counted from the start. */
export const axisOf = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

/** The numbers of elements before, along and after an axis. */
export const around = (dims: Dims, axis: number): readonly [number, number, number] => [
  elementCount(dims.slice(0, axis)),
  dims[axis]!,
  elementCount(dims.slice(axis + 1)),
];

export function broadcastDims(node: Node, a: Dims, b: Dims): Dims {
  const rank = Math.max(a.length, b.length);
  const [p, q] = [a, b].map((d) => [...Array<number>(rank - d.length).fill(1), ...d]) as [number[], number[]];
  return p.map((size, axis) => {
    if (size !== q[axis] && size !== 1 && q[axis] !== 1)
      throw new GraphError(`${describe(node)} cannot broadcast [${a}] and [${b}]`);
    return size === 1 ? q[axis]! : size;
  });
}

/** Rows, inner length and columns of a matrix product, and its shape; leading axes of the left side are rows. */
export function productShape(node: Node, a: Dims, b: Dims): readonly [number, number, number, Dims] {
  const inner = a.at(-1) ?? 0;
  const [left, right] = [a.slice(0, -1), b.slice(1)];
  if (b.length > 2 || b[0] !== inner)
    throw new GraphError(`${describe(node)} multiplies shapes [${a}] and [${b}]: no matrix product`);
  return [elementCount(left), inner, elementCount(right), [...left, ...right]];
}

export const flattenDims = (dims: Dims, axis: number): Dims => {
  const at = axisOf(axis, dims.length);
  return [elementCount(dims.slice(0, at)), elementCount(dims.slice(at))];
};

export function reshapeDims(node: Node, dims: Dims, target: ArrayLike<number>, allowZero: boolean): Dims {
  const wanted = Array.from(target, (d, axis) => (d === 0 && !allowZero ? (dims[axis] ?? 0) : d));
  const rest = elementCount(dims) / elementCount(wanted.filter((d) => d !== -1));
  const result = wanted.map((d) => (d === -1 ? rest : d));
  if (elementCount(result) !== elementCount(dims) || !result.every(Number.isInteger))
    throw new GraphError(
      `${describe(node)} cannot make [${Array.from(target)}] of [${dims}] for one example`,
    );
  return result;
}

export const squeezeDims = (dims: Dims, axes: ArrayLike<number> | undefined): Dims => {
  const gone = axes && new Set(Array.from(axes, (a) => axisOf(a, dims.length)));
  return dims.filter((d, axis) => (gone ? !gone.has(axis) : d !== 1));
};

export function unsqueezeDims(dims: Dims, axes: ArrayLike<number>): Dims {
  const rank = dims.length + axes.length;
  const added = new Set(Array.from(axes, (a) => axisOf(a, rank)));
  const old = [...dims];
  return Array.from({ length: rank }, (_, axis) => (added.has(axis) ? 1 : old.shift()!));
}
