// Products of matrices, Einstein sums and convolutions.

import { broadcastPositions } from "../../graph/elements/positions.ts";
import { elementCount } from "../../graph/tensor.ts";
import {
  add,
  arePoints,
  emptyIntervals,
  type IntervalArray,
  intervalAt,
  matrixProduct,
  mul,
  type ProductSize,
  point,
} from "../../numbers/interval/index.ts";
import type { Rules } from "../pass.ts";
import { einsum } from "../pieces/einsum.ts";
import { combined, withoutInfinities } from "./elementwise.ts";
import { firstDims, type IntervalTensor, mapped, moved, Unreadable } from "./tensor.ts";

/** A part of an array, without a copy. */
const part = ({ lower, upper }: IntervalArray, start: number, length: number): IntervalArray => {
  const low = lower.subarray(start, start + length);
  return { lower: low, upper: lower === upper ? low : upper.subarray(start, start + length) };
};

/** Batched products, as MatMul has them: a vector is a row on the left and a column on the right. */
function matmul(a: IntervalTensor, b: IntervalTensor, dims: readonly number[]): IntervalTensor {
  const leftDims = a.dims.length === 1 ? [1, ...a.dims] : a.dims;
  const rightDims = b.dims.length === 1 ? [...b.dims, 1] : b.dims;
  const size: ProductSize = { rows: leftDims.at(-2)!, inner: leftDims.at(-1)!, columns: rightDims.at(-1)! };
  if (size.inner === 0) throw new Unreadable("between its factors is nothing: what that gives differs");
  const batch = dims.slice(0, dims.length - (a.dims.length > 1 ? 1 : 0) - (b.dims.length > 1 ? 1 : 0));
  const leftAt = broadcastPositions(leftDims.slice(0, -2), batch);
  const rightAt = broadcastPositions(rightDims.slice(0, -2), batch);
  const result = emptyIntervals(elementCount(dims));
  const [left, right] = [size.rows * size.inner, size.inner * size.columns];
  for (let n = 0; n < leftAt.length; n++) {
    const product = matrixProduct(
      part(a, leftAt[n]! * left, left),
      part(b, rightAt[n]! * right, right),
      size,
    );
    result.lower.set(product.lower, n * size.rows * size.columns);
    result.upper.set(product.upper, n * size.rows * size.columns);
  }
  return { type: a.type, dims, ...result };
}

/** A matrix with rows and columns swapped. */
export function transposed(x: IntervalTensor): IntervalTensor {
  const [rows, columns] = x.dims as readonly [number, number];
  const positions = Int32Array.from(
    { length: rows * columns },
    (_, k) => (k % rows) * columns + Math.floor(k / rows),
  );
  return moved(x, [columns, rows], positions);
}

const scaled = (x: IntervalTensor, factor: number): IntervalTensor =>
  factor === 1 ? x : mapped(x, (a) => mul(point(factor), a));

/** sum of products, by the positions that the equation lists for each output. */
function einsteinSum(
  tensors: readonly IntervalTensor[],
  equation: string,
  dims: readonly number[],
): IntervalTensor {
  const terms = einsum(
    equation,
    tensors.map((t) => t.dims),
    dims,
  );
  const result = emptyIntervals(elementCount(dims));
  for (let output = 0; output < result.lower.length; output++) {
    let sum = point(0);
    for (const positions of terms(output)) {
      const product = positions.map((at, k) => intervalAt(tensors[k]!, at)).reduce(mul);
      sum = add(sum, product);
    }
    result.lower[output] = sum.lower;
    result.upper[output] = sum.upper;
  }
  return {
    type: tensors[0]!.type,
    dims,
    lower: result.lower,
    upper: arePoints(result) ? result.lower : result.upper,
  };
}

export const products: Rules<IntervalTensor> = {
  MatMul: ([a, b], _, node) => matmul(withoutInfinities(a!), withoutInfinities(b!), firstDims(node, [a, b])),
  /** alpha A B + beta C. */
  Gemm: ([a, b, c], { alpha, beta, transA, transB }, node) => {
    const dims = firstDims(node, [a, b, c]);
    const left = withoutInfinities(transA ? transposed(a!) : a!);
    const right = withoutInfinities(transB ? transposed(b!) : b!);
    const product = scaled(matmul(left, right, dims), alpha);
    return c ? combined(product, scaled(c, beta), dims, add) : product;
  },
  Einsum: (inputs, { equation }, node) =>
    einsteinSum(
      (inputs as readonly IntervalTensor[]).map(withoutInfinities),
      equation,
      firstDims(node, inputs),
    ),
};
