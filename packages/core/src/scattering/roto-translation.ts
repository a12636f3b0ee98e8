// Scattering on the group of translations and rotations (book 1, section 8.5.2): the second wavelets see positions and
// angles together, so that averages over the whole group keep how orientations lie to each other.
// Angles go round the FULL circle, 2 K of them: |x * psi| has period K, but z(q + K) is the conjugate of z(q) where
// z(q) = |x * psi_(j1, q)| * psi_(j2, q + q2), and a period of K is not equivariant under rotations.
import { ScatteringError } from "./error.ts";
import type { FilterBank } from "./filter-bank.ts";
import { type Complex, fourier, gridFourier, inverseFourier } from "./fourier.ts";
import { convolved } from "./propagate.ts";

export interface JointCoefficient {
  readonly j1: number;
  readonly j2: number;
  /** The angle of the second wavelet to the first, in steps of pi / K. */
  readonly relative: number;
  /** The octave of frequencies along the angles; -1 is the average over all of them. */
  readonly angular: number;
  /** The mean of the modulus over the group. */
  readonly value: number;
}

/** Octaves of frequencies on a circle of n angles, of both signs. */
const bandOf = (f: number, n: number): number => {
  const size = Math.min(f, n - f);
  return size === 0 ? -1 : Math.floor(Math.log2(size));
};

/**
 * Averages over translations and rotations: of order 1 over positions and angles, of order 2 of the joint wavelets.
 * @example rotoTranslation(new Float64Array(81).map((_, k) => k % 5), polarBank({ shape: [9, 9], scale: 1, angles: 4 })).first.length // 1
 */
export function rotoTranslation(
  x: ArrayLike<number>,
  bank: FilterBank,
): { readonly first: readonly number[]; readonly joint: readonly JointCoefficient[] } {
  const scales = [...new Set(bank.wavelets.map(({ j }) => j))];
  const K = bank.wavelets.length / scales.length;
  if (bank.shape.length !== 2 || bank.wavelets.some(({ theta }) => theta === undefined))
    throw new ScatteringError("rotations turn pictures: the bank has no angles");
  const at = (j: number, q: number) =>
    bank.wavelets.find((wavelet) => wavelet.j === j && wavelet.theta === q % K)!;
  const spectrum = gridFourier(bank.shape, Float64Array.from(x));
  const first: number[] = [];
  const joint: JointCoefficient[] = [];
  for (const j1 of scales) {
    const layers = Array.from({ length: K }, (_, q) => {
      const { re, im } = convolved(bank, spectrum, at(j1, q));
      return re.map((v, u) => Math.hypot(v, im[u]!));
    });
    first.push(layers.reduce((sum, u) => sum + meanOf(u), 0) / K);
    const spectra = layers.map((u) => gridFourier(bank.shape, u));
    for (const j2 of scales.filter((j) => j > j1))
      for (let relative = 0; relative < K; relative++) {
        const half = spectra.map((u, q) => {
          const z = convolved(bank, u, at(j2, q + relative));
          // psi at an angle of K steps more is its conjugate: the filters are real in frequency.
          return Math.floor((q + relative) / K) % 2 === 0 ? z : { re: z.re, im: z.im.map((v) => -v) };
        });
        const circle = [...half, ...half.map(({ re, im }) => ({ re, im: im.map((v) => -v) }))];
        for (const [angular, value] of alongAngles(circle)) joint.push({ j1, j2, relative, angular, value });
      }
  }
  return { first, joint };
}

const meanOf = (values: Float64Array): number => values.reduce((sum, v) => sum + v, 0) / values.length;

/** The mean modulus of each band along the circle of angles, over all positions; -1 is the average over angles. */
function alongAngles(circle: readonly Complex[]): ReadonlyMap<number, number> {
  const n = circle.length;
  const places = circle[0]!.re.length;
  const sums = new Map<number, number>();
  for (let u = 0; u < places; u++) {
    const line = fourier({
      re: Float64Array.from(circle, ({ re }) => re[u]!),
      im: Float64Array.from(circle, ({ im }) => im[u]!),
    });
    const bands = new Set(Array.from({ length: n }, (_, f) => bandOf(f, n)));
    for (const band of bands) {
      const keep = (values: Float64Array): Float64Array =>
        values.map((v, f) => (bandOf(f, n) === band ? v : 0));
      const { re, im } = inverseFourier({ re: keep(line.re), im: keep(line.im) });
      const size = re.reduce((sum, v, q) => sum + Math.hypot(v, im[q]!), 0) / n / places;
      sums.set(band, (sums.get(band) ?? 0) + size);
    }
  }
  return sums;
}
