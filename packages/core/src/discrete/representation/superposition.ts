// Kolmogorov's superposition, run (Sprecher, Koppen, Braun and Griebel): one inner function psi for all functions f of d
// variables, exact on numbers of k digits, and 2 d + 1 outer functions that are improved round after round.
import { DiscreteError } from "../error.ts";

export interface Superposition {
  /** Variables d, base g >= 2 d + 2 of the digits, and 2 d + 1 shifts. */
  readonly d: number;
  readonly base: number;
}

/** beta(k) = 1 + d + ... + d^(k-1). */
export const exponentOf = (d: number, k: number): number =>
  Array.from({ length: k }, (_, r) => d ** r).reduce((a, b) => a + b, 0);

/** psi on the numbers of k digits: numerators over one denominator. */
export interface InnerTable {
  readonly digits: number;
  /** At 0, g^-k, ..., 1. */
  readonly numerators: readonly bigint[];
  readonly denominator: bigint;
}

/**
 * psi_k: a digit i < g - 1 adds i g^-beta(k); at the digit g - 1 psi is the mean of its neighbours.
 * @example innerTable({ d: 2, base: 6 }, 1).numerators.length // 7
 */
export function innerTable({ d, base }: Superposition, digits: number): InnerTable {
  if (base < 2 * d + 2) throw new DiscreteError(`digits for ${d} variables have base ${2 * d + 2} at least`);
  const g = BigInt(base);
  let denominator = 2n * g;
  let numerators = Array.from({ length: base + 1 }, (_, i) => 2n * BigInt(i));
  for (let k = 2; k <= digits; k++) {
    const finer = 2n * g ** BigInt(d ** (k - 1));
    denominator *= finer;
    const step = denominator / g ** BigInt(exponentOf(d, k));
    const before = numerators.map((v) => v * finer);
    numerators = [];
    for (let n = 0; n < base ** k; n++) {
      const [rest, digit] = [Math.floor(n / base), n % base];
      numerators.push(
        digit < base - 1
          ? before[rest]! + BigInt(digit) * step
          : (numerators[n - 1]! + before[rest + 1]!) / 2n,
      );
    }
    numerators.push(before.at(-1)!);
  }
  return { digits, numerators, denominator };
}

/** The values as doubles, psi(x + 1) = psi(x) + 1 beyond 1. */
function innerValues(table: InnerTable): (place: number) => number {
  const scale = 2n ** 80n;
  const values = Float64Array.from(
    table.numerators,
    (n) => Number((n * scale) / table.denominator) / 2 ** 80,
  );
  const one = values.length - 1;
  return (place) => values[place % one]! + Math.floor(place / one);
}

/** lambda_1 = 1, lambda_p = sum_r g^(-(p-1) beta(r)). */
export const directions = ({ d, base }: Superposition): number[] =>
  Array.from({ length: d }, (_, p) =>
    p === 0
      ? 1
      : Array.from({ length: 6 }, (_, r) => base ** (-p * exponentOf(d, r + 1))).reduce((a, b) => a + b, 0),
  );

/** (1 + lambda_2 + ...) sum_{r > k} g^-beta(r), times g - 2: how wide a plateau is. */
export function plateauWidth(shape: Superposition, k: number): number {
  const { d, base } = shape;
  const tail = Array.from({ length: 4 }, (_, r) => base ** -exponentOf(d, k + 1 + r)).reduce(
    (a, b) => a + b,
    0,
  );
  return (base - 2) * directions(shape).reduce((a, b) => a + b, 0) * tail;
}

/** The shift q a = q sum_{r = 2}^k g^-r, in units of g^-k. */
export const shiftOf = (base: number, q: number, k: number): number =>
  q * Array.from({ length: k - 1 }, (_, r) => base ** r).reduce((a, b) => a + b, 0);

/** Numbers of k digits for points of [0, 1]^2, all pairs. */
const pairs = (count: number): (readonly [number, number])[] =>
  Array.from({ length: count * count }, (_, n) => [Math.floor(n / count), n % count] as const);

/** What one outer function is: images of the grid in order, and what is added there. */
interface Outer {
  readonly images: Float64Array;
  readonly heights: Float64Array;
}

/** Points of the square are evaluated by so many digits more than the grid has. */
export const furtherDigits = 3;

/** One round for two variables: a grid of k digits, and 2 d + 1 = 5 outer functions with plateaus over its images. */
export class Round {
  readonly #outer: readonly Outer[];
  readonly #psi: (place: number) => number;
  readonly #width: number;
  readonly #lambda: number;
  readonly #digits: number;
  readonly shape: Superposition;

