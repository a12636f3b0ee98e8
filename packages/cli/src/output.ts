// What commands print: one JSON object, or tables that a person likes to read.
import { directedNumber, jsonText } from "@lemmata/core/engine";
import { printableLine, printableName, printableText } from "@lemmata/core/printable";

export interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly seed: number;
}

/** Prints lines, or a JSON object as one; what a file may have put into them moves no cursor. */
export const print = (text: string): void => void process.stdout.write(`${printableText(text)}\n`);
/** Prints one line, with names from a file in it. */
export const printLine = (text: string): void => print(printableLine(text));
export const printJson = (value: unknown): void => print(jsonText(value));

/** Longer than any sentence of ours: only names from files are cut. */
const longestCell = 400;

const visibleWidth = (text: string): number => [...text].length;

/** Columns with two spaces between them; `right` lists the columns of numbers. A cell is one line, whatever is in it. */
export function table(
  titles: readonly string[],
  cells: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const whole = (text: string): string => printableName(text, longestCell);
  const [header, rows] = [titles.map(whole), cells.map((row) => row.map(whole))];
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

/** A number as a person reads it: `12,345`, `0.0625`, `3.1e-9`, `1.4e20`. */
export function number(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";
  if (Number.isInteger(value) && size < 1e15) return value.toLocaleString("en-US");
  const short = Number(value.toPrecision(size < 1e-4 ? 6 : 7));
  return size < 1e-4 || size >= 1e9 ? short.toExponential().replace("e+", "e") : String(short);
}

/** A bound with so many digits, on its side of the value: what is printed holds. */
export const atMost = (value: number, digits = 7): string =>
  Number.isFinite(value) ? directedNumber(value, "up", digits) : number(value);
export const atLeast = (value: number, digits = 7): string =>
  Number.isFinite(value) ? directedNumber(value, "down", digits) : number(value);

/** Seconds, to two decimals. */
export const secondsText = (seconds: number): string => `${number(Number(seconds.toFixed(2)))} s`;
