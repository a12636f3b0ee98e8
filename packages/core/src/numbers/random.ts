// Seeded random numbers on pure-rand's xoroshiro128+. The same seed gives the same numbers in every engine: here is
// only integer arithmetic and + - * / sqrt, which IEEE 754 rounds in one way. Math.log, exp, cos and ** differ.
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { NumberError } from "./error.ts";

type FloatArray = Float64Array | Float32Array;
type Generator = ReturnType<typeof xoroshiro128plusFromState>;

/** A stream of random numbers. The methods draw a number, or a new array of `count` numbers, or fill an array. */
export interface Random {
  /** Uniform on [0, 1): multiples of 2^-53. */
  uniform(): number;
  uniform(count: number): Float64Array;
  uniform<Into extends FloatArray>(into: Into): Into;
  /** Standard normal numbers. */
  normal(): number;
  normal(count: number): Float64Array;
  normal<Into extends FloatArray>(into: Into): Into;
  /** A whole number, uniform between min and max, both included. */
  integer(min: number, max: number): number;
  /** The numbers 0 .. n - 1 in random order. */
  permutation(n: number): Int32Array;
  /** A point that is uniform on the unit sphere of R^dimension. */
  sphere(dimension: number): Float64Array;
  /** The same array, in random order. */
  shuffle<Items extends { length: number; [index: number]: unknown }>(items: Items): Items;
  /** An independent stream that depends on the seed and the label only, not on the numbers drawn so far. */
  split(label: number | string): Random;
}

/**
 * A stream of random numbers from a seed; a number and its decimal text are the same seed.
 * @example createRandom(42).uniform(3) // the same three numbers everywhere
 */
export function createRandom(seed: number | string): Random {
  return new SeededRandom([checkLabel(seed)]);
}

function checkLabel(label: number | string): string {
  if (typeof label === "string" || Number.isFinite(label)) return String(label);
  throw new NumberError(`a seed must be a finite number or a text, not ${label}`);
}

class SeededRandom implements Random {
  private readonly generator: Generator;

  constructor(private readonly path: readonly string[]) {
    // The lengths make the key unambiguous: "ab" and ["a", "b"] are different streams.
    this.generator = xoroshiro128plusFromState(
      hash128(path.map((label) => `${label.length}:${label}`).join("")),
    );
  }

  uniform(): number;
  uniform(count: number): Float64Array;
  uniform<Into extends FloatArray>(into: Into): Into;
  uniform(target?: number | FloatArray): number | FloatArray {
    if (target === undefined) return nextUniform(this.generator);
    const into = destination(target);
    for (let k = 0; k < into.length; k++) into[k] = nextUniform(this.generator);
    return into;
  }

  normal(): number;
  normal(count: number): Float64Array;
  normal<Into extends FloatArray>(into: Into): Into;
  normal(target?: number | FloatArray): number | FloatArray {
    if (target === undefined) return nextNormal(this.generator);
    const into = destination(target);
    for (let k = 0; k < into.length; k++) into[k] = nextNormal(this.generator);
    return into;
  }

  integer(min: number, max: number): number {
    if (Number.isSafeInteger(min) && Number.isSafeInteger(max) && min <= max) {
      return uniformInt(this.generator, min, max);
    }
    throw new NumberError(`integer(${min}, ${max}) needs two whole numbers, the first not above the second`);
  }

  permutation(n: number): Int32Array {
    return this.shuffle(Int32Array.from({ length: checkCount(n) }, (_, k) => k));
  }

  sphere(dimension: number): Float64Array {
    if (checkCount(dimension) === 0) throw new NumberError("a sphere needs a dimension of at least 1");
    const point = this.normal(dimension);
    const norm = Math.sqrt(point.reduce((sum, x) => sum + x * x, 0));
    return point.map((x) => x / norm);
  }

  shuffle<Items extends { length: number; [index: number]: unknown }>(items: Items): Items {
    for (let last = items.length - 1; last > 0; last--) {
      const chosen = uniformInt(this.generator, 0, last);
      const item = items[last];
      items[last] = items[chosen];
      items[chosen] = item;
    }
    return items;
  }

  split(label: number | string): Random {
    return new SeededRandom([...this.path, checkLabel(label)]);
  }
}

const destination = (target: number | FloatArray): FloatArray =>
  typeof target === "number" ? new Float64Array(checkCount(target)) : target;

function checkCount(count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new NumberError(`a count must be a whole number, not ${count}`);
}

