// Training, estimation and approximation error where all three can be computed: square loss, and continuous functions that
// are linear between K + 1 equal knots (a network whose first layer is fixed).
import type { Random } from "../numbers/random.ts";
import { TrainError } from "../train/error.ts";

/** Values at the knots k / K. */
export type Hats = readonly number[];
/** X uniform on [0, 1], Y = f(X) + noise, the noise uniform on [-spread, spread]. */
export interface Law {
  readonly f: (x: number) => number;
  readonly spread: number;
}

/** @example hatsAt([0, 1, 0], 0.25) // 0.5 */
export function hatsAt(h: Hats, x: number): number {
  const at = Math.min(h.length - 2, Math.floor(x * (h.length - 1)));
  const t = x * (h.length - 1) - at;
  return (1 - t) * h[at]! + t * h[at + 1]!;
}

const gaussNodes = [0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363];
const gaussWeights = [0.362683783378362, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763];

/** The integral over [0, 1] of a function that is smooth between the knots: Gauss with eight points on fine pieces. */
export function integral(g: (x: number) => number, pieces: number): number {
  const fine = pieces * Math.max(1, Math.ceil(16 / pieces));
  let sum = 0;
  for (let k = 0; k < fine; k++) {
    for (const [j, t] of gaussNodes.entries())
      sum += gaussWeights[j]! * (g((k + 0.5 - t / 2) / fine) + g((k + 0.5 + t / 2) / fine));
  }
  return sum / (2 * fine);
}

const hat = (pieces: number, k: number): Hats =>
  Array.from({ length: pieces + 1 }, (_, j) => Number(j === k));

/** A x = b by elimination with pivots. */
function solve(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = A.map((row, k) => [...row, b[k]!]);
  for (let k = 0; k < rows.length; k++) {
    const pivot = rows
      .slice(k)
      .reduce((best, row, j) => (Math.abs(row[k]!) > Math.abs(rows[best]![k]!) ? k + j : best), k);
    [rows[k], rows[pivot]] = [rows[pivot]!, rows[k]!];
    if (Math.abs(rows[k]![k]!) < 1e-9) throw new TrainError("the examples do not determine the function");
    for (let i = k + 1; i < rows.length; i++) {
      const factor = rows[i]![k]! / rows[k]![k]!;
      for (let j = k; j <= rows.length; j++) rows[i]![j]! -= factor * rows[k]![j]!;
    }
  }
  const x: number[] = [];
  for (let k = rows.length - 1; k >= 0; k--) {
    const known = rows[k]!.slice(k + 1, -1).reduce((sum, a, j) => sum + a * x[k + 1 + j]!, 0);
    x[k] = (rows[k]!.at(-1)! - known) / rows[k]![k]!;
  }
  return x;
}

/**
 * The best approximation in L2, which minimizes the square risk over all hats with these pieces.
 * @example projection((x) => 2 * x, 1).map((v) => Math.round(v)) // [0, 2]
 */
export function projection(f: Law["f"], pieces: number): Hats {
  const basis = Array.from({ length: pieces + 1 }, (_, k) => hat(pieces, k));
  const inner = (g: (x: number) => number, k: number): number =>
    integral((x) => g(x) * hatsAt(basis[k]!, x), pieces);
  return solve(
    basis.map((_, i) => basis.map((g) => inner((x) => hatsAt(g, x), i))),
    basis.map((_, i) => inner(f, i)),
  );
}

/** The empirical square risk as a quadratic: theta^T A theta - 2 b^T theta + c. */
export interface EmpiricalRisk {
  readonly A: readonly (readonly number[])[];
  readonly b: readonly number[];
  readonly c: number;
}

/** m examples of a law, seen by hats with these pieces. */
export function drawRisk({ f, spread }: Law, pieces: number, m: number, random: Random): EmpiricalRisk {
  const A = Array.from({ length: pieces + 1 }, () => new Array<number>(pieces + 1).fill(0));
  const b = new Array<number>(pieces + 1).fill(0);
  let c = 0;
  for (let i = 0; i < m; i++) {
    const x = random.uniform();
    const y = f(x) + spread * (2 * random.uniform() - 1);
    const at = Math.min(pieces - 1, Math.floor(x * pieces));
    const t = x * pieces - at;
    const parts = [1 - t, t];
    for (const [j, u] of parts.entries()) {
      b[at + j]! += (u * y) / m;
      for (const [k, v] of parts.entries()) A[at + j]![at + k]! += (u * v) / m;
    }
    c += y ** 2 / m;
  }
  return { A, b, c };
}

/** @example empiricalRiskAt({ A: [[1]], b: [2], c: 4 }, [2]) // 0 */
export const empiricalRiskAt = ({ A, b, c }: EmpiricalRisk, theta: Hats): number =>
  theta.reduce((sum, v, i) => sum + v * (A[i]!.reduce((s, a, j) => s + a * theta[j]!, 0) - 2 * b[i]!), c);

/** @example leastRisk({ A: [[2]], b: [4], c: 8 }) // [2] */
export const leastRisk = ({ A, b }: EmpiricalRisk): Hats => solve(A, b);

/** Gradient descent from 0: theta - rate (2 A theta - 2 b), again and again. */
export function descendRisk({ A, b }: EmpiricalRisk, rate: number, steps: number): Hats {
  let theta: Hats = b.map(() => 0);
  for (let step = 0; step < steps; step++) {
    const now = theta;
    theta = now.map((v, i) => v - 2 * rate * (A[i]!.reduce((s, a, j) => s + a * now[j]!, 0) - b[i]!));
  }
  return theta;
}

/** R(h) for the square loss: |h - f|^2 in L2, and the noise. */
export const squareRisk = (h: Hats, { f, spread }: Law): number =>
  integral((x) => (hatsAt(h, x) - f(x)) ** 2, h.length - 1) + spread ** 2 / 3;

/** E |t - noise|. */
const absoluteNoise = (t: number, spread: number): number =>
  Math.abs(t) >= spread ? Math.abs(t) : (t ** 2 + spread ** 2) / (2 * spread);

/** R(h) - R(f) for the absolute loss; f is the median of Y and therefore optimal. */
export const absoluteExcess = (h: Hats, { f, spread }: Law): number =>
  integral((x) => absoluteNoise(hatsAt(h, x) - f(x), spread) - absoluteNoise(0, spread), h.length - 1);
