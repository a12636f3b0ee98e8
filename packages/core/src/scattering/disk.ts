// The frequency disk on which scattering coefficients are shown (book 1, Figure 8.5): a ring for each scale, cut into
// sectors by angle, and of order 2 each sector cut again by the second scale and angle.
import { energy } from "./energy.ts";
import { type FilterBank, power } from "./filter-bank.ts";

/** A part of the disk of radius 1: between two radii and two angles, in radians. */
export interface Sector {
  /** Places in the bank, one an order. */
  readonly wavelets: readonly number[];
  readonly radii: readonly [number, number];
  readonly angles: readonly [number, number];
}

/**
 * The area of a sector.
 * @example sectorArea({ wavelets: [], radii: [0, 1], angles: [0, 2] }) // 1
 */
export const sectorArea = ({ radii: [inner, outer], angles: [from, to] }: Sector): number =>
  ((to - from) * (outer ** 2 - inner ** 2)) / 2;

/** Of a wavelet: sum |psi^|^2, which its area follows. */
const weightOf = ({ re, im }: FilterBank["wavelets"][number]): number => energy(re) + (im ? energy(im) : 0);

interface Ring {
  readonly wavelets: readonly number[];
  readonly weight: number;
}

/** Rings from the finest scale, at the edge, inwards; areas follow weights, which together fill the disk. */
function ringsOf(bank: FilterBank, weights: readonly number[]): readonly Ring[] {
  const scales = [...new Set(bank.wavelets.map(({ j }) => j))].sort((a, b) => a - b);
  return scales.map((j) => {
    const wavelets = bank.wavelets.flatMap((wavelet, n) => (wavelet.j === j ? [n] : []));
    return { wavelets, weight: wavelets.reduce((sum, n) => sum + weights[n]!, 0) };
  });
}

/**
 * The sectors of order 1, which fill the right half of the disk: the left one is their mirror image.
 * @example firstSectors(polarBank({ shape: [16, 16], scale: 2 })).length // 12
 */
export function firstSectors(bank: FilterBank): readonly Sector[] {
  const weights = bank.wavelets.map(weightOf);
  const total = weights.reduce((a, b) => a + b, 0);
  let outer = 1;
  return ringsOf(bank, weights).flatMap(({ wavelets, weight }) => {
    const inner = Math.sqrt(Math.max(0, outer ** 2 - weight / total));
    const width = Math.PI / wavelets.length;
    const ring = wavelets.map((n, k): Sector => {
      const centre = bank.wavelets[n]!.angle ?? k * width;
      return { wavelets: [n], radii: [inner, outer], angles: [centre - width / 2, centre + width / 2] };
    });
    outer = inner;
    return ring;
  });
}

/**
 * The sectors of order 2, which fill those of order 1 that go on: areas within one follow |psi_1 * psi_2|^2, summed over
 * the angles of each second scale.
 * @example secondSectors(polarBank({ shape: [16, 16], scale: 2 })).length // 36
 */
export function secondSectors(bank: FilterBank): readonly Sector[] {
  return firstSectors(bank).flatMap(({ wavelets: [first], radii, angles }) => {
    const own = bank.wavelets[first!]!;
    const weights = bank.wavelets.map((wavelet) =>
      wavelet.j <= own.j ? 0 : wavelet.re.reduce((sum, _, k) => sum + power(own, k) * power(wavelet, k), 0),
    );
    const rings = ringsOf(bank, weights).filter(({ weight }) => weight > 0);
    const total = rings.reduce((sum, { weight }) => sum + weight, 0);
    const [inner, outer] = radii;
    let edge = outer;
    return rings.flatMap(({ wavelets, weight }) => {
      const next = Math.sqrt(Math.max(inner ** 2, edge ** 2 - (weight / total) * (outer ** 2 - inner ** 2)));
      const width = (angles[1] - angles[0]) / wavelets.length;
      const ring = wavelets.map(
        (n, k): Sector => ({
          wavelets: [first!, n],
          radii: [next, edge],
          angles: [angles[0] + k * width, angles[0] + (k + 1) * width],
        }),
      );
      edge = next;
      return ring;
    });
  });
}
