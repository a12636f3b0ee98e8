// The gradient of the determinant: the matrix of cofactors.
import type { Tensor } from "../../graph/tensor.ts";
import { tensor } from "../../graph/tensor.ts";
import type { BackwardRules } from "../backward.ts";
import { integers } from "./shapes.ts";

/** There are n^2 cofactors of (n-1)^3 operations each: beyond this size they are not written out. */
const greatestSize = 8;

/** Row i: all numbers below n but i. */
const others = (n: number): Tensor =>
  tensor(
    Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, k) => k).filter((k) => k !== i)),
    { type: "int64", dims: [n, n - 1] },
  );

export const determinant: BackwardRules = {
  // d det X / dX[i,j] = (-1)^(i+j) det(X without row i and column j), for singular matrices too.
  Det: ({ g, x: [x], fail }) => {
    const n = x.type.shape?.at(-1);
    const rank = x.type.shape?.length;
    if (typeof n !== "number" || rank === undefined) return fail("the size of its matrices is not known");
    if (n > greatestSize) return fail(`no gradient for matrices beyond ${greatestSize} x ${greatestSize}`);
    return [
      () => {
        const spread = g.op("Unsqueeze", [integers([-2, -1])]);
        if (n === 1) return spread;
        const rows = x.op("Gather", [others(n)], { axis: rank - 2 });
        const minors = rows.op("Gather", [others(n)], { axis: rank });
        const batch = Array.from({ length: rank - 2 }, (_, k) => k);
        const b = batch.length;
        const cofactors = minors.transpose([...batch, b, b + 2, b + 1, b + 3]).op("Det");
        const signs = tensor(
          Array.from({ length: n }, (_, i) =>
            Array.from({ length: n }, (_, j) => ((i + j) % 2 === 0 ? 1 : -1)),
          ),
          { type: x.type.type as "float64" },
        );
        return spread.mul(cofactors.mul(signs));
      },
    ];
  },
};
