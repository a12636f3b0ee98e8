// Squares and products by folds. With s_0 = t and s_j = |s_{j-1}| - h_j, s_{j-1}^2 = s_j^2 + 2 h_j s_j + h_j^2, so
// t^2 = sum_j (2 h_j s_j + h_j^2) + s_m^2 for any h. What the network makes of the s_j is compared with that.

import type { Exact } from "../numbers/exact/rational.ts";
import * as X from "../numbers/exact/rational.ts";
import type { Scalar } from "./circuit.ts";
import { Refutation } from "./error.ts";
import { absolute, affineIn, plus, type Span, size, spanOf, times, total } from "./linear.ts";

/** Values of a chain: the folds s_0 ... s_m, and about t^2. */
export interface Chain {
  readonly folds: readonly Scalar[];
  readonly square: Scalar;
}

/** c_0 + sum_k c_k u_k, by argument. */
interface Linear {
  readonly bias: Exact;
  readonly weights: readonly Exact[];
}

function linearIn(value: Scalar, args: readonly Scalar[], where: string): Linear {
  const { bias, of } = affineIn(value, new Set(args), where);
  return { bias, weights: args.map((u) => of.get(u) ?? 0) };
}

const rangeOf = ({ bias, weights }: Linear, ranges: readonly Span[]): Span =>
  weights.reduce((sum, w, k) => plus(sum, times(w, ranges[k]!)), spanOf(bias));

/** All values of square - t^2 for t in the span. */
function chainError({ folds, square }: Chain, t: Span, where: string): Span {
  const { bias, of } = affineIn(square, new Set(folds), where);
  let [s, error] = [t, plus(spanOf(bias), times(of.get(folds[0]!) ?? 0, t))];
  for (let j = 1; j < folds.length; j++) {
    const fold = folds[j]!;
    const before = folds[j - 1]!;
    const { bias: shift, of: bent } = affineIn(fold, new Set(), where, true);
    const [[only, weight] = [undefined, 0]] = [...bent];
    if (bent.size !== 1 || only?.kind !== "abs" || only.of !== before || weight !== 1)
      throw new Refutation(where, `fold ${j} is not |s| - h of the one before`);
    const h = X.neg(shift);
    s = plus(absolute(s), spanOf(shift));
    error = plus(error, times(X.sub(of.get(fold) ?? 0, X.mul(2, h)), s));
    error = plus(error, spanOf(X.neg(X.mul(h, h))));
  }
  const last = size(s);
  return plus(error, { lower: X.neg(X.mul(last, last)), upper: 0 });
}

/**
 * A bound of |output - target| where the output is a sum of gains times chains and an affine function of the arguments,
 * and the target is the product of the first and the last argument: u^2 of one, u v of two.
 */
export function quadraticError(
  output: Scalar,
  chains: readonly Chain[],
  args: readonly Scalar[],
  ranges: readonly Span[],
  where: string,
): Exact {
  const basis = new Set([...chains.map((c) => c.square), ...args]);
  if (basis.size < chains.length + args.length)
    throw new Refutation(where, "a value is used as two of its squares and arguments");
  const { bias, of } = affineIn(output, basis, where);
  const linear: Exact[] = args.map((u) => of.get(u) ?? 0);
  const quadratic: Exact[][] = args.map((_, j) =>
    args.map((_, k) => (j === 0 && k === args.length - 1 ? -1 : 0)),
  );
  let constant = bias;
  const errors = chains.map((chain) => {
    const gain = of.get(chain.square) ?? 0;
    const t = linearIn(chain.folds[0]!, args, where);
    constant = X.add(constant, X.mul(gain, X.mul(t.bias, t.bias)));
    t.weights.forEach((a, j) => {
      linear[j] = X.add(linear[j]!, X.mul(X.mul(2, gain), X.mul(a, t.bias)));
      t.weights.forEach((b, k) => {
        quadratic[j]![k] = X.add(quadratic[j]![k]!, X.mul(gain, X.mul(a, b)));
      });
    });
    return times(gain, chainError(chain, rangeOf(t, ranges), where));
  });
  const most = ranges.map(size);
  const products = args.flatMap((_, j) =>
    args.slice(j).map((_, d) => {
      const k = j + d;
      const c = j === k ? quadratic[j]![j]! : X.add(quadratic[j]![k]!, quadratic[k]![j]!);
      return X.mul(X.abs(c), X.mul(most[j]!, most[k]!));
    }),
  );
  const defect = total([X.abs(constant), ...linear.map((c, k) => X.mul(X.abs(c), most[k]!)), ...products]);
  return X.add(size(errors.reduce(plus)), defect);
}
