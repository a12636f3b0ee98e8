// Covers of finite sets of vectors in the mean square distance on the sample, and Dudley's integral over their sizes.
import type { Vectors } from "./rademacher.ts";

const distance = (f: ArrayLike<number>, g: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < f.length; i++) sum += (f[i]! - g[i]!) ** 2;
  return Math.sqrt(sum / f.length);
};

export interface FarthestFirst {
  /** radii[k - 1]: the k first centres cover everything to within this; it descends to 0. */
  readonly radii: readonly number[];
  /** apart[k - 1]: the k first centres are pairwise at least this far apart (infinite for one). */
  readonly apart: readonly number[];
}

/** Centres one after the other, each as far from the ones before it as can be: covers and packings at once. */
export function farthestFirst(vectors: Vectors): FarthestFirst {
  const nearest = vectors.map((g) => distance(vectors[0]!, g));
  const radii: number[] = [];
  const apart = [Number.POSITIVE_INFINITY];
  for (;;) {
    const far = nearest.reduce((best, d, k) => (d > nearest[best]! ? k : best), 0);
    radii.push(nearest[far]!);
    if (nearest[far] === 0) return { radii, apart };
    apart.push(nearest[far]!);
    vectors.forEach((g, k) => {
      nearest[k] = Math.min(nearest[k]!, distance(vectors[far]!, g));
    });
  }
}

/** The greatest distance of two vectors. */
export const sampleDiameter = (vectors: Vectors): number =>
  vectors.reduce((most, f) => vectors.reduce((d, g) => Math.max(d, distance(f, g)), most), 0);

/**
 * The integral from 0 to `until` of sqrt(ln N_alpha) with the sizes of the covers found: an upper bound of it, and exact
 * where the covers are least.
 */
export function entropyIntegral({ radii }: FarthestFirst, until: number): number {
  // k centres are enough for alpha in [radii[k - 1], radii[k - 2]).
  return radii.reduce((sum, radius, k) => {
    const above = k === 0 ? Number.POSITIVE_INFINITY : radii[k - 1]!;
    const length = Math.max(0, Math.min(above, until) - radius);
    return k === 0 ? sum : sum + length * Math.sqrt(Math.log(k + 1));
  }, 0);
}

/**
 * Dudley: E sup_g (1/m) sum tau_i g_i <= (12 / sqrt m) int_0^(diam / 2) sqrt(ln N_alpha) d alpha. With absolute values,
 * twice that and min |g|_S / sqrt m.
 */
export function dudleyBound(vectors: Vectors): { readonly plain: number; readonly absolute: number } {
  const m = vectors[0]!.length;
  const integral = entropyIntegral(farthestFirst(vectors), sampleDiameter(vectors) / 2);
  const zero = new Float64Array(m);
  const least = Math.min(...vectors.map((g) => distance(zero, g)));
  return { plain: (12 * integral) / Math.sqrt(m), absolute: (24 * integral + least) / Math.sqrt(m) };
}

/**
 * Haussler: classes of VC dimension D with values +1 and -1 have covers of at most e (D + 1) (8 e / alpha^2)^D; ln of it.
 * @example hausslerLogCovering(0, 1) // 1
 */
export const hausslerLogCovering = (dimension: number, alpha: number): number =>
  1 + Math.log(dimension + 1) + dimension * Math.log((8 * Math.E) / alpha ** 2);
