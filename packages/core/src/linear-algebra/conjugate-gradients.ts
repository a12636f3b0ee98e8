// A x = b for a positive definite map that is known by its products: conjugate gradients with a preconditioner.
import { EngineError } from "../engine/error.ts";
import { dotOfDoubles } from "./dot.ts";
import type { PivotedCholesky } from "./pivoted-cholesky.ts";
import { singularDecomposition } from "./svd.ts";

export type VectorMap = (v: Float64Array) => Float64Array | Promise<Float64Array>;

export interface ConjugateGradientOptions {
  /** Something like A^-1, positive definite; default: the identity. */
  readonly preconditioner?: VectorMap;
  /** |b - A x| / |b| at which x counts as found; default 1e-10. */
  readonly tolerance?: number;
  /** Products with A at most; default: ten times as many as dimensions. */
  readonly steps?: number;
  readonly signal?: AbortSignal;
}

export interface ConjugateGradientSolution {
  readonly solution: Float64Array;
  /** |b - A x| / |b|, from a product with x itself; 0 for b = 0. */
  readonly residual: number;
  readonly converged: boolean;
  /** Products with A. */
  readonly products: number;
}

const length = (x: Float64Array): number => Math.sqrt(dotOfDoubles(x, x));

/** to <- to + times x. */
function add(to: Float64Array, x: Float64Array, times: number): void {
  for (let k = 0; k < to.length; k++) to[k]! += times * x[k]!;
}

/**
 * x with A x = b.
 * @example (await conjugateGradients((v) => v.map((x) => 4 * x), Float64Array.of(2, 8))).solution // Float64Array [0.5, 2]
 */
export async function conjugateGradients(
  product: VectorMap,
  b: Float64Array,
  {
    preconditioner = (v) => v.slice(),
    tolerance = 1e-10,
    steps = 10 * b.length,
    signal,
  }: ConjugateGradientOptions = {},
): Promise<ConjugateGradientSolution> {
  const size = length(b);
  if (!Number.isFinite(size))
    throw new EngineError("the right-hand side is not finite, or too large to square");
  const x = new Float64Array(b.length);
  const rest = b.slice();
  let products = 0;
  let direction = new Float64Array(0) as Float64Array;
  let before = 0;
  while (products < steps && length(rest) > tolerance * size) {
    signal?.throwIfAborted();
    const z = await preconditioner(rest);
    const along = dotOfDoubles(rest, z);
    const previous = direction;
    direction = previous.length === 0 ? z.slice() : z.map((v, k) => v + (along / before) * previous[k]!);
    before = along;
    const image = await product(direction);
    products++;
    const curvature = dotOfDoubles(direction, image);
    if (!(curvature > 0 && along > 0))
      throw new EngineError(
        `not positive definite: a direction with <p, A p> = ${curvature.toExponential(1)}`,
      );
    add(x, direction, along / curvature);
    add(rest, image, -along / curvature);
  }
  const image = await product(x);
  const residual = size === 0 ? 0 : length(b.map((v, k) => v - image[k]!)) / size;
  return { solution: x, residual, converged: residual <= 2 * tolerance, products: products + 1 };
}

/**
 * (L L^T + shift)^-1 as a map, for A = K + shift with K near L L^T: v less its parts along the singular vectors of L.
 * @example (await lowRankPreconditioner(await pivotedCholesky(Float64Array.of(3), () => Float64Array.of(3), 1), 1))(Float64Array.of(8)) // about [2]
 */
export async function lowRankPreconditioner(
  { factor }: PivotedCholesky,
  shift: number,
): Promise<(v: Float64Array) => Float64Array> {
  if (!(shift > 0 && Number.isFinite(shift)))
    throw new EngineError(`the shift must be positive, not ${shift}`);
  const { values, right } = await singularDecomposition(factor);
  const rows = Array.from(values, (_, k) =>
    right.entries.subarray(k * right.columns, (k + 1) * right.columns),
  );
  return (v) => {
    const result = v.map((x) => x / shift);
    rows.forEach((row, k) => {
      const weight = ((values[k]! ** 2 / (values[k]! ** 2 + shift)) * dotOfDoubles(row, v)) / shift;
      for (let j = 0; j < result.length; j++) result[j]! -= weight * row[j]!;
    });
    return result;
  };
}