/** 27 + 26 bits, the high ones of two draws: the lowest bits of xoroshiro128+ are its weak ones. */
const nextUniform = (generator: Generator): number =>
  ((generator.next() >>> 5) * 67108864 + (generator.next() >>> 6)) * 1.1102230246251565e-16; // 2^26, 2^-53

const ln2High = 0.6931471803691238; // its last 32 bits are zero, so that small multiples are exact
const ln2Low = 1.9082149292705877e-10;

// Normal numbers: the ziggurat of Marsaglia and Tsang, as corrected by Doornik (2005). 256 layers of equal area
// cover the half density exp(-x^2 / 2); layer 0 is a rectangle and the tail beyond `tailStart`.
const layers = 256;
const tailStart = 3.654152885361009;
const layerArea = 0.004928673233974655;
const { edges, ratios } = ziggurat();

function ziggurat(): { edges: Float64Array; ratios: Float64Array } {
  const edges = new Float64Array(layers + 1);
  edges[0] = layerArea / exp(-0.5 * tailStart * tailStart);
  edges[1] = tailStart;
  for (let layer = 2; layer < layers; layer++) {
    const below = edges[layer - 1]!;
    edges[layer] = Math.sqrt(-2 * log(layerArea / below + exp(-0.5 * below * below)));
  }
  return { edges, ratios: Float64Array.from({ length: layers }, (_, k) => edges[k + 1]! / edges[k]!) };
}

function nextNormal(generator: Generator): number {
  for (;;) {
    const high = generator.next();
    const low = generator.next();
    const signed = (high * 2097152 + (low >>> 11) + 0.5) * 2.220446049250313e-16; // 2^21, 2^-52: in (-1, 1), never 0
    const layer = (low >>> 3) & 255; // bits that `signed` does not use
    if (Math.abs(signed) < ratios[layer]!) return signed * edges[layer]!;
    if (layer === 0) return signed < 0 ? -nextTail(generator) : nextTail(generator);
    const x = signed * edges[layer]!;
    const lower = exp(-0.5 * (edges[layer]! * edges[layer]! - x * x));
    const upper = exp(-0.5 * (edges[layer + 1]! * edges[layer + 1]! - x * x));
    if (upper + nextUniform(generator) * (lower - upper) < 1) return x;
  }
}

/** A normal number beyond `tailStart` (Marsaglia 1964). */
function nextTail(generator: Generator): number {
  for (;;) {
    const x = log(1 - nextUniform(generator)) / tailStart;
    const y = log(1 - nextUniform(generator));
    if (-2 * y >= x * x) return tailStart - x;
  }
}

/** e^x for |x| < 700, to about 1e-16, in the same bits everywhere: e^x = 2^k e^r with |r| <= ln 2 / 2. */
function exp(x: number): number {
  const k = Math.round(x / (ln2High + ln2Low));
  const r = x - k * ln2High - k * ln2Low;
  let sum = 1;
  for (let n = 14; n > 0; n--) sum = 1 + (r * sum) / n; // the Taylor series, by Horner's rule
  for (let left = Math.abs(k); left > 0; left--) sum *= k > 0 ? 2 : 0.5;
  return sum;
}

/** ln x for normal positive x, to about 1e-16: ln x = k ln 2 + 2 artanh((m - 1) / (m + 1)), m near 1. */
function log(x: number): number {
  let [m, k] = [x, 0];
  for (; m < Math.SQRT1_2; k--) m *= 2;
  for (; m > Math.SQRT2; k++) m /= 2;
  const s = (m - 1) / (m + 1);
  let sum = 0;
  for (let n = 21; n > 0; n -= 2) sum = sum * s * s + 1 / n;
  return k * ln2High + (k * ln2Low + 2 * s * sum);
}

/** 128 well mixed bits of a text, never all zero: every step, as in cyrb128, is one-to-one in the four words. */
function hash128(text: string): number[] {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x6a09e667]; // digits of well-known constants
  for (let k = 0; k < text.length; k++) {
    const unit = text.charCodeAt(k) + 1;
    a = b ^ Math.imul(a ^ unit, 597399067);
    b = c ^ Math.imul(b ^ unit, 2869860233);
    c = d ^ Math.imul(c ^ unit, 951274213);
    d = a ^ Math.imul(d ^ unit, 2716044179);
  }
  const mixed = [a ^ c, b ^ d, c ^ b, d].map((word, k) => finalMix(word ^ (text.length + k)));
  return [mixed[0]! ^ mixed[3]!, mixed[1]! ^ mixed[0]!, mixed[2]! ^ mixed[1]!, mixed[3]! | 1];
}

/** The finalizer of MurmurHash3: each input bit changes about half of the output bits. */
function finalMix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) | 0;
}
