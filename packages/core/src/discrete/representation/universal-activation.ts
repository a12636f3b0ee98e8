// One activation for all functions of a variable (after Maiorov and Pinkus, Guliyev and Ismailov): polynomials with dyadic
// coefficients are numbered, and the k-th lies, squeezed towards 1, on [4k, 4k + 1].
import { add, div, type Exact, mul, reduce, sub } from "../../numbers/exact/rational.ts";
import { DiscreteError } from "../error.ts";

/** (c_0 + c_1 x + ...) / 2^places, whole numbers c. */
export interface DyadicPolynomial {
  readonly numerators: readonly bigint[];
  readonly places: number;
}

/** A whole number n >= 0 as its length in ones, a zero, and its digits. */
const field = (n: bigint): string => {
  const digits = (n + 1n).toString(2).slice(1);
  return `${"1".repeat(digits.length)}0${digits}`;
};
const unsigned = (n: bigint): bigint => (n >= 0n ? 2n * n : -2n * n - 1n);
const signed = (n: bigint): bigint => (n % 2n === 0n ? n / 2n : -(n + 1n) / 2n);

/**
 * The number of a polynomial: a leading 1, then fields for the count of coefficients, the places and the coefficients.
 * @example indexOf({ numerators: [0n], places: 0 }) // 48n
 */
export function indexOf({ numerators, places }: DyadicPolynomial): bigint {
  const fields = [BigInt(numerators.length), BigInt(places), ...numerators.map(unsigned)];
  return BigInt(`0b1${fields.map(field).join("")}`);
}

/**
 * The polynomial of a number; numbers that are none stand for 0.
 * @example polynomialOf(48n) // { numerators: [0n], places: 0 }
 */
export function polynomialOf(index: bigint): DyadicPolynomial {
  const bits = index.toString(2).slice(1);
  let at = 0;
  const next = (): bigint | undefined => {
    let length = 0;
    while (bits[at + length] === "1") length++;
    const from = at + length + 1;
    if (from + length > bits.length) return undefined;
    at = from + length;
    return BigInt(`0b1${bits.slice(from, at)}`) - 1n;
  };
  const [count, places] = [next(), next()];
  const none = { numerators: [0n], places: 0 };
  if (!count || places === undefined || count > BigInt(bits.length) || places > 4096n) return none;
  const numerators = Array.from({ length: Number(count) }, next);
  if (at !== bits.length || numerators.some((n) => n === undefined)) return none;
  return { numerators: numerators.map((n) => signed(n!)), places: Number(places) };
}

/** Its value, exactly. */
export const evaluate = ({ numerators, places }: DyadicPolynomial, x: Exact): Exact =>
  mul(
    numerators.reduceRight<Exact>((sum, c) => add(mul(sum, x), reduce(c, 1n)), 0),
    reduce(1n, 2n ** BigInt(places)),
  );

/** Bounds |u| on [-1, 2], where its interval and the joins are. */
export const boundOf = ({ numerators, places }: DyadicPolynomial): Exact =>
  reduce(
    1n + numerators.reduce((sum, c, i) => sum + (c < 0n ? -c : c) * 2n ** BigInt(i), 0n),
    2n ** BigInt(places),
  );

/**
 * sigma(4k + t), 0 <= t <= 1: 1 - (1 - u_k(t) / B_k) / (2 (k + 1)), between 1 - 1 / (k + 1) and 1. Between the intervals it
 * can be joined as smoothly as one likes.
 */
export function activationAt(k: bigint, t: Exact): Exact {
  if (k < 1n) throw new DiscreteError("polynomials are numbered from 1 on");
  const u = polynomialOf(k);
  const inside = sub(1, div(evaluate(u, t), boundOf(u)));
  return sub(1, div(inside, reduce(2n * (k + 1n), 1n)));
}

/** c1 sigma(x + theta) + c2. */
export interface OneUnit {
  /** theta = 4k. */
  readonly k: bigint;
  readonly c1: Exact;
  readonly c2: Exact;
}

/** The network of one hidden unit that is the polynomial on [0, 1]. */
export function oneUnit(u: DyadicPolynomial): OneUnit {
  const k = indexOf(u);
  const [B, scale] = [boundOf(u), reduce(2n * (k + 1n), 1n)];
  // u = B (1 - scale (1 - sigma))
  const c1 = mul(B, scale);
  return { k, c1, c2: sub(B, c1) };
}

export const oneUnitValue = ({ k, c1, c2 }: OneUnit, x: Exact): Exact => add(mul(c1, activationAt(k, x)), c2);

/**
 * Bernstein's polynomial of |x - 1/2| of even degree n, a power of two: sum |k/n - 1/2| C(n, k) x^k (1 - x)^(n-k).
 * @example bernsteinKink(2) // { numerators: [1n, -2n, 2n], places: 1 }
 */
export function bernsteinKink(n: number): DyadicPolynomial {
  const binomial: bigint[] = [1n];
  for (let k = 1; k <= n; k++) binomial.push((binomial[k - 1]! * BigInt(n - k + 1)) / BigInt(k));
  const numerators = Array.from({ length: n + 1 }, () => 0n);
  // The coefficient of x^i: C(n, i) sum_j (-1)^(i-j) C(i, j) f(j / n), f in units of 1 / n.
  for (let i = 0; i <= n; i++) {
    let [choose, sum] = [1n, 0n];
    for (let j = 0; j <= i; j++) {
      const height = BigInt(Math.abs(j - n / 2));
      sum += ((i - j) % 2 === 0 ? 1n : -1n) * choose * height;
      choose = (choose * BigInt(i - j)) / BigInt(j + 1);
    }
    numerators[i] = binomial[i]! * sum;
  }
  return { numerators, places: Math.log2(n) };
}
