// Of which degree a function of weights is positively homogeneous, by its values: what Theorem 4.9 asks of a subnetwork and
// of its penalty.
import type { Random } from "../../numbers/random.ts";

export interface Homogeneity {
  /** f(a w) = a^degree f(w); undefined where no degree fits. */
  readonly degree: number | undefined;
  /** The greatest |f(a w) - a^degree f(w)| over the size of f(a w), at the degree that fits best. */
  readonly misfit: number;
}

const factors = [0.5, 0.8, 1.25, 2, 3];

/**
 * The degree that values along some rays from 0 show, to within a tolerance.
 * @example (await homogeneity(async (w) => Float64Array.of(w[0] * w[1]), 2, createRandom(1))).degree // 2
 */
export async function homogeneity(
  f: (weights: Float64Array) => Promise<Float64Array>,
  size: number,
  random: Random,
  { rays = 4, tolerance = 1e-6 } = {},
): Promise<Homogeneity> {
  const slopes: number[] = [];
  const rows: { readonly at: Float64Array; readonly scaled: readonly (readonly [number, Float64Array])[] }[] =
    [];
  for (let ray = 0; ray < rays; ray++) {
    const w = random.split(ray).normal(size);
    const at = await f(w);
    if (norm(at) === 0) continue;
    const scaled: (readonly [number, Float64Array])[] = [];
    for (const a of factors) {
      const value = await f(w.map((x) => a * x));
      if (norm(value) === 0) return { degree: undefined, misfit: Number.POSITIVE_INFINITY };
      scaled.push([a, value]);
      slopes.push(Math.log(norm(value) / norm(at)) / Math.log(a));
    }
    rows.push({ at, scaled });
  }
  if (rows.length === 0) return { degree: undefined, misfit: Number.POSITIVE_INFINITY };
  const mean = slopes.reduce((a, b) => a + b, 0) / slopes.length;
  // Degrees of networks are whole: the rounded one is right if any is.
  const degree = Math.abs(mean - Math.round(mean)) < 1e-3 ? Math.round(mean) : mean;
  const misfit = Math.max(
    ...rows.flatMap(({ at, scaled }) =>
      scaled.map(([a, value]) => norm(value.map((v, k) => v - a ** degree * at[k]!)) / norm(value)),
    ),
  );
  return { degree: misfit <= tolerance ? degree : undefined, misfit };
}

const norm = (v: Float64Array): number => Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
