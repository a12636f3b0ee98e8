// The equations of basis pursuit on a support: where the signs of a code are right, D_S^T D_S x = D_S^T y - lambda s makes it exact.
import { addAtom, correlation, type Dictionary } from "./dictionary.ts";

/** Inner products of the atoms that were asked for so far: a path of lambdas asks for the same ones again and again. */
export class GramCache {
  readonly #dictionary: Dictionary;
  readonly #place: Int32Array;
  readonly #atoms: number[] = [];
  /** Row i has i + 1 numbers. */
  readonly #rows: Float64Array[] = [];

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
    this.#place = new Int32Array(dictionary.count).fill(-1);
  }

  /** Lower triangle of D_S^T D_S, a row after the other. */
  of(support: readonly number[]): Float64Array {
    for (const j of support) if (this.#place[j]! < 0) this.#add(j);
    const k = support.length;
    const gram = new Float64Array(k * k);
    for (let i = 0; i < k; i++) {
      const p = this.#place[support[i]!]!;
      for (let j = 0; j <= i; j++) {
        const q = this.#place[support[j]!]!;
        gram[i * k + j] = p >= q ? this.#rows[p]![q]! : this.#rows[q]![p]!;
      }
    }
    return gram;
  }

  #add(j: number): void {
    const { size, atoms } = this.#dictionary;
    const own = atoms.subarray(j * size, (j + 1) * size);
    this.#place[j] = this.#atoms.length;
    this.#atoms.push(j);
    this.#rows.push(Float64Array.from(this.#atoms, (other) => correlation(atoms, other * size, own)));
  }
}

/**
 * Sweeps of coordinate descent over the atoms that a code uses, on their inner products: a step costs as many operations as there
 * are such atoms, not as there are numbers in a signal. The residual follows at the end.
 */
export function sweptOnSupport(
  dictionary: Dictionary,
  cache: GramCache,
  x: Float64Array,
  residual: Float64Array,
  sweeps: number,
  proximal: (v: number, square: number) => number,
): void {
  const { size, atoms } = dictionary;
  const support = Array.from(x.keys()).filter((j) => x[j] !== 0);
  const k = support.length;
  const gram = cache.of(support);
  for (let i = 0; i < k; i++) for (let j = 0; j < i; j++) gram[j * k + i] = gram[i * k + j]!;
  const left = Float64Array.from(support, (j) => correlation(atoms, j * size, residual));
  const own = Float64Array.from(support, (j) => x[j]!);
  for (let sweep = 0; sweep < sweeps; sweep++)
    for (let i = 0; i < k; i++) {
      const square = gram[i * k + i]!;
      const next = proximal(own[i]! + left[i]! / square, square);
      const change = next - own[i]!;
      if (change === 0) continue;
      own[i] = next;
      for (let j = 0, at = i * k; j < k; j++, at++) left[j]! -= change * gram[at]!;
    }
  support.forEach((j, i) => {
    const change = own[i]! - x[j]!;
    if (change === 0) return;
    addAtom(residual, atoms, j * size, -change);
    x[j] = own[i]!;
  });
}

/** Supports that are solved for at most. */
const mostAtoms = 1500;
/** Solutions of smaller and smaller supports, before sweeps are asked again. */
const mostSupports = 4;

/**
 * Moves a code, and its residual, towards the solution with its support and signs. Entries that would cross 0 become 0 and leave
 * the support: all at once where that lowers the objective, otherwise only the first on the way. The objective never rises.
 */
export function movedToSolution(
  dictionary: Dictionary,
  cache: GramCache,
  lambda: number,
  x: Float64Array,
  residual: Float64Array,
): void {
  const { size, atoms } = dictionary;
  let support = Array.from(x.keys()).filter((j) => x[j] !== 0);
  for (let k = 0; k < mostSupports && support.length > 0; k++) {
    if (support.length > Math.min(mostAtoms, size)) return;
    const move = Float64Array.from(
      support,
      (j) => correlation(atoms, j * size, residual) - lambda * Math.sign(x[j]!),
    );
    if (!solvedInPlace(cache.of(support), move)) return;
    const crosses = support.map((j, i) => (x[j]! + move[i]!) * x[j]! <= 0);
    if (!crosses.includes(true)) {
      moveBy(dictionary, support, x, residual, move, 1);
      return;
    }
    const cut = move.map((v, i) => (crosses[i] ? -x[support[i]!]! : v));
    const before = objectiveOf(x, residual, lambda, support);
    const [oldX, oldResidual] = [support.map((j) => x[j]!), residual.slice()];
    moveBy(dictionary, support, x, residual, cut, 1);
    if (!(objectiveOf(x, residual, lambda, support) < before)) {
      support.forEach((j, i) => {
        x[j] = oldX[i]!;
      });
      residual.set(oldResidual);
      let [step, first] = [1, -1];
      support.forEach((j, i) => {
        const at = crosses[i] ? -x[j]! / move[i]! : 1;
        if (at < step) [step, first] = [at, i];
      });
      moveBy(dictionary, support, x, residual, move, step);
      if (first >= 0) {
        addAtom(residual, atoms, support[first]! * size, x[support[first]!]!);
        x[support[first]!] = 0;
      }
    }
    support = support.filter((j) => x[j] !== 0);
  }
}

function moveBy(
  { size, atoms }: Dictionary,
  support: readonly number[],
  x: Float64Array,
  residual: Float64Array,
  move: Float64Array,
  step: number,
): void {
  support.forEach((j, i) => {
    const by = step * move[i]!;
    x[j] = x[j]! + by;
    addAtom(residual, atoms, j * size, -by);
  });
}

const objectiveOf = (
  x: Float64Array,
  residual: Float64Array,
  lambda: number,
  support: readonly number[],
): number =>
  residual.reduce((sum, v) => sum + v * v, 0) / 2 +
  lambda * support.reduce((sum, j) => sum + Math.abs(x[j]!), 0);

/** b <- G^-1 b by Cholesky factors, rows in the order in which they are read; false where G is singular up to rounding. */
function solvedInPlace(gram: Float64Array, b: Float64Array): boolean {
  const n = b.length;
  for (let i = 0; i < n; i++) {
    const at = i * n;
    for (let j = 0; j <= i; j++) {
      const other = j * n;
      let [p, q, r, s] = [0, 0, 0, 0];
      const whole = j - (j % 4);
      for (let k = 0; k < whole; k += 4) {
        p += gram[at + k]! * gram[other + k]!;
        q += gram[at + k + 1]! * gram[other + k + 1]!;
        r += gram[at + k + 2]! * gram[other + k + 2]!;
        s += gram[at + k + 3]! * gram[other + k + 3]!;
      }
      for (let k = whole; k < j; k++) p += gram[at + k]! * gram[other + k]!;
      const left = gram[at + j]! - (p + q + r + s);
      if (i === j) {
        if (!(left > 2 ** -36 * gram[at + i]!)) return false;
        gram[at + i] = Math.sqrt(left);
      } else gram[at + j] = left / gram[other + j]!;
    }
  }
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) b[i]! -= gram[i * n + k]! * b[k]!;
    b[i]! /= gram[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    b[i]! /= gram[i * n + i]!;
    for (let k = 0; k < i; k++) b[k]! -= gram[i * n + k]! * b[i]!;
  }
  return true;
}
