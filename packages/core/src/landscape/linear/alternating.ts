// Alternating least squares for a linear network with one hidden layer: each factor best for the other one (Lemma 4.1).
import { doubles, matrixAlgebra } from "../../linear-algebra/matrix-algebra.ts";
import type { Covariances } from "./covariances.ts";
import type { Chain } from "./linear-risk.ts";

/** U = Syx V (V^T Sxx V)^-1: the best second layer, V of full column rank. */
export function bestOutput({ xx, yx }: Covariances, [first]: Chain): Chain {
  const { product, transpose, inverse } = matrixAlgebra(doubles);
  const v = transpose(first!);
  return [first!, product(yx, v, inverse(product(first!, xx, v)))];
}

/** V = Sxx^-1 Sxy U (U^T U)^-1: the best first layer, U of full column rank. */
export function bestInput({ xx, yx }: Covariances, [, second]: Chain): Chain {
  const { product, transpose, inverse } = matrixAlgebra(doubles);
  const ut = transpose(second!);
  return [product(inverse(product(ut, second!)), ut, yx, inverse(xx)), second!];
}

/**
 * What Lemma 4.1 has vanish at critical points: |U V^T Sxx V - Syx V|, |Sxx V U^T U - Sxy U| and |Sigma P_U - P_U Sigma|.
 * @example criticalResiduals({ xx: [[1]], yx: [[2]], yy: [[5]] }, [[[1]], [[2]]]) // { output: 0, input: 0, commutator: 0 }
 */
export function criticalResiduals(
  { xx, yx }: Covariances,
  [first, second]: Chain,
): { readonly output: number; readonly input: number; readonly commutator: number } {
  const { product, transpose, inverse, minus } = matrixAlgebra(doubles);
  const [v, ut] = [transpose(first!), transpose(second!)];
  const norm = (a: readonly (readonly number[])[]): number => Math.hypot(...a.flat());
  const projector = product(second!, inverse(product(ut, second!)), ut);
  const sigma = product(yx, inverse(xx), transpose(yx));
  return {
    output: norm(minus(product(second!, first!, xx, v), product(yx, v))),
    input: norm(minus(product(xx, v, ut, second!), product(transpose(yx), second!))),
    commutator: norm(minus(product(sigma, projector), product(projector, sigma))),
  };
}
