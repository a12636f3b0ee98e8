// Results as JSON text.
import { type Fraction, toNumber } from "./exact/rational.ts";

const isFraction = (value: unknown): value is Fraction =>
  typeof value === "object" && value !== null && typeof (value as Partial<Fraction>).numerator === "bigint";

const jsonSafe = (_key: string, value: unknown): unknown => {
  if (isFraction(value)) return toNumber(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "bigint" ? Number(value) : value;
};

/**
 * JSON has no NaN and no infinities: they are written as strings. Fractions become the nearest double.
 * @example jsonText({ upper: 1 / 0 }) // "{\"upper\":\"Infinity\"}"
 */
export const jsonText = (value: unknown): string => JSON.stringify(value, jsonSafe);
