// Solid harmonic scattering of a density in space (book 1, section 8.5.2, Figure 8.13): wavelets
// psi_(l,m)(u) = (2 pi)^(-3/2) e^(-|u|^2/2) |u|^l Y_lm(u / |u|), of which sum_m |rho * psi_(j,l,m)|^2 turns with the density.
// Integrals of powers of its root are invariants of a molecule. Convolutions are periodic, on a cube.
import { ScatteringError } from "./error.ts";
import { angularFrequency } from "./filter-bank.ts";
import { type Complex, complexZeros, gridFourier, inverseGridFourier } from "./fourier.ts";

export interface SolidHarmonicOptions {
  /** J: the scales are 2^0 .. 2^J samples. */
  readonly scale: number;
  /** L: degrees 0 .. L; default: 3. */
  readonly degree?: number;
  /** Powers q of the integrals; default: 1/2, 1 and 2. */
  readonly powers?: readonly number[];
}

export interface SolidHarmonicCoefficient {
  /** One scale, or two of order 2, each coarser than the one before. */
  readonly scales: readonly number[];
  readonly degree: number;
  readonly power: number;
  /** sum over u of U[..] rho(u)^q */
  readonly value: number;
}

export type Point = readonly [x: number, y: number, z: number];

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}
const binomial = (n: number, k: number): number => factorial(n) / factorial(k) / factorial(n - k);

/**
 * The real solid harmonics |u|^l Y_lm(u / |u|), m = -l .. l, orthonormal on the sphere.
 * @example solidHarmonics(1, [0, 0, 2]).map((v) => v.toFixed(4)) // ["0.0000", "0.9772", "0.0000"]
 */
export function solidHarmonics(degree: number, [x, y, z]: Point): readonly number[] {
  const square = x * x + y * y + z * z;
  // (x + i y)^m, and the polynomial of z and |u|^2 that goes with it.
  const powers: [number, number][] = [[1, 0]];
  for (let m = 1; m <= degree; m++) {
    const [a, b] = powers[m - 1]!;
    powers.push([a * x - b * y, a * y + b * x]);
  }
  const along = (m: number): number => {
    let sum = 0;
    for (let k = 0; 2 * k <= degree - m; k++)
      sum +=
        ((-1) ** k *
          2 ** -degree *
          binomial(degree, k) *
          binomial(2 * degree - 2 * k, degree) *
          factorial(degree - 2 * k) *
          square ** k *
          z ** (degree - 2 * k - m)) /
        factorial(degree - 2 * k - m);
    return sum * Math.sqrt(factorial(degree - m) / factorial(degree + m));
  };
  const size = Math.sqrt((2 * degree + 1) / (2 * Math.PI));
  return Array.from({ length: 2 * degree + 1 }, (_, at) => {
    const m = at - degree;
    if (m === 0) return (size / Math.SQRT2) * along(0);
    return size * along(Math.abs(m)) * powers[Math.abs(m)]![m > 0 ? 0 : 1];
  });
}

/**
 * psi^_(j,l,m) on the cube of n^3 frequencies, m = -l .. l, without its factor (-i)^l: 2^(j l) e^(-4^j w^2 / 2) |w|^l Y_lm.
 * @example solidHarmonicFilters(3, 0, 1).length // 3
 */
export function solidHarmonicFilters(n: number, scale: number, degree: number): readonly Float64Array[] {
  const filters = Array.from({ length: 2 * degree + 1 }, () => new Float64Array(n ** 3));
  const axis = Array.from({ length: n }, (_, k) => 2 ** scale * angularFrequency(k, n));
  let at = 0;
  for (const a of axis)
    for (const b of axis)
      for (const c of axis) {
        const falling = Math.exp(-(a * a + b * b + c * c) / 2);
        solidHarmonics(degree, [a, b, c]).forEach((v, m) => {
          filters[m]![at] = falling * v;
        });
        at++;
      }
  return filters;
}

/** rho * psi up to the factor i^l, which the modulus does not see. */
const wave = ({ re, im }: Complex, filter: Float64Array, n: number): Complex =>
  inverseGridFourier([n, n, n], {
    re: re.map((v, k) => v * filter[k]!),
    im: im.map((v, k) => v * filter[k]!),
  });

/** (sum_m |rho * psi_(j,l,m)(u)|^2)^(1/2) from the spectrum of rho. */
function modulus(spectrum: Complex, filters: readonly Float64Array[], n: number): Float64Array {
  const square = new Float64Array(n ** 3);
  for (const filter of filters) {
    const { re, im } = wave(spectrum, filter, n);
    for (let u = 0; u < square.length; u++) square[u]! += re[u]! ** 2 + im[u]! ** 2;
  }
  return square.map(Math.sqrt);
}

/**
 * The density of atoms on a periodic cube of n^3 samples: a Gaussian of some width (in samples) each, times its charge.
 * @example atomDensity([{ place: [0, 0, 0], charge: 1 }], 5, 1).length // 125
 */
export function atomDensity(
  atoms: readonly { readonly place: Point; readonly charge: number }[],
  n: number,
  width: number,
): Float64Array {
  // Made of frequencies, so that an atom may lie between samples.
  const spectrum = complexZeros(n ** 3);
  const axis = Array.from({ length: n }, (_, k) => angularFrequency(k, n));
  for (const { place, charge } of atoms) {
    let at = 0;
    for (const a of axis)
      for (const b of axis)
        for (const c of axis) {
          const size = charge * Math.exp((-(a * a + b * b + c * c) * width ** 2) / 2);
          const turn = a * place[0] + b * place[1] + c * place[2];
          spectrum.re[at]! += size * Math.cos(turn);
          spectrum.im[at]! -= size * Math.sin(turn);
          at++;
        }
  }
  return inverseGridFourier([n, n, n], spectrum).re;
}

/**
 * Invariants of orders 1 and 2 of a density on a cube of n^3 samples, n odd: an even cube has frequencies without a mirror.
 * @example solidHarmonicScattering(new Float64Array(27).fill(1), 3, { scale: 0, degree: 1 }).length // 6
 */
export function solidHarmonicScattering(
  density: ArrayLike<number>,
  n: number,
  { scale, degree = 3, powers = [0.5, 1, 2] }: SolidHarmonicOptions,
): readonly SolidHarmonicCoefficient[] {
  if (density.length !== n ** 3 || n % 2 === 0)
    throw new ScatteringError(`a density has n^3 samples with odd n, not ${density.length} with n = ${n}`);
  const scales = Array.from({ length: scale + 1 }, (_, j) => j);
  const degrees = Array.from({ length: degree + 1 }, (_, l) => l);
  const banks = scales.map((j) => degrees.map((l) => solidHarmonicFilters(n, j, l)));
  const all: SolidHarmonicCoefficient[] = [];
  const collect = (U: Float64Array, path: readonly number[], l: number): void => {
    for (const q of powers)
      all.push({ ...{ scales: path, degree: l, power: q }, value: U.reduce((sum, v) => sum + v ** q, 0) });
  };
  const spectrum = gridFourier([n, n, n], Float64Array.from(density));
  for (const j of scales)
    for (const l of degrees) {
      const U = modulus(spectrum, banks[j]![l]!, n);
      collect(U, [j], l);
      const next = gridFourier([n, n, n], U);
      for (const k of scales.filter((other) => other > j))
        collect(modulus(next, banks[k]![l]!, n), [j, k], l);
    }
  return all;
}
