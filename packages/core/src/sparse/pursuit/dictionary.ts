// A dictionary: atoms as vectors that stand one after the other, so that a step of a pursuit reads what is together in memory.
import type { Matrix } from "../../linear-algebra/matrix-norm.ts";
import { SparseError } from "../error.ts";

export interface Dictionary {
  /** Numbers of a signal. */
  readonly size: number;
  /** How many atoms. */
  readonly count: number;
  /** Atom j from j size on. */
  readonly atoms: Float64Array;
}

/**
 * The columns of a matrix as atoms.
 * @example dictionaryOf(matrixOfRows([[1, 2], [3, 4]])).atoms // Float64Array [1, 3, 2, 4]
 */
export function dictionaryOf({ rows, columns, entries }: Matrix): Dictionary {
  if (rows === 0 || columns === 0) throw new SparseError("a dictionary has at least one atom of one number");
  const atoms = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const entry = entries[i * columns + j]!;
      if (!Number.isFinite(entry)) throw new SparseError(`entry (${i}, ${j}) of a dictionary is ${entry}`);
      atoms[j * rows + i] = entry;
    }
  return { size: rows, count: columns, atoms };
}

export function requireSignal({ size }: Dictionary, y: Float64Array): void {
  if (y.length !== size) throw new SparseError(`a signal of ${y.length} numbers for atoms of ${size}`);
  const at = y.findIndex((v) => !Number.isFinite(v));
  if (at >= 0) throw new SparseError(`number ${at} of the signal is ${y[at]}`);
}

/** D x. */
export function synthesize({ size, count, atoms }: Dictionary, x: Float64Array): Float64Array {
  const y = new Float64Array(size);
  for (let j = 0; j < count; j++) if (x[j] !== 0) addAtom(y, atoms, j * size, x[j]!);
  return y;
}

/** y <- y + factor times the atom that begins at `from`. */
export function addAtom(y: Float64Array, atoms: Float64Array, from: number, factor: number): void {
  for (let i = 0; i < y.length; i++) y[i]! += factor * atoms[from + i]!;
}

/** <atom, r>; four sums, since one would wait for itself. */
export function correlation(atoms: Float64Array, from: number, r: Float64Array): number {
  const n = r.length;
  const whole = n - (n % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < whole; i += 4) {
    a += atoms[from + i]! * r[i]!;
    b += atoms[from + i + 1]! * r[i + 1]!;
    c += atoms[from + i + 2]! * r[i + 2]!;
    d += atoms[from + i + 3]! * r[i + 3]!;
  }
  for (let i = whole; i < n; i++) a += atoms[from + i]! * r[i]!;
  return a + b + c + d;
}

/** D^T r. */
export function analyze({ size, count, atoms }: Dictionary, r: Float64Array): Float64Array {
  const g = new Float64Array(count);
  for (let j = 0; j < count; j++) g[j] = correlation(atoms, j * size, r);
  return g;
}

/** |d_j|^2 of all atoms. */
export function squaresOf({ size, count, atoms }: Dictionary): Float64Array {
  return Float64Array.from({ length: count }, (_, j) =>
    correlation(atoms, j * size, atoms.subarray(j * size, (j + 1) * size)),
  );
}

/** y - D x. */
export function residualOf(dictionary: Dictionary, y: Float64Array, x: Float64Array): Float64Array {
  const fit = synthesize(dictionary, x);
  return y.map((v, i) => v - fit[i]!);
}

/**
 * |D|^2, the greatest eigenvalue of D^T D, from above: what power iterations find, and how far they may be below it. The
 * trace of (D^T D)^(2^k) bounds it: here the Frobenius norm of a smaller Gram matrix, squared a few times.
 */
export function squaredNormAbove({ size, count, atoms }: Dictionary): number {
  const few = Math.min(size, count);
  let gram = new Float64Array(few * few);
  for (let i = 0; i < few; i++)
    for (let j = i; j < few; j++) {
      let sum = 0;
      if (count <= size) for (let k = 0; k < size; k++) sum += atoms[i * size + k]! * atoms[j * size + k]!;
      else for (let k = 0; k < count; k++) sum += atoms[k * size + i]! * atoms[k * size + j]!;
      gram[i * few + j] = gram[j * few + i] = sum;
    }
  // |G|_2 <= |G^(2^k)|_F^(1 / 2^k) <= few^(1 / 2^(k+1)) |G|_2; the logarithm of the scale is kept aside.
  let scale = 0;
  const squarings = few <= 64 ? 5 : few <= 256 ? 3 : 1;
  for (let k = 0; k < squarings; k++) {
    const greatest = gram.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
    if (greatest === 0) return 0;
    scale += Math.log(greatest) / 2 ** k;
    gram = squared(
      gram.map((v) => v / greatest),
      few,
    );
  }
  const frobenius = Math.sqrt(gram.reduce((sum, v) => sum + v * v, 0));
  if (frobenius === 0) return 0;
  return Math.exp(scale + Math.log(frobenius) / 2 ** squarings) * (1 + 2 ** -40 * few);
}

function squared(gram: Float64Array, n: number): Float64Array<ArrayBuffer> {
  const square = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const factor = gram[i * n + k]!;
      if (factor !== 0) for (let j = 0; j < n; j++) square[i * n + j]! += factor * gram[k * n + j]!;
    }
  return square;
}
