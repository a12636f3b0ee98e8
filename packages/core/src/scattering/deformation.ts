// Deformations x_tau(u) = x(u - tau(u)) of one variable, their size in the stability theorem (book 1, Theorem 8.9), and a
// bound on what they change that is computed from the discrete operators:
// |S x_tau - S x| <= (sum_{n <= m} |U[order n] x|) (|[W, L]| + |L A - A|), where L commutes with the modulus.
import { type Matrix, singularDecomposition } from "../linear-algebra/index.ts";
import { energyLedger } from "./energy.ts";
import { ScatteringError } from "./error.ts";
import type { Filter, FilterBank } from "./filter-bank.ts";
import { inverseFourier } from "./fourier.ts";
import { littlewoodPaley } from "./littlewood-paley.ts";
import type { PropagateOptions } from "./propagate.ts";
import { scatteringDistances } from "./translation.ts";

export interface DeformationSize {
  /** sup |tau|, sup |tau'|, sup |tau''| and sup |tau(u) - tau(v)|, in samples. */
  readonly displacement: number;
  readonly gradient: number;
  readonly hessian: number;
  readonly spread: number;
  /** K(tau) = 2^-J |tau| + |tau'| max(1, log(spread / |tau'|)) + |tau''| */
  readonly size: number;
  /** |tau'| < 1: the deformation has an inverse. */
  readonly isDiffeomorphism: boolean;
  /** |tau'| <= 1/2, as the theorem asks. */
  readonly theoremApplies: boolean;
}

/**
 * The norms of a displacement that is given at the samples of a periodic line, by central differences.
 * @example deformationSize(new Float64Array(64).fill(3), 3).size // 3 / 8
 */
export function deformationSize(tau: ArrayLike<number>, scale: number): DeformationSize {
  const n = tau.length;
  let [displacement, gradient, hessian] = [0, 0, 0];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let u = 0; u < n; u++) {
    const [before, at, after] = [tau[(u + n - 1) % n]!, tau[u]!, tau[(u + 1) % n]!];
    displacement = Math.max(displacement, Math.abs(at));
    gradient = Math.max(gradient, Math.abs(after - before) / 2);
    hessian = Math.max(hessian, Math.abs(after - 2 * at + before));
    [least, most] = [Math.min(least, at), Math.max(most, at)];
  }
  const spread = most - least;
  const slope = gradient === 0 ? 0 : gradient * Math.max(1, Math.log(spread / gradient));
  return {
    ...{ displacement, gradient, hessian, spread, size: 2 ** -scale * displacement + slope + hessian },
    ...{ isDiffeomorphism: gradient < 1, theoremApplies: gradient <= 0.5 },
  };
}

/** Which sample each point shows: the nearest to u - tau(u). Such a warp commutes with any function of single samples. */
export function warp(tau: ArrayLike<number>): Int32Array {
  const n = tau.length;
  return Int32Array.from({ length: n }, (_, u) => ((Math.round(u - tau[u]!) % n) + n) % n);
}

/**
 * x(u - tau(u)) by the nearest sample, periodically.
 * @example [...warped([1, 2, 3, 4], [1, 1, 1, 1])] // [4, 1, 2, 3]
 */
export const warped = (x: ArrayLike<number>, tau: ArrayLike<number>): Float64Array =>
  Float64Array.from(warp(tau), (from) => x[from]!);

export interface DeformationCertificate extends DeformationSize {
  /** |S x_tau - S x| over all orders. */
  readonly measured: number;
  readonly bound: number;
  /** |[W, L]|: how far wavelets and the warp are from commuting. */
  readonly commutator: number;
  /** |L A - A| */
  readonly averages: number;
}

/**
 * The change by a deformation under a certificate of its own operators, for a bank of one variable with upper bound 1.
 * @example (await deformationCertificate([1, 2, 0, 0, 3, 0, 1, 1], new Array(8).fill(0), battleLemarieBank({ length: 8, scale: 2 }))).bound // 0
 */
export async function deformationCertificate(
  x: ArrayLike<number>,
  tau: ArrayLike<number>,
  bank: FilterBank,
  options: PropagateOptions = {},
): Promise<DeformationCertificate> {
  const [n] = bank.shape as [number];
  if (bank.shape.length !== 1) throw new ScatteringError("the certificate is of signals of one variable");
  if (tau.length !== n)
    throw new ScatteringError(`the displacement has ${tau.length} samples, the bank ${n}`);
  const { upper } = littlewoodPaley(bank);
  if (upper > 1 + 1e-12)
    throw new ScatteringError(
      `a bank with upper bound ${upper} expands distances: the certificate is of banks up to 1 (nonExpansive makes one)`,
    );
  const shown = warp(tau);
  const blocks = bank.wavelets.flatMap((wavelet) => commutatorRows(wavelet, shown));
  const low = commutatorRows(bank.lowPass, shown);
  const commutator = await norm([...blocks, ...low], n);
  const averages = await norm(movedRows(bank.lowPass, shown), n);
  const { depthNorm } = energyLedger(x, bank, options);
  const distances = scatteringDistances(
    Float64Array.from(shown, (from) => x[from]!),
    x,
    bank,
    options,
  );
  return {
    ...deformationSize(tau, bank.scale),
    ...{
      commutator,
      averages,
      bound: depthNorm * (commutator + averages),
      measured: Math.hypot(...distances),
    },
  };
}

/** The matrices of a filter, one for its real part and one for the imaginary: [u, v] -> h[u - v]. */
function matrices({ re, im }: Filter): readonly ((u: number, v: number) => number)[] {
  const n = re.length;
  const kernel = inverseFourier({ re, im: im ?? new Float64Array(n) });
  return [kernel.re, kernel.im].map((h) => (u: number, v: number) => h[(((u - v) % n) + n) % n]!);
}

/** Rows of H L - L H: (H L)[u, w] sums h[u - v] over the v that show w, (L H)[u, w] = h[shown(u) - w]. */
function commutatorRows(filter: Filter, shown: Int32Array): readonly Float64Array[] {
  const n = shown.length;
  return matrices(filter).flatMap((h) =>
    Array.from({ length: n }, (_, u) => {
      const row = Float64Array.from({ length: n }, (__, w) => -h(shown[u]!, w));
      for (let v = 0; v < n; v++) row[shown[v]!]! += h(u, v);
      return row;
    }),
  );
}

/** Rows of L A - A. */
const movedRows = (filter: Filter, shown: Int32Array): readonly Float64Array[] =>
  matrices(filter).flatMap((h) =>
    Array.from({ length: shown.length }, (_, u) =>
      Float64Array.from({ length: shown.length }, (__, w) => h(shown[u]!, w) - h(u, w)),
    ),
  );

/** The largest singular value. */
async function norm(rows: readonly Float64Array[], columns: number): Promise<number> {
  const entries = new Float64Array(rows.length * columns);
  rows.forEach((row, k) => {
    entries.set(row, k * columns);
  });
  const matrix: Matrix = { rows: rows.length, columns, entries };
  const { values } = await singularDecomposition(matrix);
  return values[0] ?? 0;
}
