// Is a critical point of a deep linear network the global minimum, a strict saddle, or one that second derivatives do not
// show (Theorem 4.4)?
import { doubles, matrixAlgebra } from "../../linear-algebra/matrix-algebra.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Covariances } from "./covariances.ts";
import { decomposed, linearMinimum } from "./global-minimum.ts";
import { type Chain, chainNorm, linearRisk } from "./linear-risk.ts";

export type DeepVerdict = "not critical" | "global minimum" | "strict saddle" | "degenerate saddle";

export interface DeepSaddle {
  readonly gradientNorm: number;
  /** The risk above the least one. */
  readonly excess: number;
  /** Rank of W_(L-1) ... W_2; of an empty product, the least hidden width. */
  readonly middleRank: number;
  readonly leastWidth: number;
  readonly leastEigenvalue: number;
  /** Theorem 4.4: a saddle whose middle product has full rank is strict. */
  readonly isStrictByRank: boolean;
  readonly verdict: DeepVerdict;
}

export interface DeepTolerances {
  /** Below these, relative to tr Syy, a gradient, an excess or an eigenvalue counts as 0. */
  readonly gradient?: number;
  readonly excess?: number;
  readonly eigenvalue?: number;
}

/**
 * Reads a point; the rank is decided beside the verdict, which is by the Hessian itself.
 * @example deepSaddle({ xx: [[1]], yx: [[1]], yy: [[1]] }, [[[0]], [[0]], [[0]]]).verdict // "degenerate saddle"
 */
export function deepSaddle(
  covariances: Covariances,
  weights: Chain,
  { gradient = 1e-9, excess: least = 1e-9, eigenvalue = 1e-9 }: DeepTolerances = {},
): DeepSaddle {
  const risk = linearRisk(matrixAlgebra(doubles), covariances);
  const widths = [weights[0]![0]!.length, ...weights.map((w) => w.length)];
  const scale = covariances.yy.reduce((sum, row, i) => sum + row[i]!, 0);
  const excess = risk.value(weights) - linearMinimum(covariances, widths).risk;
  const gradientNorm = chainNorm(risk.gradient(weights));
  const leastEigenvalue = symmetricEigen(risk.hessian(weights)).values[0]!;
  const leastWidth = Math.min(...widths.slice(1, -1));
  const middleRank = rankOf(weights.slice(1, -1)) ?? leastWidth;
  const verdict =
    gradientNorm > gradient * scale
      ? "not critical"
      : excess <= least * scale
        ? "global minimum"
        : leastEigenvalue < -eigenvalue * scale
          ? "strict saddle"
          : "degenerate saddle";
  const isStrictByRank = middleRank === leastWidth;
  return { gradientNorm, excess, middleRank, leastWidth, leastEigenvalue, isStrictByRank, verdict };
}

/** Of the product, from the input on. */
function rankOf(weights: Chain): number | undefined {
  if (weights.length === 0) return undefined;
  const whole = weights.reduce((product, w) => matrixAlgebra(doubles).product(w, product));
  const { values } = decomposed(whole);
  return values.filter((v) => v > 1e-9 * Math.max(...values)).length;
}
