import type { LinearLayer } from "./linear-layers.ts";
import type { OperatorNorm } from "./operator-norm.ts";
import type { ToeplitzNorms } from "./toeplitz.ts";

export interface LayerMeasures {
  readonly name: string;
  readonly op: string;
  readonly kind: LinearLayer["kind"];
  /** Of the matrix, or of the kernel as a matrix. */
  readonly shape: readonly [outputs: number, inputs: number];
  readonly parameters: number;
  /** Of the weights as stored; of a convolution, each weight once. */
  readonly frobenius: number;
  /** The sum of the Euclidean norms of the rows: |A^T|_{2,1}. */
  readonly norm21: number;
  /** The greatest sum of magnitudes of a row: |A|_inf, as a map in the maximum norm. */
  readonly normInfinity: number;
  /** The true operator norm in the Euclidean norm. */
  readonly spectral: OperatorNorm;
  /** |A|_F^2 / |A|_2^2 of the matrix; of a convolution, of its operator, as `toeplitz` and `spectral` have them. */
  readonly stableRank: number;
  /** (sum s^2)^2 / sum s^4 over the singular values. */
  readonly participationRank?: number;
  /** exp of the entropy of the singular values, made to sum to 1 (Roy and Vetterli). */
  readonly effectiveRank?: number;
  /** Descending; those below 1e-8 of the greatest are rounding. Of a convolution: of its kernel as a matrix. */
  readonly singularValues?: readonly number[];
  /** Of a convolution, as a matrix with zero padding and strides. */
  readonly toeplitz?: ToeplitzNorms;
  readonly fromInitial?: InitialDistance;
}

/** How far a layer has gone from its start. */
export interface InitialDistance {
  /** Of a convolution, each weight once. */
  readonly frobenius: number;
  /** Of a convolution: of the operator, as `spectral` is. */
  readonly operatorFrobenius?: number;
  readonly spectral: number;
  readonly norm21: number;
}
