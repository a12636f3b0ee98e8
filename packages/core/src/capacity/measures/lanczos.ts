// The greatest and the least eigenvalue of a symmetric map that is known by its products with vectors only.
import type { Random } from "../../engine/random.ts";
import { type TridiagonalEigen, tridiagonalEigen } from "./tridiagonal.ts";

export interface LanczosOptions {
  readonly random: Random;
  /** Products with the map at most. */
  readonly steps?: number;
  /** The residual, relative to the greatest eigenvalue, at which the iteration ends. */
  readonly tolerance?: number;
  readonly signal?: AbortSignal;
}

export interface Extremes {
  /** |A q| projected: never above the true greatest eigenvalue, but for rounding. */
  readonly greatest: number;
  readonly least: number;
  /** Some eigenvalue lies within this distance of `greatest`. */
  readonly residual: number;
  readonly steps: number;
  readonly converged: boolean;
}

/** Products before a small residual counts: a random vector is nearly an eigenvector of what is nearly a multiple of 1. */
const fewest = 5;
/** Numbers that the basis of the iteration may take. */
const basisLimit = 4e7;

/**
 * Lanczos' iteration, each new vector made orthogonal to all the others twice.
 * @example (await lanczos(async (v) => v.map((x, k) => (k + 1) * x), 5, { random: createRandom(1) })).greatest // 5
 */
export async function lanczos(
  product: (v: Float64Array) => Promise<Float64Array>,
  size: number,
  { random, steps = 120, tolerance = 1e-7, signal }: LanczosOptions,
): Promise<Extremes> {
  const most = Math.max(2, Math.min(steps, size, Math.floor(basisLimit / Math.max(1, size))));
  const basis: Float64Array[] = [random.sphere(size)];
  const [diagonal, off]: [number[], number[]] = [[], []];
  for (let k = 1; ; k++) {
    signal?.throwIfAborted();
    const q = basis[k - 1]!;
    const next = (await product(q)).slice();
    diagonal.push(dot(q, next));
    for (let again = 0; again < 2; again++) for (const b of basis) subtract(next, b, dot(b, next));
    const rest = Math.sqrt(dot(next, next));
    const eigen = tridiagonalEigen({ diagonal: Float64Array.from(diagonal), off: Float64Array.from(off) });
    const scale = Math.max(Math.abs(eigen.values[0]!), Math.abs(eigen.values.at(-1)!));
    const found = eigen.values.at(-1)!;
    const isInvariant = !(rest > 1e-13 * scale) || k === size;
    // Not by how little the value changes: it rests for some steps where eigenvalues are close together.
    const residual = Math.abs(rest * eigen.last.at(-1)!);
    const converged = isInvariant || (k > fewest && residual <= tolerance * Math.abs(found));
    if (converged || k >= most) return extremes(eigen, rest, k, converged);
    off.push(rest);
    basis.push(next.map((x) => x / rest));
  }
}

const extremes = (
  { values, last }: TridiagonalEigen,
  rest: number,
  steps: number,
  converged: boolean,
): Extremes => ({
  greatest: values.at(-1)!,
  least: values[0]!,
  residual: Math.abs(rest * last.at(-1)!),
  steps,
  converged,
});

/** <a, b>. */
function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}

function subtract(from: Float64Array, direction: Float64Array, times: number): void {
  for (let k = 0; k < from.length; k++) from[k]! -= times * direction[k]!;
}
