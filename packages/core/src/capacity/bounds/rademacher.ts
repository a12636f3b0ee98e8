// Rademacher complexities of finite sets of vectors (g(z_1), ..., g(z_m)), and of linear functions.
import type { Random } from "../../engine/random.ts";

export type Vectors = readonly ArrayLike<number>[];

const inner = (signs: ArrayLike<number>, g: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < g.length; i++) sum += signs[i]! * g[i]!;
  return sum;
};

/** sup_g (1/m) sum tau_i g_i for one draw of signs, and the same with absolute values. */
export function supAgainstSigns(
  vectors: Vectors,
  signs: ArrayLike<number>,
): { plain: number; absolute: number } {
  let [plain, absolute] = [Number.NEGATIVE_INFINITY, 0];
  for (const g of vectors) {
    const value = inner(signs, g) / g.length;
    plain = Math.max(plain, value);
    absolute = Math.max(absolute, Math.abs(value));
  }
  return { plain, absolute };
}

export interface RademacherComplexity {
  /** E sup (1/m) sum tau_i g_i. */
  readonly plain: number;
  /** E sup |(1/m) sum tau_i g_i|. */
  readonly absolute: number;
}

/**
 * The complexity of a finite set, over all 2^m signs.
 * @example exactRademacher([[1, 1]]) // { plain: 0, absolute: 0.5 }
 */
export function exactRademacher(vectors: Vectors): RademacherComplexity {
  const m = vectors[0]!.length;
  if (m > 20) throw new RangeError(`all signs of ${m} examples are too many; at most 20`);
  let [plain, absolute] = [0, 0];
  for (let mask = 0; mask < 2 ** m; mask++) {
    const sup = supAgainstSigns(
      vectors,
      Int8Array.from({ length: m }, (_, i) => ((mask >> i) & 1 ? 1 : -1)),
    );
    plain += sup.plain;
    absolute += sup.absolute;
  }
  return { plain: plain / 2 ** m, absolute: absolute / 2 ** m };
}

/** Independent signs. */
export const drawSigns = (m: number, random: Random): Int8Array =>
  Int8Array.from({ length: m }, () => (random.uniform() < 0.5 ? -1 : 1));

/** Massart: E sup_g (1/m) sum tau_i g_i <= max |g|_2 sqrt(2 ln |G|) / m; with absolute values, 2 |G| for |G|. */
export function massartBound(vectors: Vectors, absolute = false): number {
  const longest = Math.max(...vectors.map((g) => Math.sqrt(inner(g, g))));
  return (longest * Math.sqrt(2 * Math.log((absolute ? 2 : 1) * vectors.length))) / vectors[0]!.length;
}

/** (C / m) sqrt(sum |x_i|^2): of x -> <theta, x> with |theta|_2 <= C, with or without absolute values. */
export const linearRademacherBound = (C: number, points: Vectors): number =>
  (C * Math.sqrt(points.reduce((sum, x) => sum + inner(x, x), 0))) / points.length;
