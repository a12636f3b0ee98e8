// The greatest eigenvalues of a symmetric map that is known by its products, with vectors: block Krylov spaces, each new
// block made orthogonal to all others twice, begun anew with the best vectors when they grow too large.
import { EngineError } from "../engine/error.ts";
import { createRandom, type Random } from "../numbers/random.ts";
import { matrixBlock, wholeBlock } from "./block.ts";
import { spectralDecomposition } from "./eigen.ts";
import type { Matrix } from "./matrix-norm.ts";
import { orthonormalRows, stacked } from "./orthonormal-rows.ts";
import { productOf } from "./product.ts";
import { greatestEntry } from "./solve.ts";
import { transposeOf } from "./svd.ts";
import { scaleExponent, timesPowerOfTwo } from "./well-formed.ts";

/** A V^T for vectors that are the rows of V, as rows again: V A for a symmetric matrix A. */
export type RowsProduct = (rows: Matrix) => Promise<Matrix>;

export interface TopOptions {
  readonly random?: Random;
  /** A pair counts as found when its residual is below this part of the greatest |eigenvalue| seen; default 1e-10. */
  readonly tolerance?: number;
  /** Vectors that are multiplied at once, not fewer than the pairs asked for; default: four more. */
  readonly blockSize?: number;
  /** Blocks that are multiplied at most; default 200. */
  readonly steps?: number;
  readonly signal?: AbortSignal;
}

export interface TopEigenpairs {
  /** Descending. */
  readonly values: Float64Array;
  /** Row k is the unit vector of values[k]; the rows are orthonormal. */
  readonly vectors: Matrix;
  /** |A v_k - values[k] v_k|: some eigenvalue lies within this distance of values[k]. */
  readonly residuals: Float64Array;
  /** Whether all residuals are within the tolerance. */
  readonly converged: boolean;
  /** Vectors that were multiplied. */
  readonly products: number;
}

/** Blocks in a basis before it begins anew, and numbers that it may take. */
const blocksInBasis = 16;
const basisLimit = 2e7;

/** Orthonormal rows and their products, these on the scale of 2^-exponent. */
interface Basis {
  readonly q: Matrix;
  readonly image: Matrix;
}

/**
 * The `count` greatest eigenvalues of a symmetric map of R^size and their vectors.
 * @example (await topEigenpairs(async (v) => ({ ...v, entries: v.entries.map((x, k) => (k % 3) * x) }), 3, 1)).values.map(Math.round) // Float64Array [2]
 */
export async function topEigenpairs(
  product: RowsProduct,
  size: number,
  count: number,
  { random = createRandom("top"), tolerance = 1e-10, blockSize, steps = 200, signal }: TopOptions = {},
): Promise<TopEigenpairs> {
  if (!(Number.isInteger(count) && count >= 0 && count <= size))
    throw new EngineError(`${count} eigenpairs of a map of ${size} dimensions`);
  const width = Math.min(size, Math.max(count, blockSize ?? count + 4));
  const most = Math.max(count + 3 * width, Math.min(blocksInBasis * width, Math.floor(basisLimit / size)));
  const nothing: Matrix = { rows: 0, columns: size, entries: new Float64Array(0) };
  let basis: Basis = { q: nothing, image: nothing };
  let block = await orthonormalRows(gaussianRows(random, width, size), nothing);
  let exponent: number | undefined;
  for (let [step, products] = [1, 0]; ; step++) {
    signal?.throwIfAborted();
    const image = await imageOf(product, block);
    exponent ??= scaleExponent(greatestEntry(image.entries));
    const near: Matrix = { ...image, entries: timesPowerOfTwo(image.entries, -exponent) };
    products += block.rows;
    basis = { q: stacked(basis.q, block), image: stacked(basis.image, near) };
    const ritz = await ritzCoefficients(basis);
    const found = topOf(await ritzPairs(basis, ritz, count), ritz.values, tolerance);
    if (found.converged || step >= steps || basis.q.rows >= size || count === 0)
      return { ...found, ...rescaled(found, exponent), products };
    // What the basis lacks: the products of its last block, or where they are in it already, something new.
    const missing = await orthonormalRows(near, basis.q);
    block = missing.rows > 0 ? missing : await orthonormalRows(gaussianRows(random, width, size), basis.q);
    if (basis.q.rows + width > most) basis = await ritzPairs(basis, ritz, count + width);
  }
}

type Found = Omit<TopEigenpairs, "products">;

const rescaled = ({ values, residuals }: Found, exponent: number): Pick<Found, "values" | "residuals"> => ({
  values: timesPowerOfTwo(values, exponent),
  residuals: timesPowerOfTwo(residuals, exponent),
});

const gaussianRows = (random: Random, rows: number, columns: number): Matrix => ({
  ...{ rows, columns },
  entries: random.normal(rows * columns),
});

async function imageOf(product: RowsProduct, rows: Matrix): Promise<Matrix> {
  const image = await product(rows);
  if (image.rows !== rows.rows || image.columns !== rows.columns)
    throw new EngineError(
      `the product of ${rows.rows} x ${rows.columns} rows is ${image.rows} x ${image.columns}`,
    );
  if (!image.entries.every(Number.isFinite)) throw new EngineError("a product with the map is not finite");
  return image;
}

interface RitzCoefficients {
  /** Descending. */
  readonly values: Float64Array;
  /** Row k: the coefficients of a vector in the basis. */
  readonly coefficients: Matrix;
}

/** The eigenpairs of Q A Q^T. */
async function ritzCoefficients({ q, image }: Basis): Promise<RitzCoefficients> {
  const small = await productOf(wholeBlock(q), wholeBlock(transposeOf(image)));
  const turned = transposeOf(small).entries;
  const symmetric = { ...small, entries: small.entries.map((x, k) => 0.5 * (x + turned[k]!)) };
  const { values, vectors } = await spectralDecomposition(symmetric);
  return { values: values.toReversed(), coefficients: upsideDown(vectors) };
}

/** The first of them as vectors of the whole space, with their products. */
async function ritzPairs(
  { q, image }: Basis,
  { coefficients }: RitzCoefficients,
  count: number,
): Promise<Basis> {
  const first = matrixBlock(coefficients, [0, Math.min(count, q.rows)], [0, q.rows]);
  return { q: await productOf(first, wholeBlock(q)), image: await productOf(first, wholeBlock(image)) };
}

/** The rows in the opposite order. */
function upsideDown({ rows, columns, entries }: Matrix): Matrix {
  const turned = new Float64Array(entries.length);
  for (let k = 0; k < rows; k++)
    turned.set(entries.subarray(k * columns, (k + 1) * columns), (rows - 1 - k) * columns);
  return { rows, columns, entries: turned };
}

function topOf({ q, image }: Basis, values: Float64Array, tolerance: number): Found {
  const [count, n] = [q.rows, q.columns];
  const residuals = Float64Array.from({ length: count }, (_, k) => {
    let square = 0;
    for (let j = k * n; j < (k + 1) * n; j++) square += (image.entries[j]! - values[k]! * q.entries[j]!) ** 2;
    return Math.sqrt(square);
  });
  const norm = values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const converged = residuals.every((residual) => residual <= tolerance * norm);
  return { values: values.slice(0, count), vectors: q, residuals, converged };
}
