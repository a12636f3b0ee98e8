// Rademacher complexities of finite sets of vectors (g(z_1), ..., g(z_m)), and of linear functions.
import { overSigns, type SignOptions, standardErrorOf } from "../../numbers/signs.ts";

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
  /** Of `plain`; 0 where all signs were taken. */
  readonly standardError: number;
}

/**
 * The complexity of a finite set: over all 2^m signs, or over drawn ones where that is allowed and m is large.
 * @example finiteRademacher([[1, 1]]) // { plain: 0, absolute: 0.5, standardError: 0 }
 */
export function finiteRademacher(vectors: Vectors, options?: SignOptions): RademacherComplexity {
  const m = vectors[0]?.length ?? 0;
  if (m === 0) throw new RangeError("a Rademacher complexity needs a function and an example");
  const short = vectors.findIndex((g) => g.length !== m);
  if (short >= 0)
    throw new RangeError(`function ${short + 1} has ${vectors[short]!.length} values, not ${m}`);
  let [plain, absolute, squares] = [0, 0, 0];
  const visited = overSigns(
    m,
    (signs) => {
      const sup = supAgainstSigns(vectors, signs);
      plain += sup.plain;
      absolute += sup.absolute;
      squares += sup.plain ** 2;
    },
    options,
  );
  const { count, all } = visited;
  const standardError = all ? 0 : standardErrorOf(plain, squares, count);
  return { plain: plain / count, absolute: absolute / count, standardError };
}

/** Massart: E sup_g (1/m) sum tau_i g_i <= max |g|_2 sqrt(2 ln |G|) / m; with absolute values, 2 |G| for |G|. */
export function massartBound(vectors: Vectors, absolute = false): number {
  const longest = Math.max(...vectors.map((g) => Math.sqrt(inner(g, g))));
  return (longest * Math.sqrt(2 * Math.log((absolute ? 2 : 1) * vectors.length))) / vectors[0]!.length;
}

/** (C / m) sqrt(sum |x_i|^2): of x -> <theta, x> with |theta|_2 <= C, with or without absolute values. */
export const linearRademacherBound = (C: number, points: Vectors): number =>
  (C * Math.sqrt(points.reduce((sum, x) => sum + inner(x, x), 0))) / points.length;
