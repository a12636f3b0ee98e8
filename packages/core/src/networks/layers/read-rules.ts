// What the linear operators of ONNX do to an affine function of the units of one layer.
import { broadcastPositions } from "../../graph/elements/positions.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import { type SparseMatrix, sparseMatrix } from "../../graph/sparse.ts";
import { elementCount } from "../../graph/tensor.ts";
import type { Rules } from "../../passes/pass.ts";
import {
  above,
  affineImage,
  combination,
  diagonal,
  fromDense,
  isUnit,
  product,
  type Rounded,
} from "./matrix.ts";
import {
  around,
  axisOf,
  broadcastDims,
  flattenDims,
  productShape,
  reshapeDims,
  squeezeDims,
  unsqueezeDims,
} from "./read-shapes.ts";

/** Elements (in row-major order) that are W u + b for the units u of a layer; without weights, constants. */
export interface AffineValue {
  readonly dims: readonly number[];
  /** How many activations came before; -1 for a constant. */
  readonly layer: number;
  readonly weights?: SparseMatrix;
  readonly bias: Float64Array;
}

/** A constant's numbers. */
function constant(node: Node, x: AffineValue | undefined): Float64Array {
  if (!x || x.weights) throw new GraphError(`${describe(node)} is not affine: it needs a constant there`);
  return x.bias;
}

/** The layer that both read; a constant goes with any. */
function commonLayer(node: Node, values: readonly AffineValue[]): number {
  const layers = new Set(values.map((x) => x.layer).filter((l) => l >= 0));
  if (layers.size > 1)
    throw new GraphError(`${describe(node)} joins values before and after an activation: no chain of layers`);
  return [...layers][0] ?? -1;
}

const filled = (count: number, value: number): Float64Array => new Float64Array(count).fill(value);

