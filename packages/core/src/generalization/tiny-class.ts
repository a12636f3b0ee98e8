// Covering numbers of tiny classes from both sides: ReLU networks x -> sum_i a_i relu(w_i x + b_i) + c on [-r, r] with all
// parameters in [-B, B]. Such functions are known by their values at the ends and at their kinks, so that distances
// between them are exact up to rounding.
import type { Random } from "../numbers/random.ts";
import { parameterLipschitz } from "./covering.ts";

export interface TinyClass {
  /** Hidden units. */
  readonly units: number;
  readonly B: number;
  readonly inputRadius: number;
}

/** w, b, a of each unit, then c. */
type Theta = Float64Array;

/** The value at x. */
export function tinyValue(theta: Theta, x: number): number {
  const units = (theta.length - 1) / 3;
  let y = theta[3 * units]!;
  for (let i = 0; i < units; i++) {
    const z = theta[3 * i]! * x + theta[3 * i + 1]!;
    if (z > 0) y += theta[3 * i + 2]! * z;
  }
  return y;
}

/** Where a function may bend within (-r, r). */
function kinksOf(theta: Theta, r: number): readonly number[] {
  const kinks: number[] = [];
  for (let i = 0; i + 3 < theta.length; i += 3) {
    const at = -theta[i + 1]! / theta[i]!;
    if (Math.abs(at) < r) kinks.push(at);
  }
  return kinks;
}

/** The sup distance of two functions on [-r, r]: their difference is linear between kinks. */
export function tinyDistance(s: Theta, t: Theta, r: number): number {
  let most = 0;
  for (const x of [-r, r, ...kinksOf(s, r), ...kinksOf(t, r)])
    most = Math.max(most, Math.abs(tinyValue(s, x) - tinyValue(t, x)));
  return most;
}

/** Functions that are more than 2 eps apart from each other, tried in random order: no eps-ball holds two of them. */
export function packing(networks: TinyClass, eps: number, tries: number, random: Random): readonly Theta[] {
  const size = 3 * networks.units + 1;
  const found: Theta[] = [];
  for (let k = 0; k < tries; k++) {
    const theta = tinyTheta(size, networks.B, random);
    if (found.every((other) => tinyDistance(theta, other, networks.inputRadius) > 2 * eps)) found.push(theta);
  }
  return found;
}

/** Functions of the class, drawn as for a packing. */
export const drawTiny = ({ units, B }: TinyClass, count: number, random: Random): readonly Theta[] =>
  Array.from({ length: count }, () => tinyTheta(3 * units + 1, B, random));

/** Half of the parameters sit at their ends, where functions are far apart. */
const tinyTheta = (size: number, B: number, random: Random): Theta =>
  random.uniform(size).map((u) => B * (random.uniform() < 0.5 ? Math.sign(u - 0.5) : 2 * u - 1));

/**
 * Of a finite class with these distances: the least cover of radius eps, and the greatest packings of radii eps and 2 eps, by
 * trying all subsets.
 * @example finiteCovering([[0, 3], [3, 0]], 1) // { cover: 2, packing: 2, packingTwice: 2 }
 */
export function finiteCovering(distances: readonly (readonly number[])[], eps: number) {
  const balls = distances.map((row) => row.reduce((set, d, j) => (d <= eps ? set | (1 << j) : set), 0));
  const near = (radius: number): readonly number[] =>
    distances.map((row, i) => row.reduce((set, d, j) => (j !== i && d <= radius ? set | (1 << j) : set), 0));
  const [once, twice, all] = [near(eps), near(2 * eps), (1 << distances.length) - 1];
  let [cover, packing, packingTwice] = [distances.length, 1, 1];
  for (let set = 1; set <= all; set++) {
    let [size, covered, apart, farApart] = [0, 0, true, true];
    for (let i = 0; i < distances.length; i++) {
      if (((set >> i) & 1) === 0) continue;
      size++;
      covered |= balls[i]!;
      apart &&= (once[i]! & set) === 0;
      farApart &&= (twice[i]! & set) === 0;
    }
    if (covered === all) cover = Math.min(cover, size);
    if (apart) packing = Math.max(packing, size);
    if (farApart) packingTwice = Math.max(packingTwice, size);
  }
  return { cover, packing, packingTwice };
}

export interface GreedyCover {
  readonly size: number;
  /** Points of the grid that were covered. */
  readonly grid: number;
}

/**
 * Functions that come within eps of all others: those of a grid of parameters, whose cells are at most eps / 2 wide,
 * thinned out until each of the grid's is within eps / 2 of one that was kept. Biases descend: one order is enough.
 */
export function greedyCover({ units, B, inputRadius }: TinyClass, eps: number): GreedyCover {
  const lipschitz = parameterLipschitz({ widths: [1, units, 1], B, inputRadius, activation: "relu" });
  const cells = Math.max(1, Math.ceil((2 * B * lipschitz) / eps));
  const center = (k: number): number => B * ((2 * k + 1) / cells - 1);
  const kept: Theta[] = [];
  let grid = 0;
  const index = new Int32Array(3 * units + 1);
  for (;;) {
    const isSorted = Array.from({ length: units - 1 }, (_, i) => index[3 * i + 1]! >= index[3 * i + 4]!);
    if (isSorted.every(Boolean)) {
      grid++;
      const theta = Float64Array.from(index, center);
      if (!kept.some((other) => tinyDistance(theta, other, inputRadius) <= eps / 2)) kept.push(theta);
    }
    let axis = 0;
    while (axis < index.length && ++index[axis]! === cells) index[axis++] = 0;
    if (axis === index.length) return { size: kept.length, grid };
  }
}
