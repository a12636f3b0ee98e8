// Vectors of exact numbers: plain doubles as long as they hold every entry, else integers over one denominator.
import {
  type Exact,
  fraction,
  fractionBits,
  gcd,
  isSafeProduct,
  productError,
  reduce,
  scaledInteger,
  trailingZeros,
} from "./rational.ts";

/** The entries are integers[k] / (odd 2^shift): nothing is ever reduced entry by entry. */
export interface ScaledIntegers extends Scale {
  readonly integers: readonly bigint[];
}
interface Scale {
  readonly odd: bigint;
  readonly shift: number;
}
export type ExactVector = Float64Array | ScaledIntegers;

const isDoubles = (v: ExactVector): v is Float64Array => v instanceof Float64Array;
const unit: Scale = { odd: 1n, shift: 0 };

/** A vector from its entries. `vectorOf([1, 0.5])` is a Float64Array. */
export function vectorOf(entries: readonly Exact[]): ExactVector {
  if (entries.every((x) => typeof x === "number")) return Float64Array.from(entries as number[]);
  const scale = entries.map(scaleOf).reduce(commonScale, unit);
  return { integers: entries.map((x) => integerAt(x, scale)), ...scale };
}

/** Entry k as an exact number. */
export const entry = (v: ExactVector, k: number): Exact =>
  isDoubles(v) ? v[k]! : reduce(v.integers[k]!, denominator(v));

/** A positive multiple of all entries that are integers, all by the same factor: enough for signs and ratios. */
export function integerPair(v: ExactVector, k: number, l: number): readonly [bigint, bigint] {
  if (!isDoubles(v)) return [v.integers[k]!, v.integers[l]!];
  const shift = Math.max(fractionBits(v[k]!), fractionBits(v[l]!));
  return [scaledInteger(v[k]!, shift), scaledInteger(v[l]!, shift)];
}

export const lengthOf = (v: ExactVector): number => (isDoubles(v) ? v.length : v.integers.length);

export const isEqualAt = (v: ExactVector, k: number, l: number): boolean =>
  isDoubles(v) ? v[k] === v[l] : v.integers[k] === v.integers[l];

export const isZeroAt = (v: ExactVector, k: number): boolean =>
  isDoubles(v) ? v[k] === 0 : v.integers[k] === 0n;

/** The entries at these positions. */
export function take(v: ExactVector, positions: Int32Array): ExactVector {
  if (!isDoubles(v)) return { ...v, integers: Array.from(positions, (k) => v.integers[k]!) };
  const taken = new Float64Array(positions.length);
  for (let k = 0; k < positions.length; k++) taken[k] = v[positions[k]!]!;
  return taken;
}

/** Entry k of the result is entry k of vectors[which[k]]. */
export function pick(vectors: readonly ExactVector[], which: Uint8Array): ExactVector {
  if (vectors.every(isDoubles)) {
    const picked = new Float64Array(which.length);
    for (let k = 0; k < which.length; k++) picked[k] = vectors[which[k]!]![k]!;
    return picked;
  }
  const scale = vectors.map(scaleOfVector).reduce(commonScale, unit);
  const sources = vectors.map((v) => integersAt(v, scale));
  return { integers: Array.from(which, (source, k) => sources[source]![k]!), ...scale };
}

/** sum_j weights[j] vectors[terms[j]], and a bias added to the first entries. */
export type Combine = (terms: readonly number[], weights: readonly Exact[], bias: Exact) => ExactVector;

/**
 * Linear combinations of some vectors; what they have in common is computed once, when it is needed.
 * The bias goes to the first `head` of the `length` entries.
 * @example combinations([Float64Array.of(1, 2)], 2, 1)([0], [3], 1) // Float64Array [4, 6]
 */
