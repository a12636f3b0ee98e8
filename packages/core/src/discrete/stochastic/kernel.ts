// Conditional distributions of s bits given d bits: rows are inputs, columns outputs, the first bit is the highest.
import { DiscreteError } from "../error.ts";

export interface Kernel {
  /** d and s. */
  readonly inputs: number;
  readonly outputs: number;
  /** 2^d rows of 2^s probabilities. */
  readonly rows: readonly Float64Array[];
}

/** Decimal digits that a file may have lost: rows are divided by their sums, which are this near to 1. */
const mostDeviation = 1e-6;

/**
 * The kernel of a table, or an error that says which row is none.
 * @example kernelOf([[0.5, 0.5], [1, 0]]).outputs // 1
 */
export function kernelOf(table: readonly ArrayLike<number>[]): Kernel {
  const [inputs, outputs] = [Math.log2(table.length), Math.log2(table[0]?.length ?? 0)];
  if (!Number.isInteger(inputs) || !Number.isInteger(outputs))
    throw new DiscreteError(
      `a table of probabilities has 2^d rows and 2^s columns; this one has ${table.length} and ${table[0]?.length ?? 0}`,
    );
  const rows = table.map((given, r) => {
    const row = Float64Array.from(given);
    if (row.length !== 2 ** outputs)
      throw new DiscreteError(`row ${r + 1} has ${row.length} columns, the first one ${2 ** outputs}`);
    const negative = row.findIndex((p) => p < 0); // often what makes another one greater than 1
    const bad = negative >= 0 ? negative : row.findIndex((p) => !(p >= 0 && p <= 1 + mostDeviation));
    if (bad >= 0) throw new DiscreteError(`row ${r + 1}, column ${bad + 1}: ${row[bad]} is no probability`);
    const total = row.reduce((sum, p) => sum + p, 0);
    if (!(Math.abs(total - 1) <= mostDeviation))
      throw new DiscreteError(`row ${r + 1} sums to ${Number(total.toPrecision(7))}, not to 1`);
    return row.map((p) => p / total);
  });
  return { inputs, outputs, rows };
}

/**
 * The greatest total variation between rows of two kernels, half of the sum of differences.
 * @example totalVariation(kernelOf([[1, 0]]), kernelOf([[0.75, 0.25]])) // 0.25
 */
export const totalVariation = (a: Kernel, b: Kernel): number =>
  a.rows.reduce(
    (most, row, r) => Math.max(most, row.reduce((sum, p, c) => sum + Math.abs(p - b.rows[r]![c]!), 0) / 2),
    0,
  );

/**
 * The greatest difference of two entries.
 * @example greatestDifference(kernelOf([[1, 0]]), kernelOf([[0.75, 0.25]])) // 0.25
 */
export const greatestDifference = (a: Kernel, b: Kernel): number =>
  a.rows.reduce(
    (most, row, r) => row.reduce((m, p, c) => Math.max(m, Math.abs(p - b.rows[r]![c]!)), most),
    0,
  );

/**
 * The bits of a number, the highest first.
 * @example bitsOf(6, 4) // [0, 1, 1, 0]
 */
export const bitsOf = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, k) => Math.floor(value / 2 ** (count - 1 - k)) % 2);
