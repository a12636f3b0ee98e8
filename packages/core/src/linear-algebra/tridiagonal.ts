// Eigenvalues of symmetric matrices by way of tridiagonal ones: O(n^2) once the matrix is tridiagonal.

/** A symmetric tridiagonal matrix: `off[k]` stands between the entries k and k + 1 of the diagonal. */
export interface Tridiagonal {
  readonly diagonal: Float64Array;
  readonly off: Float64Array;
}

export interface TridiagonalEigen {
  /** Ascending. */
  readonly values: Float64Array;
  /** The last component of the unit eigenvector of each value: what Lanczos residuals are read from. */
  readonly last: Float64Array;
}

const mostSweeps = 60;

/**
 * All eigenvalues, by the QL iteration with Wilkinson's shift; of the eigenvectors only their last components.
 * @example tridiagonalEigen({ diagonal: Float64Array.of(2, 2), off: Float64Array.of(1) }).values.map(Math.round) // Float64Array [1, 3]
 */
export function tridiagonalEigen({ diagonal, off }: Tridiagonal): TridiagonalEigen {
  const n = diagonal.length;
  const d = diagonal.slice();
  const e = new Float64Array(n);
  e.set(off.subarray(0, Math.max(0, n - 1)));
  const z = new Float64Array(n);
  if (n > 0) z[n - 1] = 1;
  implicitQl(d, e, (i, c, s) => {
    const upper = z[i + 1]!;
    z[i + 1] = s * z[i]! + c * upper;
    z[i] = c * z[i]! - s * upper;
  });
  const order = Array.from(d.keys()).sort((a, b) => d[a]! - d[b]!);
  return { values: Float64Array.from(order, (k) => d[k]!), last: Float64Array.from(order, (k) => z[k]!) };
}

/** What a rotation of the planes i and i + 1 by cosine c and sine s does to vectors. */
export type Turn = (i: number, c: number, s: number) => void;

/** Overwrites the diagonal by the eigenvalues, in any order; `e` has one entry more than stand beside the diagonal. */
export function implicitQl(d: Float64Array, e: Float64Array, turn: Turn): void {
  const n = d.length;
  const isZero = negligibleBeside(d, e);
  for (let l = 0; l < n; l++)
    for (let sweep = 0; sweep < mostSweeps; sweep++) {
      let m = l;
      while (m < n - 1 && !isZero(m)) m++;
      if (m === l) break;
      chase(d, e, turn, l, m);
    }
}

/** Which entries off the diagonal count as zero: beside their neighbours, or where rotations by them would lose digits. */
function negligibleBeside(d: Float64Array, e: Float64Array): (m: number) => boolean {
  let greatest = 0;
  for (let k = 0; k < d.length; k++) greatest = Math.max(greatest, Math.abs(d[k]!), Math.abs(e[k]!));
  const least = 2 ** -200 * greatest;
  return (m) => {
    const size = Math.abs(e[m]!);
    return size <= least || size <= 2 ** -53 * (Math.abs(d[m]!) + Math.abs(d[m + 1]!));
  };
}

/** |(x, y)|; Math.hypot takes ten times as long, and is needed only where squares leave the doubles. */
function length(x: number, y: number): number {
  const square = x * x + y * y;
  return square > 2 ** -900 && square < 2 ** 1000 ? Math.sqrt(square) : Math.hypot(x, y);
}

/** One sweep of rotations from m up to l. */
function chase(d: Float64Array, e: Float64Array, turn: Turn, l: number, m: number): void {
  const half = (d[l + 1]! - d[l]!) / (2 * e[l]!);
  const root = Math.hypot(half, 1);
  let g = d[m]! - d[l]! + e[l]! / (half + (half >= 0 ? root : -root));
  let s = 1;
  let c = 1;
  let p = 0;
  for (let i = m - 1; i >= l; i--) {
    const f = s * e[i]!;
    const b = c * e[i]!;
    const r = length(f, g);
    e[i + 1] = r;
    if (r === 0) {
      d[i + 1]! -= p;
      e[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1]! - p;
    const t = (d[i]! - g) * s + 2 * c * b;
    p = s * t;
    d[i + 1] = g + p;
    g = c * t - b;
    turn(i, c, s);
  }
  d[l]! -= p;
  e[l] = g;
  e[m] = 0;
}

/**
 * A symmetric matrix (row by row) as a tridiagonal one with the same eigenvalues, by Householder's reflections.
 * @example tridiagonalForm(Float64Array.of(2, 1, 1, 2), 2).off.length // 1
 */
export function tridiagonalForm(symmetric: Float64Array, n: number): Tridiagonal {
  const a = symmetric.slice();
  const [diagonal, off] = [new Float64Array(n), new Float64Array(Math.max(0, n - 1))];
  const [v, w] = [new Float64Array(n), new Float64Array(n)];
  for (let k = 0; k < n - 1; k++) {
    let norm = 0;
    for (let i = k + 1; i < n; i++) norm = Math.hypot(norm, a[i * n + k]!);
    const head = a[(k + 1) * n + k]!;
    const to = head > 0 ? -norm : norm;
    off[k] = to;
    const size = norm * (norm + Math.abs(head)); // |v|^2 / 2
    if (size === 0) continue;
    for (let i = k + 1; i < n; i++) v[i] = a[i * n + k]!;
    v[k + 1]! -= to;
    reflect(a, n, k + 1, v, w, size);
  }
  for (let k = 0; k < n; k++) diagonal[k] = a[k * n + k]!;
  return { diagonal, off };
}

/** A <- H A H with H = 1 - v v^T / size on the rows and columns from `start` on: A - v q^T - q v^T. */
function reflect(
  a: Float64Array,
  n: number,
  start: number,
  v: Float64Array,
  q: Float64Array,
  size: number,
): void {
  let along = 0;
  for (let i = start; i < n; i++) {
    let sum = 0;
    for (let j = start; j < n; j++) sum += a[i * n + j]! * v[j]!;
    q[i] = sum / size;
    along += q[i]! * v[i]!;
  }
  const half = along / (2 * size);
  for (let i = start; i < n; i++) q[i]! -= half * v[i]!;
  for (let i = start; i < n; i++) {
    const [vi, qi] = [v[i]!, q[i]!];
    for (let j = start; j < n; j++) a[i * n + j]! -= vi * q[j]! + qi * v[j]!;
  }
}

/**
 * The eigenvalues of a symmetric matrix, ascending.
 * @example symmetricSpectrum(Float64Array.of(2, 1, 1, 2), 2).map(Math.round) // Float64Array [1, 3]
 */
export const symmetricSpectrum = (symmetric: Float64Array, n: number): Float64Array =>
  tridiagonalEigen(tridiagonalForm(symmetric, n)).values;
