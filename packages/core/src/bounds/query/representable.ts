// The numbers that an element type has, and those of them that lie between exact bounds.
import { DataError } from "../../data/error.ts";
import { compare, type Exact, neg, toNumber } from "../../numbers/exact/rational.ts";

/** A floating-point type: bits of a significand, the least exponent of a normal number, the greatest finite number. */
interface FloatFormat {
  readonly precision: number;
  readonly leastExponent: number;
  readonly greatest: number;
}

const formats: Readonly<Record<string, FloatFormat>> = {
  float64: { precision: 53, leastExponent: -1022, greatest: Number.MAX_VALUE },
  float32: { precision: 24, leastExponent: -126, greatest: (2 - 2 ** -23) * 2 ** 127 },
  bfloat16: { precision: 8, leastExponent: -126, greatest: (2 - 2 ** -7) * 2 ** 127 },
  float16: { precision: 11, leastExponent: -14, greatest: 65504 },
};

function formatOf(type: string): FloatFormat {
  const format = formats[type];
  if (!format)
    throw new DataError(`inputs of type ${type} are not supported: ${Object.keys(formats).join(", ")} are`);
  return format;
}

const bits = new DataView(new ArrayBuffer(8));

/** floor(log2 |x|), from the bits of the double; at least -1023. */
function exponentOf(x: number): number {
  bits.setFloat64(0, x);
  return ((bits.getUint32(0) >>> 20) & 0x7ff) - 1023;
}

/** The distance of the type's numbers about x: those with x's exponent are its multiples. */
const spacingAt = (x: number, { precision, leastExponent }: FloatFormat): number =>
  2 ** (Math.max(exponentOf(x), leastExponent) - precision + 1);

/** The next number of the type above one of it; Infinity above the greatest. */
function above(x: number, format: FloatFormat): number {
  const spacing = spacingAt(x, format);
  // Below a power of two the numbers lie closer.
  const isClose = x < 0 && x === -(2 ** exponentOf(x)) && exponentOf(x) > format.leastExponent;
  const next = x + (isClose ? spacing / 2 : spacing);
  return next > format.greatest ? Number.POSITIVE_INFINITY : next;
}

/** The greatest number of the type that is at most the double x, which is no more than its greatest. */
const floorOf = (x: number, format: FloatFormat): number => {
  const spacing = spacingAt(x, format);
  return Math.floor(x / spacing) * spacing;
};

/** A bound of an input: the bound itself is excluded where it is strict. */
export interface Bound {
  readonly value: Exact;
  readonly strict: boolean;
}

/**
 * The least number of an element type that a lower bound allows, decided exactly; Infinity if there is none.
 * @example leastAllowed({ value: 0.5, strict: false }, "float16") // 0.5
 */
export function leastAllowed({ value, strict }: Bound, type: string): number {
  const format = formatOf(type);
  const { greatest } = format;
  if (compare(value, greatest) > 0) return Number.POSITIVE_INFINITY;
  const near = Math.min(greatest, toNumber(value));
  // toNumber may be a step off: two steps of the type below, what is found there is surely not above.
  let x = near <= -greatest ? -greatest : Math.max(-greatest, -above(-floorOf(near, format), format));
  while (x < Number.POSITIVE_INFINITY && compare(x, value) < (strict ? 1 : 0)) x = above(x, format);
  return x + 0;
}

/** The greatest number of an element type that an upper bound allows; -Infinity if there is none. */
export const greatestAllowed = ({ value, strict }: Bound, type: string): number =>
  0 - leastAllowed({ value: neg(value), strict }, type);

/** The number of the type that is nearest to a double, ties to even; the greatest finite ones beyond their ends. */
export function nearestOf(x: number, type: string): number {
  const format = formatOf(type);
  if (Math.abs(x) >= format.greatest) return Math.sign(x) * format.greatest;
  const spacing = spacingAt(x, format);
  const steps = x / spacing;
  const down = Math.floor(steps);
  const isUp = steps - down > 0.5 || (steps - down === 0.5 && down % 2 !== 0);
  return (isUp ? down + 1 : down) * spacing + 0;
}

/**
 * The number of the element type nearest to x among those from `lower` to `upper`; if there is none, nearest to x at all.
 * @example representable(0.1, "float32", 0.1, 1) >= 0.1 // true
 */
export function representable(x: number, type: string, lower: number, upper: number): number {
  const near = nearestOf(x, type);
  if (near >= lower && near <= upper) return near;
  const [least, greatest] = [
    leastAllowed({ value: lower, strict: false }, type),
    greatestAllowed({ value: upper, strict: false }, type),
  ];
  return least > greatest ? near : Math.min(greatest, Math.max(least, near));
}