/** The rules; `onRounding` is called when a merge of affine maps had to round. */
export function affineRules(onRounding: () => void): Rules<AffineValue> {
  const kept = <T>({ value, exact }: Rounded<T>): T => {
    if (!exact) onRounding();
    return value;
  };

  /** T x. */
  const linear = (x: AffineValue, dims: readonly number[], t: SparseMatrix): AffineValue => ({
    dims,
    layer: x.layer,
    ...(x.weights && { weights: isUnit(x.weights) ? t : kept(product(t, x.weights)) }),
    bias: kept(affineImage(t, x.bias, filled(t.rows, 0))),
  });

  /** Copies of elements, by position. */
  const pick = (x: AffineValue, dims: readonly number[], positions: readonly number[]): AffineValue => {
    if (positions.length === x.bias.length && positions.every((p, k) => p === k)) return { ...x, dims };
    const entries = positions.map((p, k) => [k, p, 1] as const);
    return linear(x, dims, sparseMatrix(positions.length, x.bias.length, entries));
  };

  const scaled = (x: AffineValue, factors: Float64Array): AffineValue =>
    factors.every((c) => c === 1) ? x : linear(x, x.dims, diagonal(factors));

  const broadcast = (node: Node, x: AffineValue, y: AffineValue): readonly [AffineValue, AffineValue] => {
    const dims = broadcastDims(node, x.dims, y.dims);
    return [x, y].map((z) => pick(z, dims, [...broadcastPositions(z.dims, dims)])) as [
      AffineValue,
      AffineValue,
    ];
  };

  const sum = (node: Node, x: AffineValue, y: AffineValue): AffineValue => {
    const [a, b] = broadcast(node, x, y);
    const matrices = [a, b].flatMap((v) => v.weights ?? []);
    const add = () => kept(combination(filled(matrices.length, 1), matrices));
    return {
      dims: a.dims,
      layer: commonLayer(node, [a, b]),
      ...(matrices.length > 0 && { weights: matrices.length === 1 ? matrices[0]! : add() }),
      bias: kept(affineImage(diagonal(filled(b.bias.length, 1)), b.bias, a.bias)),
    };
  };
  const negative = (x: AffineValue): AffineValue => scaled(x, filled(x.bias.length, -1));

  const times = (node: Node, x: AffineValue, y: AffineValue): AffineValue => {
    const [a, b] = broadcast(node, x, y);
    return b.weights ? scaled(b, constant(node, a)) : scaled(a, b.bias);
  };

  const quotient = (node: Node, x: AffineValue, y: AffineValue): AffineValue => {
    const [a, b] = broadcast(node, x, y);
    const divisors = constant(node, b);
    // 1 / c is a double for powers of two only.
    if (!divisors.every((c) => Number.isInteger(Math.log2(Math.abs(c))))) onRounding();
    return scaled(
      a,
      divisors.map((c) => 1 / c),
    );
  };

  const matmul = (node: Node, x: AffineValue, y: AffineValue): AffineValue => {
    const [rows, inner, columns, dims] = productShape(node, x.dims, y.dims);
    if (y.weights) return linear(y, dims, spread(fromDense(rows, inner, constant(node, x)), 1, columns));
    return linear(x, dims, spread(fromDense(columns, inner, y.bias, true), rows, 1));
  };

  const transposed = (x: AffineValue, flag: number): AffineValue => {
    if (!flag) return x;
    const [rows, columns] = x.dims as readonly [number, number];
    const positions = Array.from(x.bias, (_, k) => (k % rows) * columns + Math.floor(k / rows));
    return pick(x, [columns, rows], positions);
  };

  return {
    Identity: ([x]) => x!,
    Dropout: ([x]) => x!,
    Flatten: ([x], { axis }) => ({ ...x!, dims: flattenDims(x!.dims, axis) }),
    Reshape: ([x, shape], { allowzero }, node) => ({
      ...x!,
      dims: reshapeDims(node, x!.dims, constant(node, shape), allowzero === 1),
    }),
    Squeeze: ([x, axes], _, node) => ({ ...x!, dims: squeezeDims(x!.dims, axes && constant(node, axes)) }),
    Unsqueeze: ([x, axes], _, node) => ({ ...x!, dims: unsqueezeDims(x!.dims, constant(node, axes)) }),
    Neg: ([x]) => negative(x!),
    Add: ([x, y], _, node) => sum(node, x!, y!),
    Sub: ([x, y], _, node) => sum(node, x!, negative(y!)),
    Mul: ([x, y], _, node) => times(node, x!, y!),
    Div: ([x, y], _, node) => quotient(node, x!, y!),
    MatMul: ([x, y], _, node) => matmul(node, x!, y!),
    Gemm: ([x, y, bias], { alpha, beta, transA, transB }, node) => {
      const xy = matmul(node, transposed(x!, transA), transposed(y!, transB));
      const main = scaled(xy, filled(xy.bias.length, alpha));
      return bias ? sum(node, main, scaled(bias, filled(bias.bias.length, beta))) : main;
    },
    Gather: ([x, indices], { axis }, node) => {
      const at = axisOf(axis, x!.dims.length);
      const [outer, size, inner] = around(x!.dims, at);
      const chosen = constant(node, indices).map((i) => axisOf(i, size));
      const positions: number[] = [];
      for (let o = 0; o < outer; o++)
        for (const i of chosen) for (let k = 0; k < inner; k++) positions.push((o * size + i) * inner + k);
      return pick(x!, [...x!.dims.slice(0, at), ...indices!.dims, ...x!.dims.slice(at + 1)], positions);
    },
    ReduceSum: ([x, axes], { keepdims }, node) => {
      const { dims } = x!;
      const chosen = axes
        ? Array.from(constant(node, axes), (a) => axisOf(a, dims.length))
        : [...dims.keys()];
      const summed = dims.map((d, axis) => (chosen.includes(axis) ? 1 : d));
      const result = keepdims ? summed : dims.filter((_, axis) => !chosen.includes(axis));
      const entries = Array.from(broadcastPositions(summed, dims), (row, k) => [row, k, 1] as const);
      return linear(x!, result, sparseMatrix(elementCount(summed), x!.bias.length, entries));
    },
    Concat: (inputs, { axis }, node) => {
      const parts = inputs.map((x) => x!);
      const layer = commonLayer(node, parts);
      const at = axisOf(axis, parts[0]!.dims.length);
      const dims = parts[0]!.dims.with(
        at,
        parts.reduce((total, p) => total + p.dims[at]!, 0),
      );
      const units = parts.find((p) => p.weights)?.weights?.columns;
      const matrices = parts.map((p) => p.weights ?? sparseMatrix(p.bias.length, units ?? 0, []));
      const stacked: AffineValue = {
        dims,
        layer,
        ...(units !== undefined && { weights: above(matrices) }),
        bias: Float64Array.from(parts.flatMap((p) => [...p.bias])),
      };
      return pick(stacked, dims, concatPositions(parts, at));
    },
  };
}

/** I_before (x) T (x) I_after: T along one axis of a tensor. */
function spread(t: SparseMatrix, before: number, after: number): SparseMatrix {
  if (before === 1 && after === 1) return t;
  const entries: [number, number, number][] = [];
  for (let o = 0; o < before; o++)
    for (let r = 0; r < t.rows; r++)
      for (let k = t.starts[r]!; k < t.starts[r + 1]!; k++)
        for (let i = 0; i < after; i++)
          entries.push([
            (o * t.rows + r) * after + i,
            (o * t.columns + t.columnOf[k]!) * after + i,
            t.values[k]!,
          ]);
  return sparseMatrix(before * t.rows * after, before * t.columns * after, entries);
}

/** Positions, in the parts one after the other, of the elements of their concatenation along an axis. */
function concatPositions(parts: readonly AffineValue[], axis: number): number[] {
  const outer = around(parts[0]!.dims, axis)[0];
  const positions: number[] = [];
  for (let o = 0; o < outer; o++) {
    let start = 0;
    for (const { bias } of parts) {
      const block = bias.length / outer;
      for (let k = 0; k < block; k++) positions.push(start + o * block + k);
      start += bias.length;
    }
  }
  return positions;
}
