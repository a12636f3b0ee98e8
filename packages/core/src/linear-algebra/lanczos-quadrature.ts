// Gauss quadrature for the spectrum of a symmetric map that is known by its products: eigenvalues as one vector sees them.
import { dotOfDoubles } from "./dot.ts";
import { tridiagonalEigen } from "./tridiagonal.ts";

export interface QuadratureOptions {
  /** Products with the map at most. */
  readonly steps: number;
  /** Called after each product. */
  readonly onStep?: () => void;
  readonly signal?: AbortSignal;
}

export interface Quadrature {
  /** Ascending. At least as many eigenvalues of the map as of these lie below any number (Cauchy interlacing). */
  readonly nodes: Float64Array;
  /** sum_k weights[k] f(nodes[k]) is <v, f(A) v> for the start v, exactly for polynomials of degree below twice the steps. */
  readonly weights: Float64Array;
  /** |A q - node q| for the Ritz vector of each node: an eigenvalue lies within. */
  readonly residuals: Float64Array;
}

/** Numbers that the basis may take. */
const basisLimit = 4e7;

/**
 * Lanczos' iteration from a unit vector, with every new vector made orthogonal to all the others twice.
 * @example (await lanczosQuadrature(async (v) => v.map((x, k) => k * x), Float64Array.of(0.6, 0.8), { steps: 2 })).weights // about [0.36, 0.64]
 */
export async function lanczosQuadrature(
  product: (v: Float64Array) => Promise<Float64Array>,
  start: Float64Array,
  { steps, onStep, signal }: QuadratureOptions,
): Promise<Quadrature> {
  const size = start.length;
  const most = Math.max(2, Math.min(steps, size, Math.floor(basisLimit / size)));
  const basis = [start];
  const [diagonal, off]: [number[], number[]] = [[], []];
  for (let k = 1; ; k++) {
    signal?.throwIfAborted();
    const q = basis[k - 1]!;
    const next = (await product(q)).slice();
    onStep?.();
    diagonal.push(dotOfDoubles(q, next));
    for (let again = 0; again < 2; again++)
      for (const b of basis) {
        const share = dotOfDoubles(b, next);
        for (let i = 0; i < size; i++) next[i]! -= share * b[i]!;
      }
    const rest = Math.sqrt(dotOfDoubles(next, next));
    const scale = Math.max(...diagonal.map(Math.abs), ...off);
    const isInvariant = k === size || !(rest > 1e-13 * scale);
    if (k >= most || isInvariant) return read(diagonal, off, isInvariant ? 0 : rest);
    off.push(rest);
    basis.push(next.map((x) => x / rest));
  }
}

/** First components are the last ones of the matrix turned round. */
function read(diagonal: readonly number[], off: readonly number[], rest: number): Quadrature {
  const forward = tridiagonalEigen({ diagonal: Float64Array.from(diagonal), off: Float64Array.from(off) });
  const backward = tridiagonalEigen({
    diagonal: Float64Array.from(diagonal.toReversed()),
    off: Float64Array.from(off.toReversed()),
  });
  return {
    nodes: forward.values,
    weights: backward.last.map((z) => z * z),
    residuals: forward.last.map((z) => Math.abs(rest * z)),
  };
}
