// Gradients of operators that only move numbers: they are moved back.
import type { BackwardRule, BackwardRules } from "../backward.ts";
import { constant } from "./elementwise.ts";
import { reshapeLike, unbroadcast } from "./shapes.ts";

type Mover = BackwardRule<"Identity">;
const reshaped: Mover = ({ g, x: [x] }) => [() => reshapeLike(g, x)];

export const reshaping: BackwardRules = {
  Identity: ({ g }) => [() => g],
  Reshape: reshaped,
  Flatten: reshaped,
  Squeeze: reshaped,
  Unsqueeze: reshaped,
  Transpose: ({ g, x: [x], fail }, { perm }) => {
    const rank = perm?.length ?? x.type.shape?.length;
    if (rank === undefined) return fail("the rank of its input is not known");
    const order = perm ?? Array.from({ length: rank }, (_, k) => rank - 1 - k);
    return [() => g.transpose(order.map((_, k) => order.indexOf(k)))];
  },
  Expand: ({ g, x: [x] }) => [() => unbroadcast(g, x)],
  Cast: ({ g, x: [x] }) => [() => g.op("CastLike", [x])],
  CastLike: ({ g, x: [x] }) => [() => g.op("CastLike", [x])],
  Shape: constant,
  Size: constant,
};
