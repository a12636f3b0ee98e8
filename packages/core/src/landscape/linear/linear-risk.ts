// The squared risk of a linear network W_L ... W_1 by its covariances: value, gradient, curvature, in doubles or exactly.
import type { MatrixAlgebra, MatrixOf } from "../../linear-algebra/matrix-algebra.ts";
import type { Covariances } from "./covariances.ts";

/** W_1, ..., W_L, from the input on: W_l has one row an output. */
export type Chain<T = number> = readonly MatrixOf<T>[];

export interface LinearRisk<T> {
  /** R = tr(Syy - 2 Syx Z^T + Z Sxx Z^T), Z = W_L ... W_1: the mean of |y - Z x|^2. */
  value(weights: Chain<T>): T;
  /** 2 A_l^T (Z Sxx - Syx) B_l^T, A_l = W_L ... W_(l+1), B_l = W_(l-1) ... W_1. */
  gradient(weights: Chain<T>): Chain<T>;
  /** The derivative of the gradient along a direction. */
  curvature(weights: Chain<T>, direction: Chain<T>): Chain<T>;
  /** <D, H D>, twice the coefficient of t^2 in R(W + t D). */
  form(weights: Chain<T>, direction: Chain<T>): T;
  /** H as a matrix, the entries of W_1 first, row by row. */
  hessian(weights: Chain<T>): MatrixOf<T>;
}

/** A product of some of the weights, and its derivative along the direction. */
interface Moving<T> {
  readonly at: MatrixOf<T>;
  readonly by: MatrixOf<T>;
}

/**
 * The risk of linear networks of any depth.
 * @example linearRisk(matrixAlgebra(doubles), { xx: [[1]], yx: [[2]], yy: [[5]] }).value([[[1]], [[1]]]) // 2
 */
export function linearRisk<T>(algebra: MatrixAlgebra<T>, { xx, yx, yy }: Covariances<T>): LinearRisk<T> {
  const { scalars, identity, product, plus, minus, times, transpose, inner, trace, zeros } = algebra;
  const two = scalars.of(2);
  const residual = (z: MatrixOf<T>): MatrixOf<T> => minus(product(z, xx), yx);

  /** Products of the first l weights, for l = 0, ..., L. */
  const fromInput = (weights: Chain<T>): readonly MatrixOf<T>[] => {
    const all = [identity(xx.length)];
    for (const w of weights) all.push(product(w, all.at(-1)!));
    return all;
  };
  /** Products of those after the first l, for l = 0, ..., L. */
  const toOutput = (weights: Chain<T>): readonly MatrixOf<T>[] => {
    const all = [identity(yy.length)];
    for (const w of weights.toReversed()) all.push(product(all.at(-1)!, w));
    return all.toReversed();
  };

  const movingFromInput = (weights: Chain<T>, direction: Chain<T>): readonly Moving<T>[] => {
    const all: Moving<T>[] = [{ at: identity(xx.length), by: zeros(xx.length, xx.length) }];
    weights.forEach((w, l) => {
      const { at, by } = all[l]!;
      all.push({ at: product(w, at), by: plus(product(w, by), product(direction[l]!, at)) });
    });
    return all;
  };
  const movingToOutput = (weights: Chain<T>, direction: Chain<T>): readonly Moving<T>[] => {
    const all: Moving<T>[] = [{ at: identity(yy.length), by: zeros(yy.length, yy.length) }];
    for (let l = weights.length - 1; l >= 0; l--) {
      const { at, by } = all.at(-1)!;
      all.push({
        at: product(at, weights[l]!),
        by: plus(product(by, weights[l]!), product(at, direction[l]!)),
      });
    }
    return all.toReversed();
  };

  const risk: LinearRisk<T> = {
    value(weights) {
      const z = fromInput(weights).at(-1)!;
      const zt = transpose(z);
      return scalars.add(
        scalars.sub(trace(yy), scalars.mul(two, trace(product(yx, zt)))),
        trace(product(z, xx, zt)),
      );
    },
    gradient(weights) {
      const [before, after] = [fromInput(weights), toOutput(weights)];
      const e = residual(before.at(-1)!);
      return weights.map((_, l) => times(two, product(transpose(after[l + 1]!), e, transpose(before[l]!))));
    },
    curvature(weights, direction) {
      const before = movingFromInput(weights, direction);
      const after = movingToOutput(weights, direction);
      const { at: z, by: dz } = before.at(-1)!;
      const [e, de] = [residual(z), product(dz, xx)];
      return weights.map((_, l) => {
        const [a, b] = [after[l + 1]!, before[l]!];
        return times(
          two,
          plus(
            product(transpose(a.by), e, transpose(b.at)),
            product(transpose(a.at), de, transpose(b.at)),
            product(transpose(a.at), e, transpose(b.by)),
          ),
        );
      });
    },
    form: (weights, direction) =>
      risk
        .curvature(weights, direction)
        .map((h, l) => inner(h, direction[l]!))
        .reduce(scalars.add),
    hessian: (weights) =>
      unitDirections(algebra, weights).map((direction) => risk.curvature(weights, direction).flat(2)),
  };
  return risk;
}

/** One entry 1, the others 0, for every entry. */
function unitDirections<T>({ scalars, zeros }: MatrixAlgebra<T>, weights: Chain<T>): readonly Chain<T>[] {
  const one = scalars.of(1);
  return weights.flatMap((w, l) =>
    w.flatMap((row, i) =>
      row.map((_, j) =>
        weights.map((other, m) =>
          m !== l
            ? zeros(other.length, other[0]!.length)
            : other.map((r, a) => r.map((__, b) => (a === i && b === j ? one : scalars.of(0)))),
        ),
      ),
    ),
  );
}

/** W + t D. */
export const moved = (weights: Chain, direction: Chain, t: number): Chain =>
  weights.map((w, l) => w.map((row, i) => row.map((x, j) => x + t * direction[l]![i]![j]!)));

/** The square root of the sum of all squares. */
export const chainNorm = (chain: Chain): number => Math.hypot(...chain.flat(2));
