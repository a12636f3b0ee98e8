// The greatest and the least eigenvalue of a symmetric map that is known by its products with vectors only.
import type { Random } from "../numbers/random.ts";
import { dotOfDoubles } from "./dot.ts";
import { type TridiagonalEigen, tridiagonalEigen } from "./tridiagonal.ts";

export type SpectrumEnd = "greatest" | "least";

export interface LanczosOptions {
  readonly random: Random;
  /** Products with the map at most. */
  readonly steps?: number;
  /** The residual of an end, relative to its eigenvalue, at which it counts as found; default 1e-7. */
  readonly tolerance?: number;
  /** The iteration goes on until these are found; default: the greatest. */
  readonly ends?: readonly SpectrumEnd[];
  /** How far products may be off by rounding, relative to the greatest eigenvalue: no residual counts as less; default 2^-44. */
  readonly rounding?: number;
  readonly signal?: AbortSignal;
}

export interface Extremes {
  /** <q, A q> of a unit vector q: never above the true greatest eigenvalue, but for rounding. */
  readonly greatest: number;
  /** The same at the other end: never below the true least one. */
  readonly least: number;
  /** |A q - <q, A q> q|: some eigenvalue lies within this distance of that end. */
  readonly residual: Readonly<Record<SpectrumEnd, number>>;
  /** Of each end by itself: its residual is within the tolerance. */
  readonly converged: Readonly<Record<SpectrumEnd, boolean>>;
  readonly steps: number;
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
  { random, steps = 120, tolerance = 1e-7, ends = ["greatest"], rounding = 2 ** -44, signal }: LanczosOptions,
): Promise<Extremes> {
  const most = Math.max(2, Math.min(steps, size, Math.floor(basisLimit / Math.max(1, size))));
  const basis: Float64Array[] = [random.sphere(size)];
  const [diagonal, off]: [number[], number[]] = [[], []];
  for (let k = 1; ; k++) {
    signal?.throwIfAborted();
    const q = basis[k - 1]!;
    const next = (await product(q)).slice();
    diagonal.push(dotOfDoubles(q, next));
    for (let again = 0; again < 2; again++) for (const b of basis) subtract(next, b, dotOfDoubles(b, next));
    const rest = Math.sqrt(dotOfDoubles(next, next));
    const eigen = tridiagonalEigen({ diagonal: Float64Array.from(diagonal), off: Float64Array.from(off) });
    const found = extremes(eigen, { rest, steps: k, tolerance, rounding, isWhole: k === size });
    if (k >= most || ends.every((end) => found.converged[end])) return found;
    off.push(rest);
    basis.push(next.map((x) => x / rest));
  }
}

interface Reached {
  /** What of A q is outside of the basis. */
  readonly rest: number;
  readonly steps: number;
  readonly tolerance: number;
  readonly rounding: number;
  readonly isWhole: boolean;
}

/** Both ends with their residuals: `rest` times the last component of the eigenvector. */
function extremes(
  { values, last }: TridiagonalEigen,
  { rest, steps, tolerance, rounding, isWhole }: Reached,
): Extremes {
  const scale = Math.max(Math.abs(values[0]!), Math.abs(values.at(-1)!));
  const isInvariant = isWhole || !(rest > 1e-13 * scale);
  const [greatest, least] = [values.at(-1)!, values[0]!];
  const residualOf = (component: number): number => Math.max(rounding * scale, Math.abs(rest * component));
  const residual = { greatest: residualOf(last.at(-1)!), least: residualOf(last[0]!) };
  // Not by how little a value changes: it rests for some steps where eigenvalues are close together. An end near 0 is
  // known once it is small beside the other one.
  const isFound = (end: SpectrumEnd, value: number): boolean =>
    isInvariant ||
    (steps > fewest && residual[end] <= Math.max(tolerance * Math.abs(value), tolerance ** 2 * scale));
  const converged = { greatest: isFound("greatest", greatest), least: isFound("least", least) };
  return { greatest, least, residual, converged, steps };
}

function subtract(from: Float64Array, direction: Float64Array, times: number): void {
  for (let k = 0; k < from.length; k++) from[k]! -= times * direction[k]!;
}
