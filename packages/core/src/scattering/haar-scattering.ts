// Orthogonal Haar scattering: pairs become their sum and the absolute value of their difference, over and over
// (book 1, (8.26) and (8.49)); pairs are given, neighbours, or learned from data.
import { ScatteringError } from "./error.ts";
import { largestMatching } from "./matching.ts";

/** Pairs of one level: which two of the vertices (or groups) before it each group joins; one alone is paired with zeros. */
export type Pairing = readonly (readonly [number, number?])[];

/** 0 and 1, 2 and 3, ...: the pairs of a sequence of 2^J samples, level by level. */
export function neighbourPairings(length: number): readonly Pairing[] {
  const levels = Math.round(Math.log2(length));
  if (2 ** levels !== length) throw new ScatteringError(`Haar scattering needs 2^J samples, not ${length}`);
  return Array.from({ length: levels }, (_, level) =>
    Array.from({ length: length / 2 ** (level + 1) }, (__, i) => [2 * i, 2 * i + 1] as const),
  );
}

/**
 * S_{j+1} x(i, 2q) = S_j x(a, q) + S_j x(b, q), S_{j+1} x(i, 2q + 1) = |S_j x(a, q) - S_j x(b, q)|: norms grow by sqrt 2 a
 * level. Groups come one after another, each with its 2^j coefficients.
 * @example [...haarScattering([1, 2, 4, 0], neighbourPairings(4))] // [7, 1, 5, 3]
 */
export function haarScattering(x: ArrayLike<number>, pairings: readonly Pairing[]): Float64Array {
  let values = Float64Array.from(x);
  let width = 1;
  for (const pairs of pairings) {
    const next = new Float64Array(pairs.length * 2 * width);
    pairs.forEach(([a, b], i) => {
      for (let q = 0; q < width; q++) {
        const [u, v] = [values[a * width + q]!, b === undefined ? 0 : values[b * width + q]!];
        next[2 * (i * width + q)] = u + v;
        next[2 * (i * width + q) + 1] = Math.abs(u - v);
      }
    });
    values = next;
    width *= 2;
  }
  return values;
}

/**
 * Pairs with a small total variation sum |S_j x(a, q) - S_j x(b, q)| over data: the nearest first, then exchanges of
 * partners as long as they help. An odd group stays alone at its level.
 * @example learnedPairings([[1, 5, 1, 5]], 1)[0] // [[0, 2], [1, 3]]
 */
export function learnedPairings(data: readonly ArrayLike<number>[], levels: number): readonly Pairing[] {
  const pairings: Pairing[] = [];
  for (let level = 0; level < levels; level++) {
    const features = data.map((x) => haarScattering(x, pairings));
    const costs = variations(features, 2 ** level);
    pairings.push(withAlone(exchanged(nearestFirst(costs), costs), costs.length));
  }
  return pairings;
}

/**
 * Pairs that the edges of a graph join, as many as there can be; what is left stays alone. Two groups of a level have an edge
 * if two of their vertices do.
 * @example graphPairings([[0, 1, 0], [1, 0, 1], [0, 1, 0]], 1)[0] // [[0, 1], [2]]
 */
export function graphPairings(weights: readonly ArrayLike<number>[], levels: number): readonly Pairing[] {
  let adjacent = weights.map((row, i) => Array.from(row, (w, j) => w > 0 && i !== j));
  const pairings: Pairing[] = [];
  for (let level = 0; level < levels; level++) {
    const partner = largestMatching(adjacent);
    const pairs = withAlone(
      partner.flatMap((b, a) => (b > a ? [[a, b] as const] : [])),
      partner.length,
    );
    const before = adjacent;
    adjacent = pairs.map((p, i) =>
      pairs.map((q, k) => i !== k && members(p).some((a) => members(q).some((b) => before[a]![b]!))),
    );
    pairings.push(pairs);
  }
  return pairings;
}

const members = (pair: Pairing[number]): readonly number[] => pair.filter((v) => v !== undefined);

/** With those of the first `count` groups that are in no pair. */
function withAlone(pairs: readonly (readonly [number, number])[], count: number): Pairing {
  const paired = new Set(pairs.flat());
  return [
    ...pairs,
    ...Array.from({ length: count }, (_, v) => v).flatMap((v) => (paired.has(v) ? [] : [[v] as const])),
  ];
}

/** Sums over data and coefficients of |a - b|, for each two groups. */
function variations(features: readonly Float64Array[], width: number): readonly Float64Array[] {
  const groups = (features[0]?.length ?? 0) / width;
  return Array.from({ length: groups }, (_, a) =>
    Float64Array.from({ length: groups }, (__, b) => {
      let sum = 0;
      for (const values of features)
        for (let q = 0; q < width; q++) sum += Math.abs(values[a * width + q]! - values[b * width + q]!);
      return sum;
    }),
  );
}

function nearestFirst(costs: readonly Float64Array[]): readonly (readonly [number, number])[] {
  const edges = costs.flatMap((row, a) => Array.from(row, (cost, b) => ({ a, b, cost })).slice(a + 1));
  edges.sort((p, q) => p.cost - q.cost);
  const taken = new Set<number>();
  const pairs: [number, number][] = [];
  for (const { a, b } of edges) {
    if (taken.has(a) || taken.has(b)) continue;
    taken.add(a).add(b);
    pairs.push([a, b]);
  }
  return pairs;
}

/** Two pairs change partners where that is cheaper, until no two do. */
function exchanged(
  start: readonly (readonly [number, number])[],
  costs: readonly Float64Array[],
): readonly (readonly [number, number])[] {
  const pairs = start.map(([a, b]): [number, number] => [a, b]);
  const cost = (a: number, b: number): number => costs[a]![b]!;
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (let i = 0; i < pairs.length; i++)
      for (let k = 0; k < i; k++) {
        const [[a, b], [c, d]] = [pairs[i]!, pairs[k]!];
        const now = cost(a, b) + cost(c, d);
        const [crossed, parallel] = [cost(a, d) + cost(c, b), cost(a, c) + cost(b, d)];
        // By more than rounding: else two equal ones would change for ever.
        if (Math.min(crossed, parallel) >= now * (1 - 1e-12)) continue;
        [pairs[i], pairs[k]] =
          crossed <= parallel
            ? [
                [a, d],
                [c, b],
              ]
            : [
                [a, c],
                [b, d],
              ];
        isBetter = true;
      }
  }
  return pairs;
}
