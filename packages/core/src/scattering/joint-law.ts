// How two samples at an offset go together (book 1, (8.2)): q(z1, z2; v), counted over the positions of a periodic signal.
import { ScatteringError } from "./error.ts";
import { translated } from "./translation.ts";

export interface JointLaw {
  readonly bins: number;
  /** How often x(u) falls into bin a and x(u + v) into bin b, at a * bins + b. */
  readonly counts: Float64Array;
  readonly total: number;
}

/**
 * In which of `bins` parts of equal width of [least, greatest] each number falls; the range is that of the numbers, unless
 * it is given.
 * @example [...binned([0, 1, 2, 3], 2)] // [0, 0, 1, 1]
 */
export function binned(
  x: ArrayLike<number>,
  bins: number,
  range?: readonly [least: number, greatest: number],
): Int32Array {
  if (!(Number.isInteger(bins) && bins > 0))
    throw new ScatteringError(`a law is counted in a whole number of bins, not ${bins}`);
  let [least, most] = range ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  if (!range)
    for (let u = 0; u < x.length; u++) [least, most] = [Math.min(least, x[u]!), Math.max(most, x[u]!)];
  const width = most - least;
  return Int32Array.from(x, (v) =>
    width > 0 ? Math.max(0, Math.min(bins - 1, Math.floor(((v - least) / width) * bins))) : 0,
  );
}

/**
 * The joint law of x(u) and x(u + v), u uniform on the periodic grid, for a signal that shows bins.
 * @example [...jointLaw([0, 0, 1, 1], [4], [1], 2).counts] // [1, 1, 1, 1]
 */
export function jointLaw(
  x: ArrayLike<number>,
  shape: readonly number[],
  offset: readonly number[],
  bins: number,
): JointLaw {
  const other = translated(
    x,
    shape,
    offset.map((v) => -v),
  );
  const counts = new Float64Array(bins * bins);
  for (let u = 0; u < x.length; u++) {
    const [a, b] = [x[u]!, other[u]!];
    if (!(Number.isInteger(a) && Number.isInteger(b) && Math.min(a, b) >= 0 && Math.max(a, b) < bins))
      throw new ScatteringError(`a bin is 0 .. ${bins - 1}, not ${a} or ${b}: \`binned\` makes them`);
    counts[a * bins + b]!++;
  }
  return { bins, counts, total: x.length };
}

/**
 * 1/2 sum |p - q|.
 * @example totalVariation(jointLaw([0, 1], [2], [0], 2), jointLaw([0, 1], [2], [1], 2)) // 1
 */
export function totalVariation(p: JointLaw, q: JointLaw): number {
  if (p.bins !== q.bins) throw new ScatteringError(`laws in ${p.bins} and in ${q.bins} bins`);
  return p.counts.reduce((sum, c, k) => sum + Math.abs(c / p.total - q.counts[k]! / q.total), 0) / 2;
}

/**
 * The law of two independent samples with the same laws of each.
 * @example [...separableLaw(jointLaw([0, 1], [2], [0], 2)).counts] // [0.5, 0.5, 0.5, 0.5]
 */
export function separableLaw({ bins, counts, total }: JointLaw): JointLaw {
  const [first, second] = [new Float64Array(bins), new Float64Array(bins)];
  counts.forEach((c, k) => {
    first[Math.floor(k / bins)]! += c;
    second[k % bins]! += c;
  });
  return {
    ...{ bins, total },
    counts: counts.map((_, k) => (first[Math.floor(k / bins)]! * second[k % bins]!) / total),
  };
}

/**
 * sum q log(q / (q1 q2)), in nats: what one of the samples says of the other.
 * @example mutualInformation(jointLaw([0, 1], [2], [1], 2)).toFixed(6) // "0.693147"
 */
export function mutualInformation(law: JointLaw): number {
  const apart = separableLaw(law).counts;
  return law.counts.reduce((sum, c, k) => sum + (c === 0 ? 0 : (c / law.total) * Math.log(c / apart[k]!)), 0);
}
