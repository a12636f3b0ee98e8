// Scattering where there is a Laplacian (book 1, section 8.5.4): on a manifold, a mesh or a graph, filters are functions of
// its eigenvalues, T_eta x = sum_k eta(lambda_k) <x, phi_k> phi_k. With g(t) = e^-t the differences of g^2 from scale to scale
// are the squares of wavelets, so that all of them and the average keep the norm.
import { ScatteringError } from "./error.ts";
import type { Scattered } from "./propagate.ts";

/** Eigenvalues of minus the Laplacian, and an orthonormal eigenvector for each. */
export interface LaplaceBasis {
  readonly values: ArrayLike<number>;
  readonly vectors: readonly ArrayLike<number>[];
}

export interface SpectralBank {
  /** g(2^J lambda) at each eigenvalue. */
  readonly low: Float64Array;
  /** The finest first: sqrt(1 - g(2^(f - 1) lambda)^2), then sqrt(g(2^(j - 1) lambda)^2 - g(2^j lambda)^2) for j = f .. J. */
  readonly wavelets: readonly Float64Array[];
}

export interface SpectralOptions {
  /** J: the average is g(2^J lambda). */
  readonly scale: number;
  /** f, the finest scale; default: 0. */
  readonly finest?: number;
}

/**
 * Multipliers whose squares sum to 1 at every eigenvalue.
 * @example spectralBank([0, 1], { scale: 1 }).wavelets.length // 3
 */
export function spectralBank(
  values: ArrayLike<number>,
  { scale, finest = 0 }: SpectralOptions,
): SpectralBank {
  if (!(Number.isInteger(scale) && Number.isInteger(finest) && finest <= scale))
    throw new ScatteringError(`scales go from ${finest} up to ${scale}: two whole numbers, the finest first`);
  const all = Float64Array.from(values);
  if (!all.every((v) => v >= 0)) throw new ScatteringError("minus a Laplacian has no negative eigenvalue");
  const low = (j: number): Float64Array => all.map((v) => Math.exp(-(2 ** j) * v));
  // g(a)^2 - g(b)^2 = e^-2a (1 - e^-2(b - a)), without the loss of digits.
  const between = (j: number): Float64Array =>
    all.map((v) => Math.sqrt(Math.exp(-(2 ** j) * v) * -Math.expm1(-(2 ** j) * v)));
  return {
    low: low(scale),
    wavelets: [
      all.map((v) => Math.sqrt(-Math.expm1(-(2 ** finest) * v))),
      ...Array.from({ length: scale - finest + 1 }, (_, k) => between(finest + k)),
    ],
  };
}

/**
 * T_eta x.
 * @example [...multiplied({ values: [0, 1], vectors: [[1, 0], [0, 1]] }, [2, 3], [1, 1])] // [2, 3]
 */
export function multiplied(
  { vectors }: LaplaceBasis,
  eta: ArrayLike<number>,
  x: ArrayLike<number>,
): Float64Array {
  const out = new Float64Array(x.length);
  vectors.forEach((phi, k) => {
    let along = 0;
    for (let u = 0; u < x.length; u++) along += phi[u]! * x[u]!;
    for (let u = 0; u < x.length; u++) out[u]! += eta[k]! * along * phi[u]!;
  });
  return out;
}

/**
 * U[p] x and S[p] x for all paths up to an order (default 2): the modulus of a real signal is its absolute value.
 * @example spectralScattering({ values: [0, 1], vectors: [[1, 0], [0, 1]] }, [2, 3], { scale: 0, order: 1 }).length // 3
 */
export function spectralScattering(
  basis: LaplaceBasis,
  x: ArrayLike<number>,
  { order = 2, ...options }: SpectralOptions & { readonly order?: number },
): readonly Scattered[] {
  const { low, wavelets } = spectralBank(basis.values, options);
  if (basis.vectors.some((phi) => phi.length !== x.length))
    throw new ScatteringError(`the eigenvectors are not signals of ${x.length} numbers`);
  type Node = Omit<Scattered, "averaged">;
  let layer: readonly Node[] = [{ wavelets: [], propagated: Float64Array.from(x) }];
  const all: Scattered[] = [];
  for (let m = 0; ; m++) {
    for (const node of layer) all.push({ ...node, averaged: multiplied(basis, low, node.propagated) });
    if (m === order) return all;
    layer = layer.flatMap(({ wavelets: path, propagated }) =>
      wavelets.map((eta, n) => ({
        wavelets: [...path, n],
        propagated: multiplied(basis, eta, propagated).map(Math.abs),
      })),
    );
  }
}
