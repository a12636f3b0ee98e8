// A signal from x * phi and |x * psi|, by alternating projections (Griffin and Lim): the moduli are put in, and the nearest
// signal to the result is W* of it, since W keeps norms. Neither step moves away, so that the misfit never grows.
import { ScatteringError } from "./error.ts";
import { type FilterBank, opposite } from "./filter-bank.ts";
import { type Complex, complexZeros, gridFourier, inverseGridFourier } from "./fourier.ts";
import { littlewoodPaley } from "./littlewood-paley.ts";
import { convolved } from "./propagate.ts";

/** The outputs of one layer: x * phi and |x * psi| on the whole grid. */
export interface LayerModuli {
  readonly low: Float64Array;
  readonly moduli: readonly Float64Array[];
}

/**
 * One layer of a real signal.
 * @example layerModuli([1, 1, 1, 1], battleLemarieBank({ length: 4, scale: 1 })).low.map(Math.round) // Float64Array [1, 1, 1, 1]
 */
export function layerModuli(x: ArrayLike<number>, bank: FilterBank): LayerModuli {
  const { low, waves } = analysed(Float64Array.from(x), bank);
  return { low, moduli: waves.map(({ re, im }) => re.map((v, u) => Math.hypot(v, im[u]!))) };
}

export interface RetrievedPhases {
  readonly x: Float64Array;
  /** (|x * phi - low|^2 + sum | |x * psi| - modulus |^2)^(1/2) before each step, and at the end. */
  readonly misfits: readonly number[];
}

/**
 * Steps of alternating projections from a start, for a unitary bank.
 * @example retrievedPhases(layerModuli([1, 2, 0, 0], battleLemarieBank({ length: 4, scale: 1 })), battleLemarieBank({ length: 4, scale: 1 }), [1, 2, 0, 0], 1).misfits[1] < 1e-12 // true
 */
export function retrievedPhases(
  { low, moduli }: LayerModuli,
  bank: FilterBank,
  start: ArrayLike<number>,
  steps: number,
): RetrievedPhases {
  const { lower, upper } = littlewoodPaley(bank);
  if (lower < 1 - 1e-9 || upper > 1 + 1e-9)
    throw new ScatteringError(
      `projections need a bank that keeps norms; this one has the frame bounds ${lower} and ${upper}`,
    );
  if (moduli.length !== bank.wavelets.length)
    throw new ScatteringError(`${moduli.length} moduli for ${bank.wavelets.length} wavelets`);
  let x: Float64Array = Float64Array.from(start);
  const misfits: number[] = [];
  for (let step = 0; ; step++) {
    const { low: average, waves } = analysed(x, bank);
    const wanted = waves.map(({ re, im }, k) => withModulus({ re, im }, moduli[k]!));
    const off = (a: Float64Array, b: Float64Array): number =>
      a.reduce((sum, v, u) => sum + (v - b[u]!) ** 2, 0);
    const square = waves.reduce(
      (sum, { re, im }, k) => sum + off(re, wanted[k]!.re) + off(im, wanted[k]!.im),
      off(average, low),
    );
    misfits.push(Math.sqrt(square));
    if (step === steps) return { x, misfits };
    x = synthesised(low, wanted, bank);
  }
}

function analysed(x: Float64Array, bank: FilterBank) {
  const spectrum = gridFourier(bank.shape, x);
  return {
    low: convolved(bank, spectrum, bank.lowPass).re,
    waves: bank.wavelets.map((wavelet) => convolved(bank, spectrum, wavelet)),
  };
}

/** The phases of z with another modulus; where z is 0, phase 0. */
function withModulus({ re, im }: Complex, modulus: Float64Array): Complex {
  const out = complexZeros(re.length);
  for (let u = 0; u < re.length; u++) {
    const size = Math.hypot(re[u]!, im[u]!);
    out.re[u] = size === 0 ? modulus[u]! : (re[u]! * modulus[u]!) / size;
    out.im[u] = size === 0 ? 0 : (im[u]! * modulus[u]!) / size;
  }
  return out;
}

/** W* for real signals: phi^ low^ + the even part of the sum of psi^ z^ (half of it, and half of its mirror). */
function synthesised(low: Float64Array, waves: readonly Complex[], bank: FilterBank): Float64Array {
  const mirror = opposite(bank.shape);
  const { re: a, im: b } = gridFourier(bank.shape, low);
  const sum = { re: a.map((v, k) => v * bank.lowPass.re[k]!), im: b.map((v, k) => v * bank.lowPass.re[k]!) };
  waves.forEach(({ re, im }, n) => {
    const z = gridFourier(bank.shape, re, im);
    const psi = bank.wavelets[n]!.re;
    for (let k = 0; k < psi.length; k++) {
      const m = mirror[k]!;
      sum.re[k]! += (psi[k]! * z.re[k]! + psi[m]! * z.re[m]!) / 2;
      sum.im[k]! += (psi[k]! * z.im[k]! - psi[m]! * z.im[m]!) / 2;
    }
  });
  return inverseGridFourier(bank.shape, sum).re;
}
