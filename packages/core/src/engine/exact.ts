// Exact arithmetic on rationals that is as fast as floating point while the results still fit a double.
// An Exact is a double (meaning exactly that number) or, where no double will do, a reduced fraction.

export interface Fraction {
  readonly numerator: bigint;
  /** Positive, coprime to the numerator; never a fraction that a double could hold. */
  readonly denominator: bigint;
}
export type Exact = number | Fraction;

const splitter = 2 ** 27 + 1;
const isSafeProduct = (p: number): boolean => {
  const size = Math.abs(p);
  return size < 2 ** 900 && size > 2 ** -900;
};

/** What rounding cost a * b (Dekker): zero exactly when the double product is exact. */
function productError(a: number, b: number, product: number): number {
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

/** An exact number as a (not necessarily reduced) fraction; every finite double is one. */
export function fraction(a: Exact): Fraction {
  if (typeof a !== "number") return a;
  if (Number.isInteger(a)) return { numerator: BigInt(a), denominator: 1n };
  if (!Number.isFinite(a)) throw new RangeError(`${a} is not a number that exact arithmetic can hold`);
  let shift = 0;
  let scaled = a;
  while (!Number.isInteger(scaled)) {
    scaled *= 2 ** 52;
    shift += 52;
  }
  return { numerator: BigInt(scaled), denominator: 1n << BigInt(shift) };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

/** The reduced form of a fraction: a double when one holds it. */
export function reduce(numerator: bigint, denominator: bigint): Exact {
  if (numerator === 0n) return 0;
  const divisor =
    gcd(numerator, denominator < 0n ? -denominator : denominator) * (denominator < 0n ? -1n : 1n);
  const n = numerator / divisor;
  const d = denominator / divisor;
  if ((d & (d - 1n)) === 0n) {
    const approximate = toNumber({ numerator: n, denominator: d });
    if (Number.isFinite(approximate) && approximate !== 0) {
      const back = fraction(approximate);
      if (back.numerator * d === n * back.denominator) return approximate;
    }
  }
  return { numerator: n, denominator: d };
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

/** The number of bits, to within three. */
const bitLength = (n: bigint): number => 4 * n.toString(16).length;

/** As a person writes it: `1/3`, `0.25`. */
export const format = (a: Exact): string =>
  typeof a === "number" ? String(a) : `${a.numerator}/${a.denominator}`;
