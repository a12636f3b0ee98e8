// Rademacher complexity of networks without biases by the norms of their layers.

/** 2^(L-1): every activation costs a factor 2 (Neyshabur et al. 2015; the book's Theorem 1.23). */
export const exponentialDepthFactor = (depth: number): number => 2 ** (depth - 1);

/**
 * sqrt(2 ln 2 (L - 1)) + 1 (Golowich, Rakhlin and Shamir 2018, with the L - 1 layers that carry an activation). With
 * absolute values too: the last layer has either sign.
 * @example depthFreeFactor(5) // 3.354...
 */
export const depthFreeFactor = (depth: number): number => Math.sqrt(2 * Math.LN2 * (depth - 1)) + 1;

export interface NormClass {
  /** Matrices of weights, one after the other; the last one is linear with one output. */
  readonly depth: number;
  /** prod |W_l|_F. */
  readonly normProduct: number;
  /** sqrt(sum_i |x_i|^2) over the sample. */
  readonly dataNorm: number;
  readonly n: number;
}

/**
 * E sup_f (1/n) sum tau_i f(x_i) <= factor(L) prod |W_l|_F sqrt(sum |x_i|^2) / n, by the smaller of the two factors.
 * @example normRademacher({ depth: 1, normProduct: 2, dataNorm: 10, n: 100 }) // 0.2
 */
export const normRademacher = ({ depth, normProduct, dataNorm, n }: NormClass): number =>
  (Math.min(exponentialDepthFactor(depth), depthFreeFactor(depth)) * normProduct * dataNorm) / n;
