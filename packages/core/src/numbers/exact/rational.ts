// Exact arithmetic on rationals that is as fast as floating point while the results still fit a double.
// An Exact is a double (meaning exactly that number) or, where no double will do, a reduced fraction.

export interface Fraction {
  readonly numerator: bigint;
  /** Positive, coprime to the numerator; never a fraction that a double could hold. */
  readonly denominator: bigint;
}
export type Exact = number | Fraction;

const splitter = 2 ** 27 + 1;
/** Neither overflow nor underflow is near, so that productError tells the truth. */
export const isSafeProduct = (p: number): boolean => {
  const size = Math.abs(p);
  return size < 2 ** 900 && size > 2 ** -900;
};

/** What rounding cost a * b (Dekker): zero exactly when the double product is exact. */
export function productError(a: number, b: number, product: number): number {
  const s = splitter * a;
  const t = splitter * b;
  const aHigh = s - (s - a);
  const bHigh = t - (t - b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

const isModerate = (x: number): boolean => Math.abs(x) < 2 ** 900;

/** a + b, exactly. */
export function add(a: Exact, b: Exact): Exact {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    const part = sum - a;
    if (a - (sum - part) + (b - part) === 0 && isModerate(sum)) return sum;
  }
  const p = fraction(a);
  const q = fraction(b);
  return reduce(p.numerator * q.denominator + q.numerator * p.denominator, p.denominator * q.denominator);
}

/** a * b, exactly. */
export function mul(a: Exact, b: Exact): Exact {
  if (a === 0 || b === 0) return 0;
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (isSafeProduct(product) && isModerate(a) && isModerate(b) && productError(a, b, product) === 0)
      return product;
  }
  const p = fraction(a);
  const q = fraction(b);
  return reduce(p.numerator * q.numerator, p.denominator * q.denominator);
}

/** a / b, exactly. */
export function div(a: Exact, b: Exact): Exact {
  if (b === 0) throw new RangeError("division by zero");
  if (a === 0) return 0;
  if (typeof a === "number" && typeof b === "number") {
    const quotient = a / b;
    const back = quotient * b;
    if (back === a && isSafeProduct(back) && isModerate(quotient) && productError(quotient, b, back) === 0) {
      return quotient;
    }
  }
  const p = fraction(a);
  const q = fraction(b);
  return reduce(p.numerator * q.denominator, p.denominator * q.numerator);
}

export const neg = (a: Exact): Exact =>
  typeof a === "number" ? 0 - a : { numerator: -a.numerator, denominator: a.denominator };

export const sub = (a: Exact, b: Exact): Exact => add(a, neg(b));

/** -1, 0 or 1. */
export function sign(a: Exact): number {
  if (typeof a === "number") return a > 0 ? 1 : a < 0 ? -1 : 0;
  return a.numerator > 0n ? 1 : a.numerator < 0n ? -1 : 0;
}

