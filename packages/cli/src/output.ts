// What commands print: one JSON object, or tables that a person likes to read.
import { directedNumber, jsonText } from "@lemmata/core/numbers";
import { printableLine, printableName, printableText } from "@lemmata/core/printable";

export interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly seed: number;
}

/** Where text goes: to stdout, or to who runs a command for its result. */
const sink: { write: (text: string) => void } = { write: (text) => void process.stdout.write(text) };

/** What a command prints, as text; one at a time. */
export async function captured(command: () => Promise<unknown>): Promise<string> {
  const { write } = sink;
  let text = "";
  sink.write = (more) => {
    text += more;
  };
  try {
    await command();
  } finally {
    sink.write = write;
  }
  return text;
}

/** Prints lines, or a JSON object as one; what a file may have put into them moves no cursor. */
export const print = (text: string): void => sink.write(`${printableText(text)}\n`);
/** Prints one line, with names from a file in it. */
export const printLine = (text: string): void => print(printableLine(text));
export const printJson = (value: unknown): void => print(jsonText(value));

/** Longer than any sentence of ours: only names from files are cut. */
const longestCell = 400;

const visibleWidth = (text: string): number => [...text.replace(/\p{M}/gu, "")].length;

/** What fits beside each other: the terminal's width; no limit where nobody looks. */
const room = (): number => (process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY);
const [gap, narrowest] = [2, 16];

/**
 * Columns with two spaces between them; `right` lists the columns of numbers. A cell is one line, whatever is in it, or
 * several where the table would be wider than the terminal.
 */
export function table(
  titles: readonly string[],
  cells: readonly (readonly string[])[],
  right: readonly number[] = [],
  width = room(),
): string {
  const whole = (text: string): string => printableName(text, longestCell);
  const [header, rows] = [titles.map(whole), cells.map((row) => row.map(whole))];
  const natural = header.map((title, k) =>
    // Not by Math.max(...): a model may have more rows than the stack holds arguments.
    rows.reduce((most, row) => Math.max(most, visibleWidth(row[k] ?? "")), visibleWidth(title)),
  );
  const widths = fitted(natural, width, right);
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, k) => {
        const space = " ".repeat(Math.max(0, widths[k]! - visibleWidth(cell)));
        return right.includes(k) ? space + cell : cell + space;
      })
      .join(" ".repeat(gap))
      .trimEnd();
  const lines = (row: readonly string[]): string[] => {
    const parts = row.map((cell, k) => wrapped(cell, widths[k]!));
    const height = Math.max(...parts.map((p) => p.length));
    return Array.from({ length: height }, (_, i) => line(parts.map((p) => p[i] ?? "")));
  };
  return [line(header), line(widths.map((w) => "─".repeat(w))), ...rows.flatMap(lines)].join("\n");
}

/** The widest columns of words give way until the table fits, or until they are as narrow as can be read. */
function fitted(natural: readonly number[], width: number, right: readonly number[]): number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, w) => sum + w, gap * (widths.length - 1));
  while (total() > width) {
    const words = widths.map((w, k) => (right.includes(k) ? 0 : w));
    const widest = words.indexOf(Math.max(...words));
    if (words[widest]! <= narrowest) break;
    widths[widest]!--;
  }
  return widths;
}

/** Lines of at most this width, broken at spaces where there are any. */
export function wrapped(text: string, width: number): string[] {
  if (visibleWidth(text) <= width) return [text];
  const lines = [""];
  for (const word of text.split(" ")) {
    let rest = [...word];
    const last = lines.at(-1)!;
    if (last !== "" && visibleWidth(`${last} ${word}`) <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
      continue;
    }
    if (last !== "") lines.push("");
    for (; rest.length > width; rest = rest.slice(width))
      lines.splice(-1, 1, rest.slice(0, width).join(""), "");
    lines[lines.length - 1] = rest.join("");
  }
  return lines;
}

/** A paragraph as wide as the terminal, each line of it after this indentation. */
export const paragraph = (text: string, indentation = "", width = room()): string =>
  wrapped(text, width - indentation.length)
    .map((line) => indentation + line)
    .join("\n");

/** A number as a person reads it: `12,345`, `0.0625`, `3.1e-9`, `1.4e20`. */
export function number(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";
  // Grouped by hand: to load the rules of languages takes longer than many a command.
  if (Number.isInteger(value) && size < 1e15) return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
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

/** A count with its noun. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${number(count)} ${count === 1 ? noun : plural}`;
