// Householder's reflections H = 1 - tau v v^T with v_0 = 1.

export interface Reflection {
  /** 0 for H = 1. */
  readonly tau: number;
  /** H x = (beta, 0, ..., 0). */
  readonly beta: number;
}

/** Squares below this have lost digits: what is so small beside a matrix of size 1 counts as 0. */
const negligible = 2 ** -900;

/** The reflection that takes x, `count` entries from `start` on, to a multiple of the first axis; v overwrites x. */
export function reflection(x: Float64Array, start: number, count: number): Reflection {
  const alpha = x[start]!;
  const end = start + count;
  let square = 0;
  for (let k = start + 1; k < end; k++) square += x[k]! * x[k]!;
  x[start] = 1;
  if (square <= negligible) {
    x.fill(0, start + 1, end);
    return { tau: 0, beta: alpha };
  }
  const length = Math.sqrt(alpha * alpha + square);
  const beta = alpha > 0 ? -length : length;
  const scale = 1 / (alpha - beta);
  for (let k = start + 1; k < end; k++) x[k]! *= scale;
  return { tau: (beta - alpha) / beta, beta };
}