/** Negative when a < b, zero when equal, positive when a > b. */
export function compare(a: Exact, b: Exact): number {
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
  const p = fraction(a);
  const q = fraction(b);
  const left = p.numerator * q.denominator;
  const right = q.numerator * p.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

export const max = (a: Exact, b: Exact): Exact => (compare(a, b) >= 0 ? a : b);
export const min = (a: Exact, b: Exact): Exact => (compare(a, b) <= 0 ? a : b);
export const abs = (a: Exact): Exact => (sign(a) < 0 ? neg(a) : a);

const bits = new DataView(new ArrayBuffer(8));

/** How many bits a finite double has behind the binary point: 0 for an integer, 2 for 0.75. */
export function fractionBits(x: number): number {
  if (Number.isInteger(x)) return 0;
  if (!Number.isFinite(x)) throw new RangeError(`${x} is not a number that exact arithmetic can hold`);
  bits.setFloat64(0, x);
  const [high, low] = [bits.getUint32(0), bits.getUint32(4)];
  const exponent = (high >>> 20) & 0x7ff;
  const top = (high & 0xfffff) | (exponent > 0 ? 0x100000 : 0);
  const zeros = low !== 0 ? trailingZeros32(low) : 32 + trailingZeros32(top);
  return 1075 - Math.max(exponent, 1) - zeros;
}

const trailingZeros32 = (x: number): number => 31 - Math.clz32(x & -x);

/** x 2^shift, which must be an integer. */
export function scaledInteger(x: number, shift: number): bigint {
  if (!Number.isFinite(x)) throw new RangeError(`${x} is not a number that exact arithmetic can hold`);
  const scaled = shift <= 1000 ? x * 2 ** shift : Number.POSITIVE_INFINITY;
  if (Number.isFinite(scaled)) return BigInt(scaled);
  const own = fractionBits(x);
  const integer = own <= 1000 ? BigInt(x * 2 ** own) : BigInt(x * 2 ** 1000 * 2 ** (own - 1000));
  return integer << BigInt(shift - own);
}

/** The exponent of the greatest power of two that divides n (not zero). */
export function trailingZeros(n: bigint): number {
  for (let zeros = 0, rest = n; ; zeros += 64, rest >>= 64n) {
    const low = BigInt.asUintN(64, rest);
    if (low === 0n) continue;
    const word = Number(low & 0xffffffffn);
    return zeros + (word !== 0 ? trailingZeros32(word) : 32 + trailingZeros32(Number(low >> 32n)));
  }
}

/** An exact number as a (not necessarily reduced) fraction; every finite double is one. */
export function fraction(a: Exact): Fraction {
  if (typeof a !== "number") return a;
  const shift = fractionBits(a);
  return { numerator: scaledInteger(a, shift), denominator: 1n << BigInt(shift) };
}

export function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

/** The reduced form of a fraction: a double when one holds it. */
export function reduce(numerator: bigint, denominator: bigint): Exact {
  if (numerator === 0n) return 0;
  const [p, q] = denominator < 0n ? [-numerator, -denominator] : [numerator, denominator];
  const shift = trailingZeros(q);
  if (q >> BigInt(shift) === 1n) return dyadic(p, shift);
  const divisor = gcd(p, q);
  const [n, d] = [p / divisor, q / divisor];
  const left = trailingZeros(d);
  return d >> BigInt(left) === 1n ? dyadic(n, left) : { numerator: n, denominator: d };
}

const doubleLimit = 2n ** 53n;

/** n / 2^shift, reduced without any division; n is not zero. */
export function dyadic(n: bigint, shift: number): Exact {
  const zeros = trailingZeros(n);
  const odd = n >> BigInt(zeros);
  const exponent = zeros - shift; // the number is odd 2^exponent
  if (odd < doubleLimit && odd > -doubleLimit && exponent >= -1074) {
    const value = scaleByPowerOfTwo(Number(odd), exponent);
    if (Number.isFinite(value)) return value;
  }
  return exponent >= 0
    ? { numerator: n >> BigInt(shift), denominator: 1n }
    : { numerator: odd, denominator: 1n << BigInt(-exponent) };
}

/** The greatest integer that is not above a. */
export function floor(a: Exact): Exact {
  if (typeof a === "number") return Math.floor(a);
  const quotient = a.numerator / a.denominator;
  return reduce(a.numerator < 0n && quotient * a.denominator !== a.numerator ? quotient - 1n : quotient, 1n);
}

/** The nearest double (ties to even). */
export function toNumber(a: Exact): number {
  if (typeof a === "number") return a;
  const negative = a.numerator < 0n;
  const n = negative ? -a.numerator : a.numerator;
  // A quotient of 60 to 70 bits whose last bit is sticky rounds, by BigInt -> Number, as the fraction does.
  const shift = 64 - (bitLength(n) - bitLength(a.denominator));
  const [scaledN, scaledD] =
    shift >= 0 ? [n << BigInt(shift), a.denominator] : [n, a.denominator << BigInt(-shift)];
  const quotient = scaledN / scaledD;
  const sticky = quotient * scaledD === scaledN ? quotient : quotient | 1n;
  const value = scaleByPowerOfTwo(Number(sticky), -shift);
  return negative ? -value : value;
}

/** x 2^k in steps that do not overflow on the way (a result below the normal range may round twice). */
function scaleByPowerOfTwo(x: number, k: number): number {
  let [value, rest] = [x, k];
  while (rest > 1000) [value, rest] = [value * 2 ** 1000, rest - 1000];
  while (rest < -1000) [value, rest] = [value * 2 ** -1000, rest + 1000];
  return value * 2 ** rest;
}

/** The number of bits of |n|, to within three (and a sign). */
export const bitLength = (n: bigint): number => 4 * n.toString(16).length;

/** As a person writes it: `1/3`, `0.25`. */
export const format = (a: Exact): string =>
  typeof a === "number" ? String(a) : `${a.numerator}/${a.denominator}`;
