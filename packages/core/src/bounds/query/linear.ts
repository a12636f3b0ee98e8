// Linear expressions of a query's variables, with exact coefficients, and comparisons of them with 0.
import { add, compare, type Exact, mul, neg, reduce, sign, toNumber } from "../../numbers/exact/rational.ts";

/** sum of coefficients * variables + constant; variables are numbered. */
export interface Linear {
  readonly coefficients: ReadonlyMap<number, Exact>;
  readonly constant: Exact;
}

/** linear <= 0, or < 0 if strict. */
export interface Atom {
  readonly linear: Linear;
  readonly strict: boolean;
}

export const constant = (value: Exact): Linear => ({ coefficients: new Map(), constant: value });
export const variable = (index: number): Linear => ({ coefficients: new Map([[index, 1]]), constant: 0 });

export function plus(a: Linear, b: Linear): Linear {
  const coefficients = new Map(a.coefficients);
  for (const [index, c] of b.coefficients) {
    const total = add(coefficients.get(index) ?? 0, c);
    if (sign(total) === 0) coefficients.delete(index);
    else coefficients.set(index, total);
  }
  return { coefficients, constant: add(a.constant, b.constant) };
}

export function times(a: Linear, factor: Exact): Linear {
  if (sign(factor) === 0) return constant(0);
  return {
    coefficients: new Map([...a.coefficients].map(([index, c]) => [index, mul(c, factor)])),
    constant: mul(a.constant, factor),
  };
}

export const minus = (a: Linear, b: Linear): Linear => plus(a, times(b, -1));

/** The same expression with some variables read as others. */
export function renamed({ coefficients, constant: c }: Linear, name: (index: number) => number): Linear {
  let result = constant(c);
  for (const [index, factor] of coefficients) result = plus(result, times(variable(name(index)), factor));
  return result;
}

/** Does the comparison hold for these values? Decided exactly. */
export function holds({ linear, strict }: Atom, value: (index: number) => Exact): boolean {
  let sum = linear.constant;
  for (const [index, c] of linear.coefficients) {
    if (!Number.isFinite(toNumber(value(index)))) return false;
    sum = add(sum, mul(c, value(index)));
  }
  return strict ? sign(sum) < 0 : sign(sum) <= 0;
}

/** Can both hold? Only said of expressions that are each other's negative. */
export function contradict(a: Atom, b: Atom): boolean {
  if (a.linear.coefficients.size !== b.linear.coefficients.size) return false;
  for (const [index, c] of a.linear.coefficients) {
    const other = b.linear.coefficients.get(index);
    if (other === undefined || compare(c, neg(other)) !== 0) return false;
  }
  const sum = sign(add(a.linear.constant, b.linear.constant));
  return a.strict || b.strict ? sum >= 0 : sum > 0;
}

const decimal = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;
const mostDigits = 400;

/**
 * The number that a decimal text means, exactly; undefined if it is none (or absurdly long).
 * @example exactDecimal("-2.50") // -2.5
 */
export function exactDecimal(text: string): Exact | undefined {
  const [, minusSign, whole = "", part = "", power = "0"] = decimal.exec(text) ?? [];
  const digits = whole + part;
  const exponent = Number(power) - part.length;
  if (
    minusSign === undefined ||
    digits === "" ||
    digits.length > mostDigits ||
    Math.abs(exponent) > mostDigits
  )
    return undefined;
  const n = BigInt(digits) * (minusSign === "-" ? -1n : 1n);
  const scale = 10n ** BigInt(Math.abs(exponent));
  const value = exponent < 0 ? reduce(n, scale) : reduce(n * scale, 1n);
  return Number.isFinite(toNumber(value)) ? value : undefined;
}
