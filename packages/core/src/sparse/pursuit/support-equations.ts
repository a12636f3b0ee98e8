// The equations of basis pursuit on a support: where the signs of a code are right, D_S^T D_S x = D_S^T y - lambda s makes it exact.
import { moveEntry, type WorkingAtoms, type WorkingCode } from "./working-atoms.ts";

/** Supports that are solved for at most. */
const mostAtoms = 1500;

/** Cholesky factors of D_S^T D_S, kept from one support to the next: rows before the first atom that left stay as they are. */
export class SupportFactor {
  #order: number[] = [];
  #factor = new Float64Array(0);
  #stride = 0;

  /** Solves for the atoms at these places, b in the order that comes back; undefined where they depend on each other. */
  solved(
    work: WorkingAtoms,
    support: readonly number[],
    b: (place: number) => number,
  ): { readonly order: readonly number[]; readonly move: Float64Array } | undefined {
    const wanted = new Set(support);
    const gone = this.#order.findIndex((i) => !wanted.has(i));
    const kept = gone < 0 ? this.#order : this.#order.slice(0, gone);
    const known = new Set(kept);
    const order = [...kept, ...this.#order.slice(kept.length), ...support].filter((i) => {
      if (!wanted.has(i)) return false;
      return wanted.delete(i);
    });
    this.#widen(order.length);
    const ranks = factorized(work, order, this.#factor, this.#stride, known.size);
    this.#order = order.slice(0, ranks);
    if (ranks < order.length) return undefined;
    const move = Float64Array.from(order, b);
    substituted(this.#factor, this.#stride, move);
    return { order, move };
  }

  #widen(count: number): void {
    if (count <= this.#stride) return;
    const stride = Math.max(64, 2 * count);
    const factor = new Float64Array(stride * stride);
    for (let i = 0; i < this.#order.length; i++)
      factor.set(this.#factor.subarray(i * this.#stride, i * this.#stride + i + 1), i * stride);
    [this.#factor, this.#stride] = [factor, stride];
  }
}

/** Rows `from` on of the factor, two at a time, so that each number that is read is used twice; how many rows there are. */
function factorized(
  { gram, stride: width }: WorkingAtoms,
  order: readonly number[],
  factor: Float64Array,
  stride: number,
  from: number,
): number {
  const n = order.length;
  for (let i = from; i < n; i += 2) {
    const isPair = i + 1 < n;
    const [at, next] = [i * stride, (isPair ? i + 1 : i) * stride];
    const [row, other] = [order[i]! * width, order[isPair ? i + 1 : i]! * width];
    for (let j = 0; j < i; j++) {
      const before = j * stride;
      let [p, q, r, s] = [0, 0, 0, 0];
      const whole = j - (j % 2);
      for (let k = 0; k < whole; k += 2) {
        const [a, b] = [factor[before + k]!, factor[before + k + 1]!];
        p += factor[at + k]! * a;
        q += factor[at + k + 1]! * b;
        r += factor[next + k]! * a;
        s += factor[next + k + 1]! * b;
      }
      if (whole < j) {
        const a = factor[before + whole]!;
        p += factor[at + whole]! * a;
        r += factor[next + whole]! * a;
      }
      const pivot = factor[before + j]!;
      factor[at + j] = (gram[row + order[j]!]! - (p + q)) / pivot;
      if (isPair) factor[next + j] = (gram[other + order[j]!]! - (r + s)) / pivot;
    }
    if (!closed(factor, at, i, gram[row + order[i]!]!)) return i;
    if (!isPair) continue;
    let product = 0;
    for (let k = 0; k < i; k++) product += factor[at + k]! * factor[next + k]!;
    factor[next + i] = (gram[other + order[i]!]! - product) / factor[at + i]!;
    if (!closed(factor, next, i + 1, gram[other + order[i + 1]!]!)) return i + 1;
  }
  return n;
}

/** The diagonal of a row; false where what is left of it is rounding. */
function closed(factor: Float64Array, at: number, i: number, square: number): boolean {
  let left = square;
  for (let k = 0; k < i; k++) left -= factor[at + k]! * factor[at + k]!;
  if (!(left > 2 ** -36 * square)) return false;
  factor[at + i] = Math.sqrt(left);
  return true;
}

/** b <- (L L^T)^-1 b, rows of L in the order in which they are read. */
function substituted(factor: Float64Array, stride: number, b: Float64Array): void {
  const n = b.length;
  for (let i = 0; i < n; i++) {
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= factor[i * stride + k]! * b[k]!;
    b[i] = sum / factor[i * stride + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    const v = b[i]! / factor[i * stride + i]!;
    b[i] = v;
    for (let k = 0; k < i; k++) b[k]! -= factor[i * stride + k]! * v;
  }
}

/**
 * Moves a code towards the solution with its support and signs. Entries that would cross 0 become 0 and leave the support: all at
 * once where that lowers the objective, otherwise only the first on the way. The objective never rises.
 */
export function movedToSolution(
  work: WorkingAtoms,
  factor: SupportFactor,
  lambda: number,
  code: WorkingCode,
  places: readonly number[],
): void {
  const { x, left } = code;
  const support = places.filter((i) => x[i] !== 0);
  if (support.length === 0 || support.length > Math.min(mostAtoms, work.dictionary.size)) return;
  const found = factor.solved(work, support, (i) => left[i]! - lambda * Math.sign(x[i]!));
  if (!found) return;
  const { order, move } = found;
  const crosses = order.map((i, k) => (x[i]! + move[k]!) * x[i]! <= 0);
  const before = { x: x.slice(), left: left.slice(), rest: code.rest };
  const objective = (): number => code.rest / 2 + lambda * order.reduce((sum, i) => sum + Math.abs(x[i]!), 0);
  const old = objective();
  order.forEach((i, k) => {
    moveEntry(work, code, i, crosses[k] ? 0 : x[i]! + move[k]!);
  });
  if (!crosses.includes(true) || objective() < old) return;
  x.set(before.x);
  left.set(before.left);
  code.rest = before.rest;
  let [step, first] = [1, -1];
  order.forEach((i, k) => {
    const at = crosses[k] ? -x[i]! / move[k]! : 1;
    if (at < step) [step, first] = [at, i];
  });
  order.forEach((i, k) => {
    moveEntry(work, code, i, i === first ? 0 : x[i]! + step * move[k]!);
  });
}