export function combinations(vectors: readonly ExactVector[], length: number, head: number): Combine {
  let common: { readonly scale: Scale; readonly integers: (readonly bigint[] | undefined)[] } | undefined;
  return (terms, weights, bias) => {
    const inDoubles = combineDoubles(vectors, terms, weights, bias, length, head);
    if (inDoubles) return inDoubles;
    common ??= {
      scale: vectors.map(scaleOfVector).reduce(commonScale, unit),
      integers: vectors.map(() => undefined),
    };
    const { scale, integers } = common;
    const weightScale = weights.map(scaleOf).reduce(commonScale, unit);
    const product: Scale = { odd: scale.odd * weightScale.odd, shift: scale.shift + weightScale.shift };
    const total = commonScale(product, scaleOf(bias));
    const lift = (total.odd / product.odd) << BigInt(total.shift - product.shift);
    const start = integerAt(bias, total);
    const sums = Array.from({ length }, (_, k) => (k < head ? start : 0n));
    terms.forEach((j, term) => {
      const weight = integerAt(weights[term]!, weightScale) * lift;
      if (weight === 0n) return;
      integers[j] ??= integersAt(vectors[j]!, scale);
      const vector = integers[j];
      for (let k = 0; k < length; k++) {
        const x = vector[k]!;
        if (x !== 0n) sums[k] = sums[k]! + weight * x;
      }
    });
    return normalized(sums, total);
  };
}

/** The combination in doubles, or undefined as soon as one rounding would not be exact. */
function combineDoubles(
  vectors: readonly ExactVector[],
  terms: readonly number[],
  weights: readonly Exact[],
  bias: Exact,
  length: number,
  head: number,
): Float64Array | undefined {
  if (typeof bias !== "number" || !Number.isFinite(bias)) return undefined;
  const sums = new Float64Array(length).fill(bias, 0, head);
  for (let term = 0; term < terms.length; term++) {
    const vector = vectors[terms[term]!]!;
    const weight = weights[term]!;
    if (weight === 0) continue;
    if (typeof weight !== "number" || !isDoubles(vector)) return undefined;
    if (!addMultiple(sums, weight, vector)) return undefined;
  }
  return sums;
}

/** sums += weight * vector in doubles; false when that is not exact. */
function addMultiple(sums: Float64Array, weight: number, vector: Float64Array): boolean {
  if (!(Math.abs(weight) < 2 ** 900)) return false;
  for (let k = 0; k < sums.length; k++) {
    const x = vector[k]!;
    if (x === 0) continue;
    const product = weight * x;
    if (!isSafeProduct(product) || !(Math.abs(x) < 2 ** 900) || productError(weight, x, product) !== 0)
      return false;
    const before = sums[k]!;
    const sum = before + product;
    const part = sum - before;
    if (before - (sum - part) + (product - part) !== 0) return false;
    sums[k] = sum;
  }
  return true;
}

const denominator = ({ odd, shift }: Scale): bigint => odd << BigInt(shift);

function scaleOf(x: Exact): Scale {
  if (typeof x === "number") return { odd: 1n, shift: fractionBits(x) };
  const shift = trailingZeros(x.denominator);
  return { odd: x.denominator >> BigInt(shift), shift };
}

function scaleOfVector(v: ExactVector): Scale {
  if (!isDoubles(v)) return v;
  let shift = 0;
  for (const x of v) shift = Math.max(shift, fractionBits(x));
  return { odd: 1n, shift };
}

function commonScale(a: Scale, b: Scale): Scale {
  const odd = a.odd === b.odd || b.odd === 1n ? a.odd : (a.odd / gcd(a.odd, b.odd)) * b.odd;
  return { odd, shift: Math.max(a.shift, b.shift) };
}

function integerAt(x: Exact, scale: Scale): bigint {
  if (typeof x === "number") return scaledInteger(x, scale.shift) * scale.odd;
  const { numerator, denominator: own } = fraction(x);
  return numerator * (denominator(scale) / own);
}

function integersAt(v: ExactVector, scale: Scale): readonly bigint[] {
  if (isDoubles(v)) return Array.from(v, (x) => integerAt(x, scale));
  const lift = (scale.odd / v.odd) << BigInt(scale.shift - v.shift);
  return lift === 1n ? v.integers : v.integers.map((n) => n * lift);
}

const doubleLimit = 2n ** 53n;
const fitsDouble = (n: bigint): boolean => n <= doubleLimit && n >= -doubleLimit;

/** Without the power of two that all entries share; as doubles where they hold all of them. */
function normalized(integers: readonly bigint[], { odd, shift }: Scale): ExactVector {
  const together = integers.reduce((all, n) => all | n, 0n);
  if (together === 0n) return new Float64Array(integers.length);
  const spare = Math.min(trailingZeros(together), shift);
  const rest = shift - spare;
  const small = spare === 0 ? integers : integers.map((n) => n >> BigInt(spare));
  if (odd === 1n && rest <= 900 && small.every(fitsDouble))
    return Float64Array.from(small, (n) => Number(n) * 2 ** -rest);
  return { integers: small, odd, shift: rest };
}
