// Classification problems whose true risks are sums: finitely many inputs, each with its probability and its labels' law.
import type { Random } from "../../numbers/random.ts";

export interface KnownLaw {
  /** Inputs. */
  readonly points: readonly (readonly number[])[];
  readonly probabilities: readonly number[];
  /** P(Y = 1 | X = x_j); Y is 1 or -1. */
  readonly positive: readonly number[];
}

/** Inputs by their index, with labels. */
export interface IndexedSample {
  readonly inputs: Int32Array;
  readonly labels: Int8Array;
}

export function drawIndexed({ probabilities, positive }: KnownLaw, n: number, random: Random): IndexedSample {
  let sum = 0;
  const cumulative = probabilities.map((p) => {
    sum += p;
    return sum;
  });
  const inputs = new Int32Array(n);
  const labels = new Int8Array(n);
  for (let i = 0; i < n; i++) {
    const u = random.uniform() * sum;
    let j = 0;
    while (j < cumulative.length - 1 && cumulative[j]! <= u) j++;
    inputs[i] = j;
    labels[i] = random.uniform() < positive[j]! ? 1 : -1;
  }
  return { inputs, labels };
}

/** P(wrong) given the probability that the (possibly random) classifier says 1 at each input. */
export const knownRisk = (
  { probabilities, positive }: KnownLaw,
  saysPositive: (j: number) => number,
): number =>
  probabilities.reduce((sum, p, j) => {
    const [q, s] = [positive[j]!, saysPositive(j)];
    return sum + p * (q * (1 - s) + (1 - q) * s);
  }, 0);

/** Share of wrong answers on a sample, for the same kind of classifier. */
export function indexedRisk({ inputs, labels }: IndexedSample, saysPositive: (j: number) => number): number {
  let wrong = 0;
  for (let i = 0; i < inputs.length; i++) {
    const s = saysPositive(inputs[i]!);
    wrong += labels[i]! > 0 ? 1 - s : s;
  }
  return wrong / inputs.length;
}

/** E min(P(Y = 1 | X), P(Y = -1 | X)). */
export const knownBayesRisk = ({ probabilities, positive }: KnownLaw): number =>
  probabilities.reduce((sum, p, j) => sum + p * Math.min(positive[j]!, 1 - positive[j]!), 0);

/** Inputs on the unit sphere, all alike; labels by a half-space through 0, flipped with probability `noise`. */
export function halfSpaceLaw(count: number, dimension: number, noise: number, random: Random): KnownLaw {
  const normal = random.sphere(dimension);
  const points = Array.from({ length: count }, () => [...random.sphere(dimension)]);
  return {
    points,
    probabilities: points.map(() => 1 / count),
    positive: points.map((x) => (x.reduce((s, v, k) => s + v * normal[k]!, 0) > 0 ? 1 - noise : noise)),
  };
}
