// Rational numbers for tests, by nothing but big integers: a second way beside the library's own exact arithmetic.

export interface Rational {
  readonly n: bigint;
  /** Positive. */
  readonly d: bigint;
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));

export function rational(n: bigint, d = 1n): Rational {
  const g = gcd(n, d) * (d < 0n ? -1n : 1n);
  return { n: n / g, d: d / g };
}

export const plus = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d);
export const times = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d);
export const minus = (a: Rational, b: Rational): Rational => plus(a, { n: -b.n, d: b.d });
export const over = (a: Rational, b: Rational): Rational => rational(a.n * b.d, a.d * b.n);
export const order = (a: Rational, b: Rational): number =>
  Number(a.n * b.d > b.n * a.d) - Number(a.n * b.d < b.n * a.d);
export const zero = rational(0n);
export const least = (...all: readonly Rational[]): Rational =>
  all.reduce((p, q) => (order(q, p) < 0 ? q : p));
export const greatest = (...all: readonly Rational[]): Rational =>
  all.reduce((p, q) => (order(q, p) > 0 ? q : p));
export const approximately = ({ n, d }: Rational): number => Number((n * 10n ** 25n) / d) / 1e25;

/** What a finite double is. */
export function ofDouble(x: number): Rational {
  let [value, bits] = [x, 0];
  while (!Number.isInteger(value)) [value, bits] = [2 * value, bits + 1];
  return rational(BigInt(value), 2n ** BigInt(bits));
}

/** What a decimal text means. */
export function ofDecimal(text: string): Rational {
  const [, sign, whole = "", part = "", power = "0"] = /^(-?)(\d*)\.?(\d*)(?:e(-?\d+))?$/.exec(text)!;
  const digits = BigInt(whole + part) * (sign ? -1n : 1n);
  const exponent = Number(power) - part.length;
  return exponent < 0
    ? rational(digits, 10n ** BigInt(-exponent))
    : rational(digits * 10n ** BigInt(exponent));
}

const mostPlaces = 60;

/** All digits of a number; of one with too many or endlessly many, the first ones. */
export function decimalText({ n, d }: Rational): string {
  let places = 0;
  while (places < mostPlaces && (n * 10n ** BigInt(places)) % d !== 0n) places++;
  const size = ((n < 0n ? -n : n) * 10n ** BigInt(places)) / d;
  const digits = String(size).padStart(places + 1, "0");
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return `${n < 0n ? "-" : ""}${text}`;
}
