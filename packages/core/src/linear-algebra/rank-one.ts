// The roots of a secular equation together, and the z for which they are exact (Gu and Eisenstat 1995): vectors made of it
// are orthogonal, however near the roots are to each other.
import { type SecularEquation, type SecularRoot, secularRoot } from "./secular-equation.ts";
import { memoryOf } from "./simd-memory.ts";
import type { VectorWorkspace } from "./vector-workspace.ts";

export interface RankOneRoots {
  readonly roots: readonly SecularRoot[];
  /** z'_j with z'_j^2 = prod_i (root_i - pole_j) / prod_(i != j) (pole_i - pole_j), and the sign of z_j. */
  readonly exact: Float64Array;
}

const byte = (array: Float64Array): number => array.byteOffset;

/** All roots of an equation with z_j^2 as squares. Its arrays are in the workspace. */
export function rankOneRoots(
  equation: SecularEquation,
  z: Float64Array,
  workspace: VectorWorkspace,
): RankOneRoots {
  const k = equation.d.length;
  const distances = workspace.array(k, "as it is");
  const weights = workspace.array(k, "as it is").fill(1);
  const roots: SecularRoot[] = [];
  for (let i = 0; i < k; i++) {
    const root = secularRoot(equation, i, distances);
    roots.push(root);
    timesRatios(weights, equation, root, i);
  }
  for (let j = 0; j < k; j++) weights[j] = Math.sqrt(Math.abs(weights[j]!)) * Math.sign(z[j]!);
  return { roots, exact: weights };
}

/** Pole j minus the root, where d_j is the pole, or its square is. */
function distance(d: number, o: number, tau: number, poles: SecularEquation["poles"]): number {
  return (poles === "d" ? d - o : (d - o) * (d + o)) - tau;
}

/** weights_j <- weights_j (pole_j - root) / (pole_j - pole_i), without the denominator for j = i. */
function timesRatios(
  weights: Float64Array,
  { d, poles }: SecularEquation,
  { origin, tau }: SecularRoot,
  i: number,
): void {
  const [own, o] = [d[i]!, d[origin]!];
  const before = weights[i]! * distance(own, o, tau, poles);
  const kernel = memoryOf(weights)?.kernel;
  if (kernel) {
    const name = poles === "d" ? "poleRatios" : "poleRatiosOfSquares";
    kernel[name](byte(weights), byte(d), 8 * d.length, o, tau, own);
  } else
    for (let j = 0; j < d.length; j++)
      weights[j]! *= distance(d[j]!, o, tau, poles) / distance(d[j]!, own, 0, poles);
  weights[i] = before;
}

/** A vector of unit length in pieces, each of which is some of its entries that stand together. */
export interface Piece {
  readonly into: Float64Array;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** into_j = z_j / (pole_j - root); the sum of their squares. */
export function quotients(
  into: Float64Array,
  z: Float64Array,
  { d, poles }: Pick<SecularEquation, "d" | "poles">,
  o: number,
  tau: number,
): number {
  const memory = memoryOf(into);
  if (memory) {
    const name = poles === "d" ? "quotients" : "quotientsOfSquares";
    const out = byte(memory.room);
    memory.kernel[name](byte(z), byte(d), 8 * d.length, o, tau, byte(into), out);
    return memory.room[0]!;
  }
  let square = 0;
  for (let j = 0; j < d.length; j++) {
    const quotient = z[j]! / distance(d[j]!, o, tau, poles);
    into[j] = quotient;
    square += quotient * quotient;
  }
  return square;
}

/** Writes pieces of factor x. */
export function writePieces(x: Float64Array, factor: number, pieces: readonly Piece[]): void {
  const kernel = memoryOf(x)?.kernel;
  for (const { into, at, from, to } of pieces)
    if (kernel) kernel.scaled(byte(x) + 8 * from, 8 * (to - from), factor, byte(into) + 8 * at);
    else for (let j = from; j < to; j++) into[at + j - from] = factor * x[j]!;
}