  constructor(
    residual: (x: number, y: number) => number,
    k: number,
    shape: Superposition = { d: 2, base: 6 },
  ) {
    if (shape.d !== 2) throw new DiscreteError("rounds are written for two variables");
    this.shape = shape;
    const { base } = shape;
    this.#lambda = directions(shape)[1]!;
    this.#width = plateauWidth(shape, k);
    this.#digits = k + furtherDigits;
    const psi = innerValues(innerTable(shape, k));
    const grid = pairs(base ** k);
    const values = grid.map(([m, n]) => residual(m / base ** k, n / base ** k) / 5);
    this.#outer = Array.from({ length: 5 }, (_, q) => {
      const shift = shiftOf(base, q, k);
      const images = grid.map(([m, n]) => psi(m + shift) + this.#lambda * psi(n + shift));
      const order = images.map((_, i) => i).sort((a, b) => images[a]! - images[b]!);
      return {
        images: Float64Array.from(order, (i) => images[i]!),
        heights: Float64Array.from(order, (i) => values[i]!),
      };
    });
    this.#psi = innerValues(innerTable(shape, this.#digits));
  }

  /** The least distance of two images, over all shifts. */
  get separation(): number {
    return this.#outer.reduce(
      (least, { images }) =>
        images.reduce((m, v, i) => (i === 0 ? m : Math.min(m, v - images[i - 1]!)), least),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Phi_q(sum_p lambda_p psi(x_p + q a)) for each shift q. */
  parts(x: number, y: number): number[] {
    const { base } = this.shape;
    const place = (v: number): number => Math.floor(v * base ** this.#digits);
    return this.#outer.map((outer, q) => {
      const shift = shiftOf(base, q, this.#digits);
      const z = this.#psi(place(x) + shift) + this.#lambda * this.#psi(place(y) + shift);
      return this.#height(outer, z);
    });
  }

  /**
   * Between plateaus the outer functions go down to 0 and up again: over all of them, how steep they are from point to point,
   * eight steps for each gap, over 2 max |height| / gap, which two straight ramps that meet in the middle have.
   */
  get steepness(): { readonly least: number; readonly most: number } {
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (const outer of this.#outer)
      for (let i = 1; i < outer.images.length; i++) {
        const from = outer.images[i - 1]! + this.#width;
        const gap = outer.images[i]! - from;
        const height = Math.max(Math.abs(outer.heights[i - 1]!), Math.abs(outer.heights[i]!));
        if (height < 1e-3) continue; // rounding would be as large
        const step = gap / 8;
        let steepest = 0;
        for (let t = 0; t < 8; t++) {
          const rise = this.#height(outer, from + (t + 1) * step) - this.#height(outer, from + t * step);
          steepest = Math.max(steepest, Math.abs(rise) / step);
        }
        const ratio = (steepest * gap) / (2 * height);
        [least, most] = [Math.min(least, ratio), Math.max(most, ratio)];
      }
    return { least, most };
  }

  value(x: number, y: number): number {
    return this.parts(x, y).reduce((sum, part) => sum + part, 0);
  }

  /** Phi_q: plateaus, and ramps to 0 in the middle between two of them. */
  #height({ images, heights }: Outer, z: number): number {
    let [low, high] = [-1, images.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (images[middle]! <= z) low = middle;
      else high = middle;
    }
    if (low < 0) return 0;
    const past = z - images[low]! - this.#width;
    if (past <= 0) return heights[low]!;
    if (high === images.length) return 0;
    const gap = images[high]! - images[low]! - this.#width;
    const part = (2 * past) / gap - 1;
    return part < 0 ? -part * heights[low]! : part * heights[high]!;
  }
}

/**
 * For each of the 2 d + 1 shifts the grid number of k digits on whose plateau a number of more digits is, undefined where it
 * is on none: of the cells of the shifted number, the last of g - 1 parts is a ramp.
 * @example corners({ d: 2, base: 6 }, 10, 1, 2) // [1, undefined, 2, 2, 2]
 */
export function corners(
  { d, base }: Superposition,
  place: number,
  k: number,
  digits: number,
): (number | undefined)[] {
  const cell = base ** (digits - k);
  const width = ((base - 2) * (cell - 1)) / (base - 1);
  return Array.from({ length: 2 * d + 1 }, (_, q) => {
    const moved = place + shiftOf(base, q, digits) - shiftOf(base, q, k) * cell;
    return moved % cell > width ? undefined : Math.floor(moved / cell);
  });
}
