// The records of a CSV text (RFC 4180): quoting, line ends, and where each record starts.
import { DataError } from "./error.ts";

export type Delimiter = "," | ";" | "\t";

export interface CsvRecord {
  readonly cells: readonly string[];
  /** How many of the cells are written in quotes. */
  readonly quoted: number;
  /** The line it starts on, from 1. */
  readonly line: number;
}

/**
 * The delimiter of a text, from its first line: a tab if it has one outside quotes, else a semicolon, else a comma.
 * (Not the most frequent one: in `1,5;2,5` the commas are decimal commas.)
 */
export function detectDelimiter(text: string): Delimiter {
  const firstLine = /[^\r\n]+/.exec(text)?.[0].replace(/"[^"]*(?:"|$)/g, "") ?? "";
  return firstLine.includes("\t") ? "\t" : firstLine.includes(";") ? ";" : ",";
}

/**
 * The records of a text, one by one; empty lines are skipped.
 * @example [...csvRecords('a,"b, c"', ",")][0].cells // ["a", "b, c"]
 */
export function* csvRecords(text: string, delimiter: Delimiter, file?: string): Generator<CsvRecord> {
  let line = 1;
  for (let position = 0; position < text.length; ) {
    const record = readRecord(text, position, delimiter, line, file);
    if (record.cells.length > 1 || record.quoted > 0 || record.cells[0]!.trim() !== "") yield record;
    position = record.end;
    line = record.endLine;
  }
}

interface RecordAt extends CsvRecord {
  readonly end: number;
  readonly endLine: number;
}

function readRecord(text: string, from: number, delimiter: Delimiter, line: number, file?: string): RecordAt {
  const cells: string[] = [];
  let [position, endLine, quoted] = [from, line, 0];
  for (;;) {
    if (text.charAt(position) === '"') {
      const cell = readQuoted(text, position, file, endLine, cells.length + 1);
      cells.push(cell.value);
      quoted++;
      endLine += cell.value.split(/\r\n|\r|\n/).length - 1;
      position = cell.end;
      if (position < text.length && !isCellEnd(text.charCodeAt(position), delimiter)) {
        throw new DataError(`line ${endLine}, column ${cells.length}: text after the closing quote`, file);
      }
    } else {
      const start = position;
      while (position < text.length && !isCellEnd(text.charCodeAt(position), delimiter)) position++;
      cells.push(text.slice(start, position));
    }
    const after = text.charAt(position);
    if (after !== delimiter) {
      const end = position + (after === "\r" && text.charAt(position + 1) === "\n" ? 2 : 1);
      return { cells, quoted, line, end, endLine: endLine + 1 };
    }
    position++;
  }
}

const isCellEnd = (code: number, delimiter: Delimiter): boolean =>
  code === 10 || code === 13 || code === delimiter.charCodeAt(0);

/** A cell in quotes, where "" stands for one quote. */
function readQuoted(text: string, from: number, file: string | undefined, line: number, column: number) {
  let close = text.indexOf('"', from + 1);
  while (close >= 0 && text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2);
  if (close < 0)
    throw new DataError(`line ${line}, column ${column}: a quote is opened and never closed`, file);
  return { value: text.slice(from + 1, close).replaceAll('""', '"'), end: close + 1 };
}
