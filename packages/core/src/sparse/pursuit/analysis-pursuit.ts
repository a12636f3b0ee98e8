// The co-sparse model: signals of which many correlations omega_i^T a are 0, rather than made of few atoms.
import { SparseError } from "../error.ts";
import { type GeneralizedLasso, generalizedLasso } from "../layers/generalized-lasso.ts";
import { nullSpace } from "../layers/model.ts";
import { type Dictionary, synthesize } from "./dictionary.ts";

/** Row i of an analysis operator: its columns are the atoms of a dictionary, so that `synthesize` applies it. */
const rowOf = ({ size, count, atoms }: Dictionary, row: number): number[] =>
  Array.from({ length: count }, (_, j) => atoms[j * size + row]!);

/** The signal nearest to y with omega_i^T a = 0 for a set of rows: its projection on their kernel. */
export function cosparseProjection(
  omega: Dictionary,
  y: Float64Array,
  cosupport: readonly number[],
): Float64Array {
  if (omega.count !== y.length)
    throw new SparseError(`an operator on ${omega.count} numbers for a signal of ${y.length}`);
  const basis = nullSpace(
    cosupport.map((row) => rowOf(omega, row)),
    omega.count,
  );
  const a = new Float64Array(y.length);
  for (const direction of basis) {
    const along = direction.reduce((sum, v, i) => sum + v * y[i]!, 0);
    for (let i = 0; i < a.length; i++) a[i]! += along * direction[i]!;
  }
  return a;
}

export interface CosparseSignal {
  readonly a: Float64Array;
  readonly cosupport: readonly number[];
}

/** Row after row: the one with the least |omega_i^T a| must vanish, and y is projected anew. */
export function analysisPursuit(omega: Dictionary, y: Float64Array, cosparsity: number): CosparseSignal {
  if (!(Number.isSafeInteger(cosparsity) && cosparsity >= 0 && cosparsity <= omega.size))
    throw new SparseError(`a co-sparsity is a whole number from 0 to ${omega.size}, not ${cosparsity}`);
  const cosupport: number[] = [];
  let a = cosparseProjection(omega, y, []);
  while (cosupport.length < cosparsity) {
    const sizes = synthesize(omega, a).map(Math.abs);
    let best = -1;
    sizes.forEach((v, i) => {
      if (!cosupport.includes(i) && (best < 0 || v < sizes[best]!)) best = i;
    });
    cosupport.push(best);
    a = cosparseProjection(omega, y, cosupport);
  }
  return { a, cosupport: cosupport.toSorted((i, j) => i - j) };
}

/** |y - a|^2 / 2 + lambda |Omega a|_1, with a duality gap: for differences this is total variation. */
export const analysisLasso = (
  omega: Dictionary,
  y: Float64Array,
  lambda: number,
  options: { readonly gap?: number; readonly iterations?: number } = {},
): Promise<GeneralizedLasso> => generalizedLasso(undefined, y, [{ weight: lambda, of: omega }], options);
