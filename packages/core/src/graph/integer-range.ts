// Which integers a type holds.
import type { DataType } from "./tensor.ts";

/** Least and greatest integers of a type. As doubles, 2^63 - 1 is 2^63 and 2^64 - 1 is 2^64. */
export function integerRange(type: DataType): readonly [number, number] | undefined {
  if (type === "bool") return [0, 1];
  const parts = /^(u?)int(\d+)$/.exec(type);
  if (!parts) return undefined;
  const bits = Number(parts[2]);
  const span = (exponent: number): number => (bits === 64 ? 2 ** exponent : 2 ** exponent - 1);
  return parts[1] ? [0, span(bits)] : [-(2 ** (bits - 1)), span(bits - 1)];
}
