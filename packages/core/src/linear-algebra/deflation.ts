// What a rank-one change leaves as it is: where z_j is negligible, or two poles are so near that a rotation makes one z_j
// negligible. Only what remains has to be solved for (Dongarra and Sorensen 1987).

export interface Deflation {
  /** Indices of what remains, with ascending d, no two the same. */
  readonly kept: number[];
  /** Indices of what is an eigenpair already. */
  readonly deflated: number[];
}

export interface DeflationInput {
  readonly d: Float64Array;
  readonly z: Float64Array;
  /** Indices by ascending d. */
  readonly order: readonly number[];
  /** What counts as zero: of rho |z_j|, and of what a rotation leaves off the diagonal. */
  readonly rho: number;
  readonly tolerance: number;
  /** Vectors p and q become c q_p + s q_q and c q_q - s q_p. */
  rotate(p: number, q: number, c: number, s: number): void;
}

/** Splits the indices; changes d and z where it rotates. */
export function deflate({ d, z, order, rho, tolerance, rotate }: DeflationInput): Deflation {
  const kept: number[] = [];
  const deflated: number[] = [];
  let pending = -1;
  for (const q of order) {
    if (rho * Math.abs(z[q]!) <= tolerance) {
      deflated.push(q);
      continue;
    }
    const p = pending;
    pending = q;
    if (p < 0) continue;
    const length = Math.hypot(z[p]!, z[q]!);
    const c = z[q]! / length;
    const s = -z[p]! / length;
    if (Math.abs((d[q]! - d[p]!) * c * s) > tolerance) {
      kept.push(p);
      continue;
    }
    z[q] = length;
    z[p] = 0;
    rotate(p, q, c, s);
    const moved = d[p]! * c * c + d[q]! * s * s;
    d[q] = d[p]! * s * s + d[q]! * c * c;
    d[p] = moved;
    deflated.push(p);
  }
  if (pending >= 0) kept.push(pending);
  return { kept, deflated };
}
