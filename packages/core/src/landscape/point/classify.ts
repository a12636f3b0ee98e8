// What kind of point: by the gradient and the ends of the Hessian's spectrum, with the tolerances that decide.

export type PointKind = "not critical" | "minimum" | "strict saddle" | "degenerate" | "maximum";

export interface PointFacts {
  readonly gradientNorm: number;
  readonly min: number;
  readonly max: number;
  /** How far the ends may be off. */
  readonly residual: { readonly min: number; readonly max: number };
}

export interface PointTolerances {
  /** A gradient of no greater norm counts as 0. */
  readonly gradient: number;
  /** An eigenvalue no larger in size counts as 0. */
  readonly curvature: number;
}

/**
 * minimum: all eigenvalues above the tolerance; strict saddle: one below minus it (and one above: else a maximum);
 * degenerate: second derivatives do not decide.
 * @example classifyPoint({ gradientNorm: 0, min: -1, max: 2, residual: { min: 0, max: 0 } }, { gradient: 1e-6, curvature: 1e-6 }) // "strict saddle"
 */
export function classifyPoint(
  { gradientNorm, min, max, residual }: PointFacts,
  tolerances: PointTolerances,
): PointKind {
  if (!(gradientNorm <= tolerances.gradient)) return "not critical";
  // The least Ritz value is never below the least eigenvalue: negative curvature that is seen is there.
  if (min < -tolerances.curvature)
    return max + residual.max < -tolerances.curvature ? "maximum" : "strict saddle";
  return min - residual.min > tolerances.curvature ? "minimum" : "degenerate";
}
