// Taylor coefficients f(x), f'(x), f''(x) / 2!, ..., f^(order)(x) / order! by the recurrences that differential equations
// give: each is written once, for numbers and for intervals. A caller says how it begins, since it knows what cancels.
import type { Arithmetic } from "./arithmetic.ts";

/** f' = f. */
export function exponential<T>(A: Arithmetic<T>, value: T, order: number): T[] {
  const f = [value];
  for (let k = 0; k < order; k++) f.push(A.div(f[k]!, A.point(k + 1)));
  return f;
}

/** The last factorial that is a double. */
const exactFactorials = 22;

/** f'' = sign f: f and f' in turn, divided by k!; f_k = sign f_{k-2} / (k (k - 1)) where k! would be rounded. */
export function wave<T>(A: Arithmetic<T>, value: T, slope: T, sign: 1 | -1, order: number): T[] {
  const f = order > 0 ? [value, slope] : [value];
  let factorial = 1; // with the sign of f_k
  for (let k = 2; k <= order; k++) {
    factorial *= k % 2 === 0 ? sign * k : k;
    const next =
      k <= exactFactorials
        ? A.div(k % 2 === 0 ? value : slope, A.point(factorial))
        : A.div(f[k - 2]!, A.point(sign * k * (k - 1)));
    f.push(next);
  }
  return f;
}

/** How a solution of y' = a + b y + c y^2 begins: y and y', and with them b + 2 c y and c. */
export interface RiccatiStart<T> {
  readonly value: T;
  readonly slope: T;
  readonly linear: T;
  readonly square: 1 | -1;
}

/** y' = a + b y + c y^2: (k + 1) y_{k+1} = (b + 2 c y) y_k + c sum_{0<j<k} y_j y_{k-j} for k > 0. */
export function riccati<T>(
  A: Arithmetic<T>,
  { value, slope, linear, square }: RiccatiStart<T>,
  order: number,
): T[] {
  const y = order > 0 ? [value, slope] : [value];
  const c = A.point(square);
  for (let k = 1; k < order; k++) {
    let sum = A.point(0);
    for (let j = 1; 2 * j < k; j++) sum = A.add(sum, A.mul(y[j]!, y[k - j]!));
    sum = A.add(sum, sum);
    if (k % 2 === 0) sum = A.add(sum, A.squared(y[k / 2]!));
    y.push(A.div(A.add(A.mul(linear, y[k]!), A.mul(c, sum)), A.point(k + 1)));
  }
  return y;
}

/** g' = -rate x g, a multiple of exp(-rate x^2 / 2): (k + 1) g_{k+1} = -rate (x g_k + g_{k-1}). */
export function gaussian<T>(A: Arithmetic<T>, value: T, x: T, rate: 1 | 2, order: number): T[] {
  const g = [value];
  for (let k = 0; k < order; k++) {
    const moved = A.mul(x, g[k]!);
    const sum = k === 0 ? moved : A.add(moved, g[k - 1]!);
    g.push(A.div(sum, A.point(-(k + 1) / rate)));
  }
  return g;
}

/** x^p: binomial(p, k) x^(p - k). */
export function powers<T>(A: Arithmetic<T>, x: T, p: number, order: number): T[] {
  const f: T[] = [];
  let binomial = A.point(1);
  for (let k = 0; k <= order; k++) {
    f.push(A.isZero(binomial) ? A.point(0) : A.mul(binomial, A.pow(x, p - k)));
    binomial = A.div(A.mul(binomial, A.add(A.point(p), A.point(-k))), A.point(k + 1));
  }
  return f;
}

/** 1 / q for a quadratic q_0 + q_1 h + h^2: q_0 g_k = -q_1 g_{k-1} - g_{k-2}. */
export function reciprocalOfQuadratic<T>(A: Arithmetic<T>, q0: T, q1: T, order: number): T[] {
  const g = [A.div(A.point(1), q0)];
  for (let k = 1; k <= order; k++) {
    const moved = A.mul(q1, g[k - 1]!);
    g.push(A.div(A.neg(k === 1 ? moved : A.add(moved, g[k - 2]!)), q0));
  }
  return g;
}

/** How q^(-1/2) begins for a quadratic q = q_0 + q_1 h + q_2 h^2. */
export interface RootStart<T> {
  /** 1 / sqrt(q_0). */
  readonly value: T;
  readonly q: readonly [T, T, number];
  /** The quotient of a number and q_0, which may be 0 or infinite. */
  readonly divide: (numerator: T, q0: T) => T;
}

/** q^(-1/2), by 2 q f' = -q' f: (k + 1) q_0 f_{k+1} = -(k + 1/2) q_1 f_k - k q_2 f_{k-1}. */
export function inverseRootOfQuadratic<T>(
  A: Arithmetic<T>,
  { value, q: [q0, q1, q2], divide }: RootStart<T>,
  order: number,
): T[] {
  const f = [value];
  for (let k = 0; k < order; k++) {
    const own = A.mul(A.point(-k - 0.5), A.mul(q1, f[k]!));
    const sum = k === 0 ? own : A.add(own, A.mul(A.point(-k * q2), f[k - 1]!));
    f.push(divide(A.div(sum, A.point(k + 1)), q0));
  }
  return f;
}

/** f from its value and the coefficients of f', of which it takes the first `order`. */
export function integrated<T>(A: Arithmetic<T>, value: T, slope: readonly T[], order: number): T[] {
  const f = [value];
  for (let k = 1; k <= order; k++) f.push(A.div(slope[k - 1]!, A.point(k)));
  return f;
}
