// Networks whose first layer is fixed before the function is known: whatever it is, some function in the unit ball of
// W^{n,inf} stays away from all of them (a Kolmogorov width, by bumps).

import { type ActivationName, activation } from "../../functions/activation.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { gridPoint, labelledFunction } from "../shattering/labels.ts";

export interface FeatureWidth {
  readonly features: number;
  /** Every second layer errs by at least this on f. */
  readonly lower: number;
  /** What the least-squares second layer errs by, at the points of the grid. */
  readonly leastSquares: number;
}

/**
 * N^d - 1 features (one is constant) on the grid of N^d points, and the function sum_m sgn(u_m) b_m, u orthogonal to
 * all of them: since <f, u> = A |u|_1, no combination of features is nearer to it than A = c N^-n.
 * @example featureWidth("tanh", 2, 1, 4, createRandom(1)).features // 15
 */
export function featureWidth(
  name: ActivationName,
  d: number,
  n: number,
  side: number,
  random: Random,
): FeatureWidth {
  const points = Array.from({ length: side ** d }, (_, m) => gridPoint(m, side, d));
  const sigma = activation(name);
  const features = points.slice(2).map(() => {
    const [w, b] = [random.normal(d).map((v) => 4 * v), random.normal()];
    return Float64Array.from(points, (x) =>
      sigma.value(x.reduce((sum, t, j) => sum + w[j]! * (t - 0.5), 2 * b)),
    );
  });
  const basis = orthonormal([new Float64Array(points.length).fill(1), ...features]);
  const u = away(away(random.normal(points.length), basis), basis);
  const labels = u.map((v) => (v < 0 ? -1 : 1));
  const { amplitude } = labelledFunction(d, n, side, labels);
  const rest = away(labels, basis);
  const sum = (v: Float64Array): number => v.reduce((total, x) => total + Math.abs(x), 0);
  return {
    features: features.length + 1,
    lower: (amplitude * Math.abs(dot(labels, u))) / sum(u),
    leastSquares: amplitude * rest.reduce((most, v) => Math.max(most, Math.abs(v)), 0),
  };
}

/** v less its part in the span of orthonormal vectors. */
function away(v: Float64Array, basis: readonly Float64Array[]): Float64Array {
  const rest = v.slice();
  for (const b of basis) {
    const part = dot(rest, b);
    for (let k = 0; k < rest.length; k++) rest[k]! -= part * b[k]!;
  }
  return rest;
}

/** Gram and Schmidt, twice; vectors that nearly depend on those before are dropped. */
function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const v of vectors) {
    const rest = away(away(v, basis), basis);
    const [before, after] = [Math.sqrt(dot(v, v)), Math.sqrt(dot(rest, rest))];
    if (after > 1e-10 * before) basis.push(rest.map((x) => x / after));
  }
  return basis;
}
