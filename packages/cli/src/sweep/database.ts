// The table of a sweep in DuckDB: for Parquet, and for questions in SQL. It is large, and only loaded where one sweeps.
import { renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DuckDBAppender, DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type Column, cellOf, type Scalar, type SweepTable } from "@lemmata/core/sweep";
import { UsageError } from "../usage-error.ts";

/** Nothing is fetched from anywhere, whatever a query names. */
const options = { autoinstall_known_extensions: "false", autoload_known_extensions: "false" };

const types: Readonly<Record<Column["type"], string>> = {
  ...{ boolean: "BOOLEAN", integer: "BIGINT", double: "DOUBLE", text: "VARCHAR" },
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Loads DuckDB, or says how to get it; before the work, not after it. */
export async function loadDuckDB(): Promise<typeof import("@duckdb/node-api")> {
  try {
    return await import("@duckdb/node-api");
  } catch {
    throw new UsageError(
      "Parquet and --sql need DuckDB: npm install @duckdb/node-api (a table as .csv or .json needs nothing)",
    );
  }
}

function append(appender: DuckDBAppender, { type }: Column, value: Scalar): void {
  if (value === null) appender.appendNull();
  else if (type === "boolean") appender.appendBoolean(value as boolean);
  else if (type === "integer") appender.appendBigInt(BigInt(value as number));
  else if (type === "double") appender.appendDouble(value as number);
  else appender.appendVarchar(String(value));
}

export interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Scalar[])[];
}

/** What DuckDB says, without the picture of where. */
const firstLine = (error: unknown): string =>
  (error as Error).message.split("\n")[0]!.replace(/^Failed to extract statements: /, "");

export class Database {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /** A database with this table, called results. */
  static async of({ columns, rows }: SweepTable): Promise<Database> {
    const { DuckDBInstance } = await loadDuckDB();
    const instance = await DuckDBInstance.create(":memory:", options);
    const connection = await instance.connect();
    const declared = columns.map((c) => `${quoted(c.name)} ${types[c.type]}`);
    await connection.run(`create table results (${declared.join(", ") || "job VARCHAR"})`);
    if (columns.length > 0) {
      const appender = await connection.createAppender("results");
      for (const row of rows) {
        for (const column of columns) append(appender, column, cellOf(row, column));
        appender.endRow();
      }
      appender.closeSync();
    }
    return new Database(instance, connection);
  }

  /** Says what is wrong with the grammar of a question, before there is anything to ask about. */
  static async checkSql(sql: string): Promise<void> {
    if (sql.trim() === "") throw new UsageError('--sql: a question is needed: "select * from results"');
    const database = await Database.of({ columns: [], rows: [] });
    try {
      const { count } = await database.#connection.extractStatements(sql);
      if (count !== 1) throw new Error(`one statement is needed, not ${count}`);
    } catch (error) {
      throw new UsageError(`--sql: ${firstLine(error)}`);
    } finally {
      database.close();
    }
  }

  /** `select ... from results` */
  async ask(sql: string): Promise<Answer> {
    try {
      const answer = await this.#connection.runAndReadAll(sql);
      return {
        columns: answer.deduplicatedColumnNames(),
        rows: answer.getRowsJS().map((row) => row.map(scalar)),
      };
    } catch (error) {
      throw new UsageError(`--sql: ${firstLine(error)}`);
    }
  }

  /** The whole table, there at once or not at all. */
  async writeParquet(path: string): Promise<void> {
    const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
    try {
      await this.#connection.run(
        `copy results to '${temporary.replaceAll("'", "''")}' (format parquet, compression zstd)`,
      );
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw new UsageError(`cannot write ${path}: ${firstLine(error)}`);
    }
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** A value of SQL as a number or a word; an integer beyond 2^53 is a word. */
function scalar(value: unknown): Scalar {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object"
    ? JSON.stringify(value, (_, v: unknown) => (typeof v === "bigint" ? Number(v) : v))
    : String(value);
}
