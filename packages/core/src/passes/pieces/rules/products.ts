// Matrix products and Einstein sums in which all factors but one are constants.

import { broadcastPositions } from "../../../graph/elements/positions.ts";
import { type Exact, mul } from "../../../numbers/exact/rational.ts";
import type { Rules } from "../../pass.ts";
import { einsum } from "../einsum.ts";
import { affineImage, joined, type Terms } from "../linear.ts";
import { firstDims } from "../shape.ts";
import { constants, isConstant, type Pieces } from "../tensor.ts";
import { Unreadable } from "../unreadable.ts";

/** Which factor is the function: the left one unless only the right one is. */
function functionSide(a: Pieces, b: Pieces): "left" | "right" {
  if (isConstant(b)) return "left";
  if (isConstant(a)) return "right";
  throw new Unreadable("a product of two functions is not piecewise linear");
}

/** One row of A times one column of B, whose elements start somewhere and lie some step apart. */
function rowTimesColumn(
  { side, left, right }: { side: "left" | "right"; left: readonly unknown[]; right: readonly unknown[] },
  row: { readonly start: number; readonly step: number },
  column: { readonly start: number; readonly step: number },
  inner: number,
): Terms {
  const indices: number[] = [];
  const weights: Exact[] = [];
  for (let k = 0; k < inner; k++) {
    const [i, j] = [row.start + k * row.step, column.start + k * column.step];
    indices.push(side === "left" ? i : j);
    weights.push((side === "left" ? right[j] : left[i]) as Exact);
  }
  return { indices, weights };
}

/** Batched products, as MatMul has them: a vector is a row on the left and a column on the right. */
function matmul(a: Pieces, b: Pieces, dims: readonly number[]): Pieces {
  const leftDims = a.dims.length === 1 ? [1, ...a.dims] : a.dims;
  const rightDims = b.dims.length === 1 ? [...b.dims, 1] : b.dims;
  const [rows, inner, columns] = [leftDims.at(-2)!, leftDims.at(-1)!, rightDims.at(-1)!];
  if (inner === 0) throw new Unreadable("between its factors is nothing: what that gives differs");
  const batch = dims.slice(0, dims.length - (a.dims.length > 1 ? 1 : 0) - (b.dims.length > 1 ? 1 : 0));
  const leftBatch = broadcastPositions(leftDims.slice(0, -2), batch);
  const rightBatch = broadcastPositions(rightDims.slice(0, -2), batch);
  const side = functionSide(a, b);
  const factors = { side, left: a.elements, right: b.elements };
  const image = affineImage(side === "left" ? a : b, dims, (output) => {
    const n = Math.floor(output / (rows * columns));
    const [r, c] = [Math.floor(output / columns) % rows, output % columns];
    return rowTimesColumn(
      factors,
      { start: (leftBatch[n]! * rows + r) * inner, step: 1 },
      { start: rightBatch[n]! * inner * columns + c, step: columns },
      inner,
    );
  });
  return { ...image, type: a.type };
}

export const products: Rules<Pieces> = {
  MatMul: ([a, b], _, node) => matmul(a!, b!, firstDims(node, [a, b])),
  /** alpha A B + beta C. */
  Gemm: ([a, b, c], { alpha, beta, transA, transB }, node) => {
    const dims = firstDims(node, [a, b, c]);
    const columns = dims[1]!;
    const [rowCount, inner] = transA ? [a!.dims[1]!, a!.dims[0]!] : [a!.dims[0]!, a!.dims[1]!];
    const side = functionSide(a!, b!);
    const factors = { side, left: a!.elements, right: b!.elements };
    const { all, starts } = joined([side === "left" ? a! : b!, ...(c ? [c] : [])]);
    const biasAt = c && broadcastPositions(c.dims, dims);
    return affineImage(all, dims, (output) => {
      const [r, column] = [Math.floor(output / columns), output % columns];
      const { indices, weights } = rowTimesColumn(
        factors,
        transA ? { start: r, step: rowCount } : { start: r * inner, step: 1 },
        transB ? { start: column * inner, step: 1 } : { start: column, step: columns },
        inner,
      );
      const scaled = alpha === 1 ? weights : weights.map((w) => mul(w, alpha));
      if (!biasAt) return { indices, weights: scaled };
      return { indices: [...indices, starts[1]! + biasAt[output]!], weights: [...scaled, beta] };
    });
  },
  Einsum: (inputs, { equation }, node) => {
    const tensors = inputs as readonly Pieces[];
    const functions = tensors.filter((x) => !isConstant(x));
    if (functions.length > 1) throw new Unreadable("a product of two functions is not piecewise linear");
    const dims = firstDims(node, inputs);
    const x = functions[0] ?? tensors[0]!;
    const factors = tensors.map((t) => (t === x ? undefined : constants(t, "a factor")));
    const terms = einsum(
      equation,
      tensors.map((t) => t.dims),
      dims,
    );
    return affineImage(x, dims, (output) => {
      const indices: number[] = [];
      const weights: Exact[] = [];
      for (const positions of terms(output)) {
        let weight: Exact = 1;
        positions.forEach((position, k) => {
          const factor = factors[k];
          if (factor) weight = mul(weight, factor[position]!);
          else indices.push(position);
        });
        weights.push(weight);
      }
      return { indices, weights };
    });
  },
};
