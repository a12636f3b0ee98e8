// Gradients of matrix products.
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules } from "../backward.ts";
import { integers, reshapeLike, unbroadcast } from "./shapes.ts";

const rank = (x: Value): number | undefined => x.type.shape?.length;

/** Op(a) op(b), each transposed or not, as one node. */
const product = (a: Value, b: Value, transA = 0, transB = 0): Value =>
  a.op("Gemm", [b, undefined], { transA, transB });

/** The last two axes exchanged. */
function transposed(x: Value): Value {
  const axes = Array.from({ length: rank(x)! }, (_, k) => k);
  return x.transpose([...axes.slice(0, -2), axes.at(-1)!, axes.at(-2)!]);
}

/** Stacks of matrices; a vector is a row on the left and a column on the right. */
const matmul: BackwardRule<"MatMul"> = ({ g, x: [a, b], fail }) => {
  const [left, right] = [rank(a), rank(b)];
  if (left === undefined || right === undefined) return fail("the rank of its inputs is not known");
  if (left === 2 && right === 2) return [() => product(g, b, 0, 1), () => product(a, g, 1, 0)];
  if (left > 2 && right === 2) {
    const rows = (x: Value): Value => {
      const width = x.type.shape!.at(-1);
      return typeof width === "number" ? x.reshape([-1, width]) : x.op("Flatten", [], { axis: rank(x)! - 1 });
    };
    return [() => g.matmul(b.transpose([1, 0])), () => product(rows(a), rows(g), 1, 0)];
  }
  const row = left === 1 ? a.op("Unsqueeze", [integers([0])]) : a;
  const column = right === 1 ? b.op("Unsqueeze", [integers([1])]) : b;
  const added = [...(left === 1 ? [right === 1 ? -1 : -2] : []), ...(right === 1 ? [-1] : [])];
  const full =
    left === 1 && right === 1
      ? g.reshape([1, 1])
      : added.length > 0
        ? g.op("Unsqueeze", [integers(added)])
        : g;
  return [
    () => reshapeLike(unbroadcast(full.matmul(transposed(column)), row), a),
    () => reshapeLike(unbroadcast(transposed(row).matmul(full), column), b),
  ];
};

/** y = alpha op(a) op(b) + beta c */
const gemm: BackwardRule<"Gemm"> = ({ g, x: [a, b], given }, { alpha, beta, transA, transB }) => {
  const scaled = (x: Value, factor: number) => (factor === 1 ? x : x.mul(factor));
  const c = given(2);
  return [
    () => scaled(transA ? product(b, g, transB, 1) : product(g, b, 0, transB ? 0 : 1), alpha),
    () => scaled(transB ? product(g, a, 1, transA) : product(a, g, transA ? 0 : 1, 0), alpha),
    c && (() => scaled(unbroadcast(g, c), beta)),
  ];
};

export const linear: BackwardRules = { MatMul: matmul, Gemm: gemm };
