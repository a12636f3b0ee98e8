// Rows as a table: columns with the narrowest type that holds all of their values.
import type { Row, Scalar } from "./row.ts";

export type ColumnType = "boolean" | "integer" | "double" | "text";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export interface SweepTable {
  readonly columns: readonly Column[];
  /** Can be gone through again and again; need not be in memory. */
  readonly rows: Iterable<Row>;
}

/** JSON has no infinities: a result has them as words. */
const unwritten = new Set(["Infinity", "-Infinity", "NaN"]);

function typeOf(value: Scalar): ColumnType | undefined {
  if (value === null) return undefined;
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number")
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? "integer" : "double";
  return unwritten.has(value) ? "double" : "text";
}

/** The type that holds both. */
function joined(a: ColumnType | undefined, b: ColumnType | undefined): ColumnType | undefined {
  if (a === undefined || b === undefined || a === b) return a ?? b;
  const isNumber = (type: ColumnType): boolean => type === "integer" || type === "double";
  return isNumber(a) && isNumber(b) ? "double" : "text";
}

/**
 * The value of a cell as its column has it.
 * @example cellOf({ x: "Infinity" }, { name: "x", type: "double" }) // Infinity
 */
export function cellOf(row: Row, { name, type }: Column): Scalar {
  const value = row[name] ?? null;
  if (value === null) return null;
  if (type === "text") return String(value);
  return type === "double" ? Number(value) : value;
}

/**
 * Rows as a table. A column with nothing but gaps is text.
 * @example tableOf([{ a: 1 }, { a: 0.5, b: true }]).columns.map((c) => c.type) // ["double", "boolean"]
 */
export function tableOf(rows: Iterable<Row>): SweepTable {
  const types = new Map<string, ColumnType | undefined>();
  for (const row of rows)
    for (const name in row) types.set(name, joined(types.get(name), typeOf(row[name]!)));
  return { columns: [...types].map(([name, type = "text"]) => ({ name, type })), rows };
}

const quoted = (text: string): string =>
  /[",\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text;
const csvCell = (value: Scalar): string =>
  value === null ? "" : typeof value === "string" ? quoted(value) : String(value);

/**
 * The table as CSV, row by row; a gap is an empty cell, an empty text is "".
 * @example [...csvOf(tableOf([{ a: 1, b: "x, y" }]))] // ["a,b\n", "1,\"x, y\"\n"]
 */
export function* csvOf({ columns, rows }: SweepTable): Generator<string> {
  yield `${columns.map(({ name }) => quoted(name)).join(",")}\n`;
  for (const row of rows) yield `${columns.map((column) => csvCell(cellOf(row, column))).join(",")}\n`;
}

const jsonCell = (value: Scalar): Scalar =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;

/**
 * The table as a JSON list with one object a row, row by row.
 * @example [...jsonOf(tableOf([{ a: 1 }]))].join("") // "[\n{\"a\":1}\n]\n"
 */
export function* jsonOf({ columns, rows }: SweepTable): Generator<string> {
  let before = "[\n";
  for (const row of rows) {
    const cells = columns.map((column) => [column.name, jsonCell(cellOf(row, column))]);
    yield `${before}${JSON.stringify(Object.fromEntries(cells))}`;
    before = ",\n";
  }
  yield before === "[\n" ? "[\n]\n" : "\n]\n";
}
