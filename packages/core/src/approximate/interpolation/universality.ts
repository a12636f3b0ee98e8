// Whether shallow networks with an activation are universal: no if it is a polynomial, and the rank of random neurons shows it.

import { type Matrix, pivotedQr } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";
import { polynomialDimension } from "./basis.ts";

export interface Universality {
  /** No for a polynomial of low degree; yes as far as the neurons can tell. */
  readonly universal: boolean;
  /** The degree of the polynomial that it seems to be. */
  readonly degree?: number;
  /** Of many random neurons at the points. */
  readonly rank: number;
  readonly points: number;
}

/** What lies below this part of the largest column is rounding. */
const tolerance = 1e-10;

/** Neurons a point: enough that some turn between any two points. */
const plenty = 16;

/**
 * The rank of random neurons rho(<w, x - p>), p in [-1, 1]^d, at the rows of x.
 * @example neuronRank((z) => z, matrixOfRows([[0, 0], [1, 0], [0, 1], [1, 1], [2, 1]]), createRandom(1)) // 3
 */
export function neuronRank(rho: (z: number) => number, x: Matrix, random: Random): number {
  const { rows: m, columns: d, entries } = x;
  const neurons = plenty * m;
  const values = new Float64Array(neurons * m);
  for (let j = 0; j < neurons; j++) {
    const [w, p] = [random.normal(d), random.uniform(d)];
    for (let i = 0; i < m; i++) {
      let z = 0;
      for (let c = 0; c < d; c++) z += 2 * w[c]! * (entries[i * d + c]! - (2 * p[c]! - 1));
      values[j * m + i] = rho(z);
    }
  }
  return pivotedQr({ rows: neurons, columns: m, entries: values }, { tolerance }).rank;
}

/** Points of [-1, 1]^d that keep their distance in the first coordinate, and lie anywhere in the others. */
const spread = (points: number, d: number, random: Random): Matrix => ({
  ...{ rows: points, columns: d },
  entries: Float64Array.from({ length: points * d }, (_, k) =>
    k % d === 0 ? (2 * Math.floor(k / d) + 1) / points - 1 : 2 * random.uniform() - 1,
  ),
});

/**
 * Leshno, Lin, Pinkus and Schocken: universal unless a polynomial. Neurons that are polynomials of degree q span C(q + d, d)
 * dimensions, so that their rank at more points stays there; up to `greatestDegree` is looked at.
 * @example universality((z) => z * z, 2, createRandom(1)).degree // 2
 */
export function universality(
  rho: (z: number) => number,
  d: number,
  random: Random,
  greatestDegree = 3,
): Universality {
  const points = polynomialDimension(greatestDegree, d) + 2;
  const rank = neuronRank(rho, spread(points, d, random), random);
  if (rank === points) return { universal: true, rank, points };
  const degrees = Array.from({ length: greatestDegree + 1 }, (_, q) => q);
  return { universal: false, degree: degrees.find((q) => polynomialDimension(q, d) === rank), rank, points };
}
