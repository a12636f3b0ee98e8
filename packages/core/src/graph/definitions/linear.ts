// Matrix products and the determinant.
import type { Value } from "../value.ts";
import { type Definitions, fixedSizes, shapeOf } from "./definition.ts";
import { integers, where } from "./expression.ts";

/** One step of Gaussian elimination with row pivoting on [..., n, n]. */
function eliminate(matrix: Value, rank: number, n: number): { readonly pivot: Value; readonly rest: Value } {
  const [rowAxis, columnAxis] = [rank - 2, rank - 1];
  const column = matrix.slice(columnAxis, 0, 1);
  const greatest = column.abs().op("ArgMax", [], { axis: rowAxis });
  const isPivot = matrix.builder.weight(integers([...Array(n).keys()], [n, 1])).op("Equal", [greatest]);
  const pivotRow = where(isPivot, matrix, 0, matrix).sum([rowAxis], 1);
  // The first row goes where the pivot row was.
  const others = where(isPivot, matrix.slice(rowAxis, 0, 1), matrix, matrix).slice(rowAxis, 1, n);
  const pivot = pivotRow.slice(columnAxis, 0, 1);
  const divisor = where(pivot.op("Equal", [0]), 1, pivot, matrix);
  const factors = others.slice(columnAxis, 0, 1).div(divisor);
  const rest = others.slice(columnAxis, 1, n).sub(factors.mul(pivotRow.slice(columnAxis, 1, n)));
  return { pivot: where(greatest.op("Equal", [0]), pivot, pivot.neg(), matrix), rest };
}

export const linear: Definitions = {
  Gemm: ([a, b, c], { alpha, beta, transA, transB }) => {
    const left = transA === 0 ? a! : a!.transpose([1, 0]);
    const right = transB === 0 ? b! : b!.transpose([1, 0]);
    const plain = left.matmul(right);
    const product = alpha === 1 ? plain : plain.mul(alpha);
    if (!c) return product;
    return product.add(beta === 1 ? c : c.mul(beta));
  },
  /** The product of the pivots, with the sign of the row swaps. */
  Det: ([x], _, node) => {
    const rank = shapeOf(x!, node).length;
    const [size] = fixedSizes(x!, rank - 2, node) as [number, number];
    let [matrix, determinant] = [x!, undefined as Value | undefined];
    for (let n = size; n > 1; n--) {
      const { pivot, rest } = eliminate(matrix, rank, n);
      determinant = determinant ? determinant.mul(pivot) : pivot;
      matrix = rest;
    }
    const product = determinant ? determinant.mul(matrix) : matrix;
    return product.op("Squeeze", [integers([rank - 2, rank - 1])]);
  },
};
