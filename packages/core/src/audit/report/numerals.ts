// Numbers as people write them. What is measured is rounded to nearest; a bound is rounded to its own side, exactly.

import { power } from "../../figure/figure.ts";
import {
  confidencePercent,
  directedDecimal,
  directedPercent,
  plainDecimal,
  type Side,
  scientificParts,
} from "../../numbers/directed-decimal.ts";

const minus = (text: string): string => text.replace("-", "−");
const plain = (value: number, digits: number): string =>
  minus(value.toLocaleString("en-US", { maximumSignificantDigits: digits }));

/**
 * Four digits that count, thousands separated, powers of ten where there would be many zeros.
 * @example numeral(0.000012345) // "1.234·10⁻⁵"
 */
export function numeral(value: number | undefined, digits = 4): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return minus(value.toLocaleString("en-US"));
  if (size >= 1e-3 && size < 1e5) return plain(value, digits);
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return scientific(Number(mantissa), Number(exponent));
}

const scientific = (mantissa: number, exponent: number): string =>
  mantissa === 1 ? power(10, exponent) : `${minus(String(mantissa))}·${power(10, exponent)}`;

/**
 * A positive number of which the natural logarithm is known, as it may be too great for a double.
 * @example numeralFromLog(1000 * Math.log(10)) // "10¹⁰⁰⁰"
 */
export function numeralFromLog(log: number, digits = 4): string {
  if (Math.abs(log) < 600) return numeral(Math.exp(log), digits);
  const decades = log / Math.LN10;
  const exponent = Math.floor(decades + 1e-9);
  return scientific(Number((10 ** Math.max(0, decades - exponent)).toPrecision(digits)), exponent);
}

/**
 * A share in percent.
 * @example percent(0.03125) // "3.13%"
 */
export function percent(share: number, digits = 3): string {
  const text = plain(100 * share, digits);
  return text === "100" && share < 1 ? "just below 100%" : `${text}%`;
}

function directed(value: number, side: Side, digits: number): string {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) < 1e9)) return numeral(value);
  const decimal = directedDecimal(value, digits, side);
  if (decimal.point > -3 && decimal.point <= 5) return minus(plainDecimal(decimal));
  const [mantissa, exponent] = scientificParts(decimal);
  return mantissa === "1" ? power(10, exponent) : `${minus(mantissa)}·${power(10, exponent)}`;
}

/**
 * An upper bound: what is shown is not below it; one below 1 gets as many digits as it takes not to read as 1.
 * @example upperNumeral(0.106412) // "0.1065"
 */
export function upperNumeral(value: number, digits = 4): string {
  const text = directed(value, "up", digits);
  return text === "1" && value < 1 ? upperNumeral(value, digits + 1) : text;
}
/** A lower bound: what is shown is not above it. */
export const lowerNumeral = (value: number, digits = 4): string => directed(value, "down", digits);

/** Shares in percent that are bounds. */
export const upperPercent = (share: number): string => `${minus(directedPercent(share, "up"))}%`;
export const lowerPercent = (share: number): string => `${minus(directedPercent(share, "down"))}%`;

/** The confidence that is left where each of these probabilities may fail. */
export const confidence = (...deltas: readonly number[]): string => `${confidencePercent(deltas)}%`;

/** A count with its noun; the plural has an s unless it is given. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${numeral(count)} ${count === 1 ? noun : plural}`;
