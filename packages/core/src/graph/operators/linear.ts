// Matrix products.
import type { Dim, Shape } from "../graph.ts";
import { broadcast, differ, expectRank, formatShape } from "./dims.ts";
import { einsumShape } from "./einsum.ts";
import { operator } from "./operator.ts";
import { flag, float, type Inferred, required, type ShapeContext, string } from "./spec.ts";

function matrixProduct(
  a: Inferred | undefined,
  b: Inferred | undefined,
  context: ShapeContext,
): Shape | undefined {
  if (!a?.shape || !b?.shape) return undefined;
  const reason = `cannot multiply ${formatShape(a.shape)} by ${formatShape(b.shape)}`;
  if (a.shape.length === 0 || b.shape.length === 0) return context.fail(reason);
  // A vector is a row on the left, a column on the right; its added axis is dropped afterwards.
  const left: Shape = a.shape.length === 1 ? [1, ...a.shape] : a.shape;
  const right: Shape = b.shape.length === 1 ? [...b.shape, 1] : b.shape;
  if (differ(left.at(-1), right.at(-2))) context.fail(reason);
  const batch = broadcast([left.slice(0, -2), right.slice(0, -2)], { fail: () => context.fail(reason) });
  if (!batch) return undefined;
  // Stacks are spread over each other; ONNX Runtime does not do so where all sums are of nothing.
  const isSpread = [left, right].some(
    (side) => side.length !== batch.length + 2 || batch.some((d, k) => differ(d, side[k])),
  );
  if (left.at(-1) === 0 && isSpread) return undefined;
  const rows = a.shape.length === 1 ? [] : [left.at(-2)];
  const columns = b.shape.length === 1 ? [] : [right.at(-1)];
  return [...batch, ...rows, ...columns];
}

const side = (x: Inferred | undefined, transposed: boolean): readonly [Dim, Dim] =>
  transposed ? [x?.shape?.[1], x?.shape?.[0]] : [x?.shape?.[0], x?.shape?.[1]];

export const linear = {
  MatMul: operator({
    inputs: [2, 2],
    shape: ([a, b], _, context) => ({
      type: a?.type ?? b?.type ?? "undefined",
      shape: matrixProduct(a, b, context),
    }),
  }),
  Gemm: operator({
    inputs: [2, 3],
    attributes: { alpha: float(1), beta: float(1), transA: flag(0), transB: flag(0) },
    shape: ([a, b, c], { transA, transB }, context) => {
      expectRank(a, 2, context, "its first input");
      expectRank(b, 2, context, "its second input");
      const [rows, inner] = side(a, transA !== 0);
      const [innerToo, columns] = side(b, transB !== 0);
      const shape: Shape = [rows, columns];
      if (differ(inner, innerToo)) {
        const marks = `${transA ? " transposed" : ""} by ${formatShape(b?.shape)}${transB ? " transposed" : ""}`;
        context.fail(`cannot multiply ${formatShape(a?.shape)}${marks}`);
      }
      if (c?.shape) {
        const sum = broadcast([shape, c.shape], context)!;
        if (sum.length > 2 || sum.some((d, k) => differ(d, shape[k])))
          context.fail(`cannot add ${formatShape(c.shape)} to ${formatShape(shape)}`);
      }
      return { type: a?.type ?? b?.type ?? "undefined", shape };
    },
  }),
  Einsum: operator({
    inputs: [1, Number.POSITIVE_INFINITY],
    attributes: { equation: required(string()) },
    shape: (inputs, { equation }, context) => ({
      type: inputs.find((x) => x)?.type ?? "undefined",
      shape: einsumShape(
        equation,
        inputs.map((x) => x?.shape),
        context,
      ),
    }),
  }),
  Det: operator({
    inputs: [1, 1],
    shape: ([x], _, { fail }) => {
      const shape = x?.shape;
      if (shape && (shape.length < 2 || differ(shape.at(-1), shape.at(-2))))
        fail(`needs square matrices, not ${formatShape(shape)}`);
      return x && { type: x.type, shape: shape?.slice(0, -2) };
    },
  }),
};
