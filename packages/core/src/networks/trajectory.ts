// The image of a curve under the layers of a ReLU network, and how long it is.
import type { Layer } from "./layers/layered.ts";

/** A polyline: corner after corner, each a point of the same dimension. */
export type Polyline = readonly Float64Array[];

/** The sum of the lengths of the segments. */
export function polylineLength(curve: Polyline): number {
  let total = 0;
  for (let k = 1; k < curve.length; k++) total += distance(curve[k - 1]!, curve[k]!);
  return total;
}

const distance = (a: Float64Array, b: Float64Array): number =>
  Math.sqrt(a.reduce((sum, value, j) => sum + (value - b[j]!) ** 2, 0));

/** W x + b. */
export function affineImage({ weights, bias }: Layer, point: Float64Array): Float64Array {
  const { starts, columnOf, values } = weights;
  return bias.map((b, r) => {
    let sum = b;
    for (let k = starts[r]!; k < starts[r + 1]!; k++) sum += values[k]! * point[columnOf[k]!]!;
    return sum;
  });
}

/** The corners of a polyline and the points between them where a coordinate changes its sign. */
function splitAtZeros(curve: Polyline): Polyline {
  return curve.flatMap((to, k) => {
    const from = curve[k - 1];
    if (!from) return [to];
    const crossings = new Set<number>();
    from.forEach((value, j) => {
      if (value * to[j]! < 0) crossings.add(value / (value - to[j]!));
    });
    const between = [...crossings].sort((a, b) => a - b);
    return [...between.map((t) => from.map((value, j) => value + t * (to[j]! - value))), to];
  });
}

/**
 * The curve after each hidden layer, as polylines: exact up to rounding, since ReLU bends only at zeros.
 * @example trajectory([layer([[1], [-1]])], [Float64Array.of(-1), Float64Array.of(1)])[0].length // 3
 */
export function trajectory(hidden: readonly Layer[], curve: Polyline): Polyline[] {
  const images: Polyline[] = [];
  let current = curve;
  for (const layer of hidden) {
    const bent = splitAtZeros(current.map((point) => affineImage(layer, point)));
    current = bent.map((point) => point.map((value) => Math.max(0, value)));
    images.push(current);
  }
  return images;
}

/**
 * E |chi_K| / sqrt(n), K ~ Bin(n, 1/2): the mean factor by which a layer of n ReLUs with normal weights of variance 1/n
 * stretches a direction. A unit is on with probability 1/2 whatever the length of its part, since signs are symmetric:
 * so biases do not matter, and layers multiply.
 * @example expectedStretch(1) // 0.3989...
 */
export function expectedStretch(n: number): number {
  let chi = Math.sqrt(2 / Math.PI); // E chi_1; E chi_k E chi_(k + 1) = k
  let chance = n * 2 ** -n; // of K = 1
  let sum = chi * chance;
  for (let k = 1; k < n; k++) {
    chi = k / chi;
    chance *= (n - k) / (k + 1);
    sum += chi * chance;
  }
  return sum / Math.sqrt(n);
}
