// What theorems ask about an activation.

/** What theorems ask about an activation rho. */
export interface ActivationFacts {
  /** The degree, if rho is a polynomial. */
  readonly polynomialDegree?: number;
  /** Limits at -inf and inf. */
  readonly limits: readonly [number | undefined, number | undefined];
  readonly bounded: boolean;
  /** The least Lipschitz constant; infinite if there is none. */
  readonly lipschitz: number;
  /** How many continuous derivatives: -1 for a jump, Infinity for a smooth function. */
  readonly smoothness: number;
  /** Polynomials of at most this degree between the breakpoints: breakpoints.length + 1 pieces. */
  readonly pieces?: { readonly breakpoints: readonly number[]; readonly degree: number };
  /** p with rho(c x) = c^p rho(x) for c > 0. */
  readonly homogeneity?: number;
  /** A point near which rho is smooth and no derivative up to order 12 is zero. */
  readonly genericPoint?: number;
}
