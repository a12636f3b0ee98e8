// Comparisons as targets of the bounds: coefficients that doubles hold exactly, constants rounded the safe way.
import { DataError } from "../../data/error.ts";
import { compare, type Exact, fraction, mul, reduce, toNumber } from "../../numbers/exact/rational.ts";
import type { Linear } from "./linear.ts";

/** The least common multiple of the denominators of the coefficients that are no doubles. */
function commonDenominator(coefficients: readonly Exact[]): bigint {
  let multiple = 1n;
  for (const c of coefficients) {
    if (typeof c === "number") continue;
    const { denominator } = fraction(c);
    let [a, b] = [multiple, denominator];
    while (b > 0n) [a, b] = [b, a % b];
    multiple *= denominator / a;
  }
  return multiple;
}

/**
 * The same comparison with 0, times a positive integer where that makes the coefficients doubles; the constant is rounded
 * down, so that what is proved above 0 is above 0.
 */
export function roundedConstant({ coefficients, constant }: Linear): {
  readonly factors: readonly number[];
  readonly constant: number;
  readonly isExact: boolean;
} {
  const scale = reduce(commonDenominator([...coefficients.values()]), 1n);
  const factors = [...coefficients.values()].map((c) => {
    const scaled = mul(c, scale);
    if (typeof scaled !== "number") throw new DataError("a coefficient of the query has too many digits");
    return scaled;
  });
  const exact = mul(constant, scale);
  const near = toNumber(exact);
  const below = near - 2 ** -52 * Math.abs(near) - Number.MIN_VALUE;
  const order = compare(near, exact);
  return { factors, constant: order <= 0 ? near : below, isExact: order === 0 };
}
