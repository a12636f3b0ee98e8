// A x = lambda B x for symmetric A and positive definite B: with B = R^T R and y = R x it is R^-T A R^-1 y = lambda y.
import { EngineError } from "../engine/error.ts";
import { wholeBlock } from "./block.ts";
import { cholesky } from "./cholesky.ts";
import { type SpectralDecomposition, spectralDecomposition } from "./eigen.ts";
import type { Matrix } from "./matrix-norm.ts";
import { transposeOf } from "./svd.ts";
import { solveTriangular } from "./triangular.ts";
import { requireFinite, scaledSymmetric, scaleExponent, timesPowerOfTwo } from "./well-formed.ts";

/**
 * All lambda and x with A x = lambda B x. The rows of the vectors are orthonormal in the product of B: x_j^T B x_k is 1 for
 * j = k and 0 otherwise. Errors grow with the condition number of B.
 * @example (await generalizedEigen(matrixOfRows([[6]]), matrixOfRows([[4]]))).values // Float64Array [1.5]
 */
export async function generalizedEigen(a: Matrix, b: Matrix): Promise<SpectralDecomposition> {
  if (a.rows !== b.rows || a.columns !== b.columns)
    throw new EngineError(`A is ${a.rows} x ${a.columns}, B is ${b.rows} x ${b.columns}`);
  const { upper, exponent } = scaledSymmetric("A of a generalized eigenproblem", a);
  // B on a scale of its own: quotients of numbers at the end of the range are moderate.
  const scale = scaleExponent(requireFinite("B of a generalized eigenproblem", b));
  const { factor } = await cholesky({ ...b, entries: timesPowerOfTwo(b.entries, -scale) });
  const reduced = await reducedBy(factor, mirrored(upper));
  const { values, vectors } = await spectralDecomposition(reduced);
  const x = transposeOf(vectors);
  await solveTriangular(wholeBlock(factor), { half: "upper" }, wholeBlock(x)); // x = R^-1 y
  const entries = timesPowerOfTwo(transposeOf(x).entries, -scale / 2);
  return { values: timesPowerOfTwo(values, exponent - scale), vectors: { ...x, entries } };
}

/** R^-T A R^-1. */
async function reducedBy(factor: Matrix, a: Matrix): Promise<Matrix> {
  const triangle = { half: "upper", transposed: true } as const;
  await solveTriangular(wholeBlock(factor), triangle, wholeBlock(a));
  const turned = transposeOf(a);
  await solveTriangular(wholeBlock(factor), triangle, wholeBlock(turned));
  return mirrored(turned);
}

/** The symmetric matrix with this upper half, in place. */
function mirrored(matrix: Matrix): Matrix {
  const { rows: n, entries } = matrix;
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) entries[i * n + j] = entries[j * n + i]!;
  return matrix;
}
