import type { ActivationName } from "../../functions/activation.ts";
import type { SparseMatrix } from "../../graph/sparse.ts";

/** x -> W x + b. */
export interface Layer {
  readonly weights: SparseMatrix;
  readonly bias: Float64Array;
}

export interface Layered {
  /** In the order in which the input meets them; the activation stands between neighbours, not after the last. */
  readonly layers: readonly Layer[];
  readonly activation: ActivationName;
  /** False when a merge of affine maps had to round a weight: then the function is near the one meant, not it. */
  readonly exact: boolean;
}
