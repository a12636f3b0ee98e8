// Decimals that are surely not below (up) or not above (down) a double: what is printed of a bound must hold as printed.
// A double is m 2^e with whole m and e, so all of this is arithmetic of whole numbers: nothing is rounded on the way.

export type Side = "up" | "down";

/** A decimal number: (negative ? -1 : 1) * 0.d_1 d_2 ... * 10^point, d_1 not 0; of zero there are no digits. */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly point: number;
}

const bits = new DataView(new ArrayBuffer(8));

/** |value| = m * 2^e. */
function binary(value: number): { readonly m: bigint; readonly e: number } {
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = Number((word >> 52n) & 0x7ffn);
  const fraction = word & 0xf_ffff_ffff_ffffn;
  return exponent === 0
    ? { m: fraction, e: -1074 }
    : { m: fraction | 0x10_0000_0000_0000n, e: exponent - 1075 };
}

/**
 * The nearest decimal of so many digits on one side of a finite value (times a power of ten, such as 100 for percent).
 * @example directedDecimal(0.10641, 3, "up", 2) // { negative: false, digits: "107", point: 2 }
 */
export function directedDecimal(value: number, digits: number, side: Side, tens = 0): Decimal {
  if (!Number.isFinite(value)) throw new RangeError(`${value} has no decimals`);
  const negative = value < 0;
  const { m, e } = binary(value);
  if (m === 0n) return { negative: false, digits: "", point: 0 };
  const over = m * (e > 0 ? 2n ** BigInt(e) : 1n) * (tens > 0 ? 10n ** BigInt(tens) : 1n);
  const under = (e < 0 ? 2n ** BigInt(-e) : 1n) * (tens < 0 ? 10n ** BigInt(-tens) : 1n);
  return fromRatio(over, under, digits, (side === "up") !== negative, negative);
}

/** over / under > 0 with so many digits, its size rounded away from zero or towards it. */
function fromRatio(over: bigint, under: bigint, digits: number, away: boolean, negative: boolean): Decimal {
  // 10^(point - 1) <= over / under < 10^point
  let point = String(over).length - String(under).length;
  if (ratioAtLeast(over, under, point)) point++;
  const shift = digits - point;
  const [a, b] = shift >= 0 ? [over * 10n ** BigInt(shift), under] : [over, under * 10n ** BigInt(-shift)];
  const kept = a / b + (away && a % b !== 0n ? 1n : 0n);
  const text = String(kept); // 999... may have become 1000...
  return { negative, digits: text.replace(/0+$/, ""), point: point + text.length - digits };
}

/** over / under >= 10^k. */
const ratioAtLeast = (over: bigint, under: bigint, k: number): boolean =>
  k >= 0 ? over >= under * 10n ** BigInt(k) : over * 10n ** BigInt(-k) >= under;

/**
 * 1 less a sum of decimals, rounded down so that the sum keeps this many digits; the doubles stand for the decimals that
 * they are written as (0.05 is 5/100), since that is what somebody asked for. Not below 0.
 * @example lessThanOne([0.05, 0.05], 3) // { negative: false, digits: "9", point: 0 }
 */
export function lessThanOne(parts: readonly number[], digits: number): Decimal {
  const { over, under } = decimalSum(parts);
  if (over >= under) return { negative: false, digits: "", point: 0 };
  if (over === 0n) return { negative: false, digits: "1", point: 1 };
  const { digits: shown, point } = fromRatio(over, under, digits, true, false);
  const fine = shown.length - point; // the rounded sum is shown / 10^fine
  const rest = String(10n ** BigInt(fine) - BigInt(shown));
  if (rest === "0") return { negative: false, digits: "", point: 0 };
  return { negative: false, digits: rest.replace(/0+$/, ""), point: rest.length - fine };
}

/** The sum of positive doubles, each read as the decimal that it is written as. */
function decimalSum(parts: readonly number[]): { readonly over: bigint; readonly under: bigint } {
  const written = parts.map(decimalOf);
  const places = written.reduce((most, { places: p }) => Math.max(most, p), 0);
  const over = written.reduce((s, { whole, places: p }) => s + whole * 10n ** BigInt(places - p), 0n);
  return { over, under: 10n ** BigInt(places) };
}

/** The shortest decimal that reads back as a positive double: whole / 10^places. */
function decimalOf(value: number): { readonly whole: bigint; readonly places: number } {
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  const [head, tail = ""] = mantissa.split(".") as [string, string?];
  const places = tail.length - Number(exponent);
  const whole = BigInt(head + tail);
  return places >= 0 ? { whole, places } : { whole: whole * 10n ** BigInt(-places), places: 0 };
}

/**
 * All digits, thousands apart: `12,345.6`, `-0.00012`.
 * @example plainDecimal(directedDecimal(1234.56, 5, "down")) // "1,234.5"
 */
export function plainDecimal({ negative, digits, point }: Decimal): string {
  if (digits === "") return "0";
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const rest = point > 0 ? digits.slice(point) : "0".repeat(-point) + digits;
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${negative ? "-" : ""}${grouped}${rest ? `.${rest}` : ""}`;
}

/** One digit before the point, and the power of ten: `1.234` and -7. */
export const scientificParts = ({ negative, digits, point }: Decimal): readonly [string, number] =>
  digits === ""
    ? ["0", 0]
    : [`${negative ? "-" : ""}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}`, point - 1];

/** Plain where that is short: `12,345.6`; else with a power of ten: `1.3e-7`. */
function decimalText(decimal: Decimal): string {
  if (decimal.point > -4 && decimal.point <= 9) return plainDecimal(decimal);
  const [mantissa, exponent] = scientificParts(decimal);
  return `${mantissa}e${exponent}`;
}

/**
 * A number to few digits that is not on the wrong side.
 * @example directedNumber(13.3312, "up", 4) // "13.34"
 */
export const directedNumber = (value: number, side: Side, digits: number): string =>
  Number.isFinite(value) ? decimalText(directedDecimal(value, digits, side)) : String(value);

/**
 * A share in percent, without the sign; one below 1 gets as many digits as it takes not to read as 100.
 * @example directedPercent(0.10641, "up") // "10.7"
 */
export function directedPercent(share: number, side: Side, digits = 3): string {
  const text = decimalText(directedDecimal(share, digits, side, 2));
  return text === "100" && share < 1 ? directedPercent(share, side, digits + 1) : text;
}

/**
 * The confidence in percent that some probabilities of failure leave together, rounded down.
 * @example confidencePercent([1e-9]) // "99.9999999"
 */
export function confidencePercent(deltas: readonly number[]): string {
  const left = lessThanOne(deltas, 4);
  if (left.digits.length <= 24) return plainDecimal({ ...left, point: left.point + 2 });
  const { over, under } = decimalSum(deltas);
  return `100 - ${decimalText(fromRatio(100n * over, under, 2, true, false))}`;
}
