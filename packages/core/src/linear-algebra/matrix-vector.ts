// Products with vectors, four rows at a time: each entry of a matrix is read once, whatever it is used for.

/** y_j = sum_k a_jk x_k for a symmetric matrix of which the upper half is stored; rows and columns from `start` on. */
export function symmetricTimes(
  a: Float64Array,
  n: number,
  start: number,
  x: Float64Array,
  y: Float64Array,
): void {
  y.fill(0, start, n);
  let i = start;
  for (; i + 4 <= n; i += 4) fourRowsTimes(a, n, i, x, y);
  diagonalTimes(a, n, i, n, x, y);
}

/** Adds what the rows i .. i + 3 and the columns of the same numbers contribute. */
function fourRowsTimes(a: Float64Array, n: number, i: number, x: Float64Array, y: Float64Array): void {
  const r0 = i * n;
  const r1 = r0 + n;
  const r2 = r1 + n;
  const r3 = r2 + n;
  const x0 = x[i]!;
  const x1 = x[i + 1]!;
  const x2 = x[i + 2]!;
  const x3 = x[i + 3]!;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let j = i + 4; j < n; j++) {
    const v = x[j]!;
    const a0 = a[r0 + j]!;
    const a1 = a[r1 + j]!;
    const a2 = a[r2 + j]!;
    const a3 = a[r3 + j]!;
    s0 += a0 * v;
    s1 += a1 * v;
    s2 += a2 * v;
    s3 += a3 * v;
    y[j]! += a0 * x0 + a1 * x1 + (a2 * x2 + a3 * x3);
  }
  y[i]! += s0;
  y[i + 1]! += s1;
  y[i + 2]! += s2;
  y[i + 3]! += s3;
  diagonalTimes(a, n, i, i + 4, x, y);
}

/** Adds what the square block from .. to - 1 on the diagonal contributes. */
function diagonalTimes(
  a: Float64Array,
  n: number,
  from: number,
  to: number,
  x: Float64Array,
  y: Float64Array,
): void {
  for (let i = from; i < to; i++) {
    y[i]! += a[i * n + i]! * x[i]!;
    for (let j = i + 1; j < to; j++) {
      y[i]! += a[i * n + j]! * x[j]!;
      y[j]! += a[i * n + j]! * x[i]!;
    }
  }
}
