// The scattering transform as it is defined, without leaving out samples: U[p + lambda] x = |U[p] x * psi_lambda|,
// S[p] x = U[p] x * phi. Periodic, in double precision: what energies and certificates are measured on.
import { ScatteringError } from "./error.ts";
import type { Filter, FilterBank } from "./filter-bank.ts";
import { type Complex, complexZeros, gridFourier, inverseGridFourier } from "./fourier.ts";

export interface Scattered {
  /** Places in the bank, one an order. */
  readonly wavelets: readonly number[];
  /** U[p] x on the whole grid. */
  readonly propagated: Float64Array;
  /** S[p] x on the whole grid. */
  readonly averaged: Float64Array;
}

interface Node {
  readonly wavelets: readonly number[];
  readonly propagated: Float64Array;
  readonly spectrum: Complex;
}

export interface PropagateOptions {
  /** The largest order; default: 2. */
  readonly order?: number;
  /** "decreasing" frequencies only, each scale coarser than the one before it (the default), or "all" paths. */
  readonly paths?: "decreasing" | "all";
}

/**
 * U[p] x and S[p] x for all paths up to an order, in the order of `paths`.
 * @example propagate([1, 2, 0, 0, 3, 0, 1, 1], battleLemarieBank({ length: 8, scale: 2 })).length // 4
 */
export function propagate(
  x: ArrayLike<number>,
  bank: FilterBank,
  { order = 2, paths = "decreasing" }: PropagateOptions = {},
): readonly Scattered[] {
  const size = bank.shape.reduce((a, b) => a * b, 1);
  if (x.length !== size)
    throw new ScatteringError(`the bank is for ${bank.shape.join(" x ")} samples, not ${x.length}`);
  const start = Float64Array.from(x);
  let layer: readonly Node[] = [
    { wavelets: [], propagated: start, spectrum: gridFourier(bank.shape, start) },
  ];
  const all: Scattered[] = [];
  for (let m = 0; ; m++) {
    for (const { wavelets, propagated, spectrum } of layer)
      all.push({ wavelets, propagated, averaged: convolved(bank, spectrum, bank.lowPass).re });
    if (m === order) return all;
    layer = layer.flatMap(({ wavelets, spectrum }) =>
      bank.wavelets.flatMap((wavelet, n) => {
        const last = wavelets.at(-1);
        const isCoarser = last === undefined || wavelet.j > bank.wavelets[last]!.j;
        if (paths === "decreasing" && !isCoarser) return [];
        const propagated = modulus(convolved(bank, spectrum, wavelet));
        return [{ wavelets: [...wavelets, n], propagated, spectrum: gridFourier(bank.shape, propagated) }];
      }),
    );
  }
}

/** x * h on the grid, from the transform of x. */
export function convolved({ shape }: FilterBank, spectrum: Complex, filter: Filter): Complex {
  return inverseGridFourier(shape, filtered(spectrum, filter));
}

function filtered({ re, im }: Complex, { re: a, im: b }: Filter): Complex {
  const out = complexZeros(re.length);
  for (let k = 0; k < re.length; k++) {
    const [c, s] = [a[k]!, b ? b[k]! : 0];
    out.re[k] = re[k]! * c - im[k]! * s;
    out.im[k] = re[k]! * s + im[k]! * c;
  }
  return out;
}

const modulus = ({ re, im }: Complex): Float64Array => re.map((v, k) => Math.hypot(v, im[k]!));
