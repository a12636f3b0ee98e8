// What commands print: one JSON object, or tables that a person likes to read.
import { jsonText } from "@lemmata/core/engine";

export interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly seed: number;
}

/** Prints a line, or a JSON object as one. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);
export const printJson = (value: unknown): void => print(jsonText(value));

const visibleWidth = (text: string): number => [...text].length;

/** Columns with two spaces between them; `right` lists the columns of numbers. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const widths = header.map((title, k) =>
    Math.max(...[title, ...rows.map((r) => r[k] ?? "")].map(visibleWidth)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, k) => {
        const space = " ".repeat(Math.max(0, widths[k]! - visibleWidth(cell)));
        return right.includes(k) ? space + cell : cell + space;
      })
      .join("  ")
      .trimEnd();
  return [line(header), line(widths.map((w) => "─".repeat(w))), ...rows.map(line)].join("\n");
}

/** A number as a person reads it: `12,345`, `0.0625`, `3.1e-9`. */
export function number(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en-US");
  if (Math.abs(value) < 1e-4) return String(Number(value.toPrecision(6)).toExponential());
  return String(Number(value.toPrecision(7)));
}
