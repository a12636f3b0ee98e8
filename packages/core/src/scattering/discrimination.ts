// Whether a texture is more than its spectrum: its scattering averages against those of Gaussian fields with the same
// spectrum, in units of how much these vary (book 1, section 8.4.2).
import type { Random } from "../numbers/random.ts";
import { gaussianField } from "./gaussian-field.ts";
import { scatteringPlan } from "./plan.ts";
import { measuring, type SynthesisOptions } from "./synthesis.ts";

export interface Discrimination {
  /** rho(m) = |S X - E S Y|^2 / E |S Y - E S Y|^2 over the paths of each order; about 1 for a Gaussian field. */
  readonly index: readonly number[];
  /** |S X - E S Y| / |S X| over the paths of each order. */
  readonly relative: readonly number[];
}

/**
 * The index of orders 1 and 2 (places 1 and 2), with averages over the whole signal and from two draws of the field up.
 * @example (await discrimination([1, 0, 0, 0, 0, 1, 0, 0], { shape: [8], scale: 2, padding: "none" }, { draws: 4, random: createRandom(1) })).index.length // 3
 */
export async function discrimination(
  x: ArrayLike<number>,
  options: SynthesisOptions,
  { draws, random }: { readonly draws: number; readonly random: Random },
): Promise<Discrimination> {
  const { paths, order } = scatteringPlan(options);
  const measure = measuring(options);
  const own = await measure.of(x);
  const others: Float64Array[] = [];
  for (let k = 0; k < draws; k++)
    others.push(await measure.of(gaussianField(x, options.shape, random.split(k))));
  await measure.release();
  const centre = own.map((_, p) => others.reduce((sum, other) => sum + other[p]!, 0) / draws);
  const index: number[] = [];
  const relative: number[] = [];
  for (let m = 0; m <= order; m++) {
    const squares = (a: Float64Array, b?: Float64Array): number =>
      a.reduce((sum, v, p) => sum + (paths[p]!.order === m ? (v - (b?.[p] ?? 0)) ** 2 : 0), 0);
    // The mean is that of the draws: one less is free.
    const variance = others.reduce((sum, other) => sum + squares(other, centre), 0) / (draws - 1);
    const off = squares(own, centre);
    index.push(off / variance);
    relative.push(Math.sqrt(off / squares(own)));
  }
  return { index, relative };
}
