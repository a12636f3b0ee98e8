// The equations of basis pursuit on a support: where the signs of a code are right, D_S^T D_S x = D_S^T y - lambda s makes it exact.
import { moveEntry, type WorkingAtoms, type WorkingCode } from "./working-atoms.ts";

/** Supports that are solved for at most. */
const mostAtoms = 1500;

/** Cholesky factors of D_S^T D_S, kept from one support to the next: rows before the first atom that left stay as they are. */
export class SupportFactor {
  #order: number[] = [];
  #factor = new Float64Array(0);
  #stride = 0;

  /**
   * Solves for the atoms at these places, b in the order that comes back. Where one of them depends on those before it, the order
   * ends with it, and the move is along the combination that is 0: -w for those before, 1 for it.
   */
  solved(
    work: WorkingAtoms,
    support: readonly number[],
    b: (place: number) => number,
  ): { readonly order: readonly number[]; readonly move: Float64Array; readonly isNull: boolean } {
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
    const isNull = ranks < order.length;
    const last = order[ranks]!;
    const move = Float64Array.from(this.#order, isNull ? (i) => -work.gram[i * work.stride + last]! : b);
    substituted(this.#factor, this.#stride, move);
    if (!isNull) return { order, move, isNull };
    return { order: [...this.#order, last], move: Float64Array.from([...move, 1]), isNull };
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
 * once where that lowers the objective, otherwise only the first on the way. Where atoms depend on each other, one of them
 * leaves first, along a combination that is 0. The objective never rises. So many supports are tried, one after the other.
 */
export function movedToSolution(
  work: WorkingAtoms,
  factor: SupportFactor,
  lambda: number,
  code: WorkingCode,
  places: readonly number[],
  most: number,
): void {
  const { x, left } = code;
  for (let turn = 0; turn < most; turn++) {
    const support = places.filter((i) => x[i] !== 0);
    if (support.length === 0 || support.length > mostAtoms) return;
    const { order, move, isNull } = factor.solved(work, support, (i) => left[i]! - lambda * Math.sign(x[i]!));
    const signs = order.reduce((sum, i, k) => sum + Math.sign(x[i]!) * move[k]!, 0);
    if (isNull && signs > 0) for (let k = 0; k < move.length; k++) move[k]! *= -1;
    const crosses = order.map((i, k) => (x[i]! + move[k]!) * x[i]! <= 0);
    const isEnd = !isNull && !crosses.includes(true);
    const cut = (i: number, k: number): number => (crosses[k] ? 0 : x[i]! + move[k]!);
    if (!isNull && lowered(work, code, lambda, order, cut)) {
      if (isEnd) return;
      continue;
    }
    // Only as far as the first that becomes 0; a combination that is 0 may be followed any way.
    let [step, first] = [isNull ? Number.POSITIVE_INFINITY : 1, -1];
    order.forEach((i, k) => {
      const at = x[i]! * move[k]! < 0 ? -x[i]! / move[k]! : Number.POSITIVE_INFINITY;
      if (at < step) [step, first] = [at, i];
    });
    if (first < 0 && isNull) return;
    const short = (i: number, k: number): number => (i === first ? 0 : x[i]! + step * move[k]!);
    if (!lowered(work, code, lambda, order, short)) return;
  }
}

/** Moves entries, and back again where the objective would rise. */
function lowered(
  work: WorkingAtoms,
  code: WorkingCode,
  lambda: number,
  order: readonly number[],
  moved: (place: number, k: number) => number,
): boolean {
  const { x, left } = code;
  const before = { x: x.slice(), left: left.slice(), rest: code.rest };
  const objective = (): number => code.rest / 2 + lambda * order.reduce((sum, i) => sum + Math.abs(x[i]!), 0);
  const old = objective();
  order.forEach((i, k) => {
    moveEntry(work, code, i, moved(i, k));
  });
  // Rounding of the two is forgiven: at a solution both are the same.
  if (objective() <= old * (1 + 2 ** -50)) return true;
  x.set(before.x);
  left.set(before.left);
  code.rest = before.rest;
  return false;
}
