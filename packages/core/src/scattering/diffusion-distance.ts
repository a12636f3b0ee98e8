// Distances between graphs of the same number of vertices by their diffusions (book 1, Definition 8.19): over all
// permutations, so for few vertices.
import { type Rows, symmetricEigen } from "../linear-algebra/symmetric-eigen.ts";
import type { Diffusion } from "./diffusion.ts";
import { ScatteringError } from "./error.ts";

export interface DiffusionDistance {
  /** min over permutations of |T^2s - P^T T'^2s P|. */
  readonly distance: number;
  /** max |lambda_i^2s - lambda'_i^2s|, sorted: no permutation is below it (Weyl). */
  readonly lower: number;
  /** min over permutations of max |d(x, y) - d'(x', y')|, d(x, y) = |T^s (delta_x - delta_y)|. */
  readonly gromovHausdorff: number;
}

/** Beyond this many vertices there are too many permutations. */
const mostVertices = 7;

/**
 * The diffusion distance at time s, exactly, with its lower bound and the weaker one of Gromov and Hausdorff.
 * @example diffusionDistance(await lazyDiffusion([[0, 1], [1, 0]]), await lazyDiffusion([[0, 2], [2, 0]]), 0.5).distance // 0
 */
export function diffusionDistance(a: Diffusion, b: Diffusion, s: number): DiffusionDistance {
  const n = a.operator.rows;
  if (b.operator.rows !== n || n > mostVertices)
    throw new ScatteringError(
      `graphs of ${n} and ${b.operator.rows} vertices: as many of each, at most ${mostVertices}`,
    );
  const [one, other] = [power(a, 2 * s), power(b, 2 * s)];
  const [here, there] = [nodeDistances(one.rows), nodeDistances(other.rows)];
  let [distance, gromovHausdorff] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const order of permutations(n)) {
    distance = Math.min(distance, symmetricNorm(changed(one.rows, other.rows, order)));
    gromovHausdorff = Math.min(
      gromovHausdorff,
      Math.max(...changed(here, there, order).flat().map(Math.abs)),
    );
  }
  const lower = one.values.reduce((most, v, i) => Math.max(most, Math.abs(v - other.values[i]!)), 0);
  return { distance, lower, gromovHausdorff };
}

/** The norm of a symmetric matrix. */
export const symmetricNorm = (rows: Rows): number => {
  const { values } = symmetricEigen(rows);
  return Math.max(Math.abs(values[0]!), Math.abs(values.at(-1)!));
};

/** T^t and its eigenvalues, ascending. */
function power({ operator: { rows: n, entries } }: Diffusion, t: number): { rows: Rows; values: number[] } {
  const indices = Array.from({ length: n }, (_, i) => i);
  const { values, vectors } = symmetricEigen(indices.map((i) => indices.map((j) => entries[i * n + j]!)));
  const powers = values.map((v) => Math.max(0, v) ** t);
  const rows = indices.map((i) =>
    indices.map((j) => powers.reduce((sum, p, k) => sum + p * vectors[k]![i]! * vectors[k]![j]!, 0)),
  );
  return { rows, values: powers };
}

/** |T^s (delta_x - delta_y)| from T^2s. */
const nodeDistances = (squared: Rows): Rows =>
  squared.map((row, x) =>
    row.map((v, y) => Math.sqrt(Math.max(0, squared[x]![x]! + squared[y]![y]! - 2 * v))),
  );

const changed = (a: Rows, b: Rows, order: readonly number[]): number[][] =>
  a.map((row, i) => row.map((v, j) => v - b[order[i]!]![order[j]!]!));

function* permutations(n: number): Generator<readonly number[]> {
  if (n === 0) yield [];
  else
    for (const rest of permutations(n - 1))
      for (let at = 0; at < n; at++) yield [...rest.slice(0, at), n - 1, ...rest.slice(at)];
}
