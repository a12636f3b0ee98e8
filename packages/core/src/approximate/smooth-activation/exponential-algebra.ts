// Networks x -> a^T exp(V x): sums and products of such are such again.
import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network } from "../../networks/layers/layers.ts";

/** a exp(<v, x>). */
export interface ExponentialTerm {
  readonly coefficient: number;
  readonly exponents: readonly number[];
}
/** A sum of these, in as many variables as each has exponents; no two have the same. */
export type ExponentialSum = readonly ExponentialTerm[];

/** Terms with equal exponents become one. */
function collected(terms: ExponentialSum): ExponentialSum {
  const found = new Map<string, ExponentialTerm>();
  for (const { coefficient, exponents } of terms) {
    const key = exponents.join();
    found.set(key, { coefficient: (found.get(key)?.coefficient ?? 0) + coefficient, exponents });
  }
  return [...found.values()];
}

/**
 * b f + c g: units side by side.
 * @example addExponentials([1, [{ coefficient: 1, exponents: [0] }]], [2, [{ coefficient: 1, exponents: [1] }]]).length // 2
 */
export const addExponentials = (...parts: readonly (readonly [number, ExponentialSum])[]): ExponentialSum =>
  collected(
    parts.flatMap(([factor, terms]) =>
      terms.map(({ coefficient, exponents }) => ({ coefficient: factor * coefficient, exponents })),
    ),
  );

/**
 * f g: a unit for each pair, with the sum of their weights.
 * @example multiplyExponentials([{ coefficient: 2, exponents: [1] }], [{ coefficient: 3, exponents: [1] }])[0].coefficient // 6
 */
export const multiplyExponentials = (f: ExponentialSum, g: ExponentialSum): ExponentialSum =>
  collected(
    f.flatMap((s) =>
      g.map((t) => ({
        coefficient: s.coefficient * t.coefficient,
        exponents: s.exponents.map((v, j) => v + t.exponents[j]!),
      })),
    ),
  );

/** The value at a point. */
export const exponentialValue = (f: ExponentialSum, x: ArrayLike<number>): number =>
  f.reduce(
    (sum, { coefficient, exponents }) =>
      sum + coefficient * Math.exp(exponents.reduce((t, v, j) => t + v * x[j]!, 0)),
    0,
  );

/**
 * The network with one exponential unit a term.
 * @example complexity(exponentialNetwork([{ coefficient: 2, exponents: [1, 0] }])).architecture // [2, 1, 1]
 */
export function exponentialNetwork(f: ExponentialSum): Graph {
  if (f.length === 0) throw new ConstructError("a sum of no exponentials is no network");
  return network([layer(f.map((t) => t.exponents)), layer([f.map((t) => t.coefficient)])], {
    activation: "exp",
    name: "exponentials",
  });
}

/**
 * Bernstein's polynomial of degree k of g in the variables u_j = (e^{x_j} - 1) / (e - 1), which go from 0 to 1 with x_j:
 * the Stone-Weierstrass theorem, made by sums and products of exponential networks.
 * @example bernsteinExponentials((x) => x[0], 1, 3).length // 4
 */
export function bernsteinExponentials(
  g: (x: readonly number[]) => number,
  dimension: number,
  k: number,
): ExponentialSum {
  if (!Number.isSafeInteger(k) || k < 1) throw new ConstructError(`a degree is at least 1, not ${k}`);
  const unit = (j: number): number[] => Array.from({ length: dimension }, (_, i) => (i === j ? 1 : 0));
  const constant = (c: number): ExponentialSum => [
    { coefficient: c, exponents: new Array<number>(dimension).fill(0) },
  ];
  const scale = 1 / (Math.E - 1);
  // C(k, i) u^i (1 - u)^(k-i) for each variable.
  const bases = Array.from({ length: dimension }, (_, j) => {
    const u = addExponentials([scale, [{ coefficient: 1, exponents: unit(j) }]], [-scale, constant(1)]);
    const rest = addExponentials([1, constant(1)], [-1, u]);
    let binomial = 1;
    return Array.from({ length: k + 1 }, (_, i) => {
      if (i > 0) binomial = (binomial * (k - i + 1)) / i;
      let product = constant(binomial);
      for (let f = 0; f < k; f++) product = multiplyExponentials(product, f < i ? u : rest);
      return product;
    });
  });
  const knot = (i: number): number => Math.log1p(((Math.E - 1) * i) / k);
  let total: ExponentialSum = [];
  for (let place = 0; place < (k + 1) ** dimension; place++) {
    const digits = Array.from({ length: dimension }, (_, j) => Math.floor(place / (k + 1) ** j) % (k + 1));
    const product = digits.reduce(
      (f: ExponentialSum, i, j) => multiplyExponentials(f, bases[j]![i]!),
      constant(1),
    );
    total = addExponentials([1, total], [g(digits.map(knot)), product]);
  }
  return total;
}
