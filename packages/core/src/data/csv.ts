// Tables of numbers as CSV text.
import { type CsvRecord, csvRecords, type Delimiter, detectDelimiter } from "./csv-records.ts";
import { DataError, quote } from "./error.ts";
import type { ReadOptions } from "./options.ts";

export interface Table {
  readonly columns: readonly string[];
  /** Row-major: the cell in row i and column j is `rows[i * columns.length + j]`. */
  readonly rows: Float64Array;
  /** The number of rows. */
  readonly count: number;
}

export interface CsvOptions extends ReadOptions {
  /** Whether the first row holds names. By default it does if none of its cells is a number. */
  readonly header?: boolean;
  /** By default the first line tells: tab, semicolon or comma. */
  readonly delimiter?: Delimiter;
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const notFinite = /^([+-]?)(?:(nan)|inf(?:inity)?)$/i;

/**
 * A table of numbers from CSV text; columns without a name are called column1, column2, ...
 * @example readCsv("x,y\n1,2\n3,4").rows // Float64Array [1, 2, 3, 4]
 */
export function readCsv(text: string, options: CsvOptions = {}): Table {
  const { file } = options;
  const content = text.startsWith("\ufeff") ? text.slice(1) : text;
  const records = csvRecords(content, options.delimiter ?? detectDelimiter(content), file);
  const first = records.next();
  if (first.done) throw new DataError("the CSV text is empty", file);
  const second = records.next();
  const hasHeader = options.header ?? isHeader(first.value, second.done ? undefined : second.value);
  const width = first.value.cells.length;
  const rows = new GrowingRows(width);
  if (!hasHeader) rows.push(numbersOf(first.value, width, file));
  if (!second.done) rows.push(numbersOf(second.value, width, file));
  for (const record of records) rows.push(numbersOf(record, width, file));
  const columns = first.value.cells.map(
    (cell, column) => (hasHeader && cell.trim()) || `column${column + 1}`,
  );
  return { columns, rows: rows.values(), count: rows.count };
}

/** Names may look like numbers if they are in quotes and the numbers below are not. */
function isHeader(first: CsvRecord, second?: CsvRecord): boolean {
  if (first.quoted === first.cells.length && second && second.quoted < second.cells.length) return true;
  return first.cells.every((cell) => parseNumber(cell) === undefined);
}

function numbersOf({ cells, line }: CsvRecord, width: number, file?: string): number[] {
  if (cells.length !== width) {
    throw new DataError(`line ${line} has ${cells.length} cells, but the first row has ${width}`, file);
  }
  return cells.map((cell, column) => {
    const value = parseNumber(cell);
    if (value !== undefined) return value;
    const place = `line ${line}, column ${column + 1}`;
    if (cell.trim() === "")
      throw new DataError(`${place}: the cell is empty (write NaN for a missing value)`, file);
    const hint = /^\s*[+-]?\d+,\d+\s*$/.test(cell) ? " (use a decimal point)" : "";
    throw new DataError(`${place}: ${quote(cell)} is not a number${hint}`, file);
  });
}

function parseNumber(cell: string): number | undefined {
  if (decimal.test(cell)) return Number(cell);
  const trimmed = cell.trim();
  if (decimal.test(trimmed)) return Number(trimmed);
  const match = notFinite.exec(trimmed);
  if (!match) return undefined;
  return match[2] ? Number.NaN : match[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

class GrowingRows {
  count = 0;
  private buffer: Float64Array<ArrayBuffer>;

  constructor(private readonly width: number) {
    this.buffer = new Float64Array(width);
  }

  push(row: readonly number[]): void {
    const start = this.count++ * this.width;
    if (start + this.width > this.buffer.length) {
      const longer = new Float64Array(2 * this.buffer.length);
      longer.set(this.buffer);
      this.buffer = longer;
    }
    this.buffer.set(row, start);
  }

  values(): Float64Array {
    return this.buffer.slice(0, this.count * this.width);
  }
}

/**
 * A table as CSV text with a header, which `readCsv` reads back to the same numbers.
 * @example writeCsv({ columns: ["x", "y"], rows: Float64Array.of(1, 2), count: 1 }) // "x,y\n1,2\n"
 */
export function writeCsv({ columns, rows, count }: Table): string {
  if (rows.length !== count * columns.length) {
    throw new DataError(`${count} rows of ${columns.length} columns cannot hold ${rows.length} numbers`);
  }
  const lines = [headerLine(columns)];
  for (let row = 0; row < count; row++) {
    lines.push(
      Array.from(rows.subarray(row * columns.length, (row + 1) * columns.length), writeNumber).join(","),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** All names in quotes if one needs them, or could be taken for a number. */
function headerLine(columns: readonly string[]): string {
  const plain = columns.every((name) => !/[",;\t\r\n]|^\s*$/.test(name) && parseNumber(name) === undefined);
  return (plain ? columns : columns.map((name) => `"${name.replaceAll('"', '""')}"`)).join(",");
}

/** The shortest text that reads back as the same number; String(-0) would be "0". */
const writeNumber = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
