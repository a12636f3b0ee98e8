// What DuckDB reads from the files is what was put into the table: Parquet, and our own CSV and JSON, three ways.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableOf } from "@lemmata/core/sweep";
import { afterAll, describe, expect, it } from "vitest";
import { Database } from "../../src/sweep/database.ts";
import { writeTable } from "../../src/sweep/results.ts";

const folder = mkdtempSync(join(tmpdir(), "lemmata-table-"));
afterAll(() => rmSync(folder, { recursive: true }));

const rows = [
  { job: "a1", width: 16, rate: 0.1, loss: "square, or so", ok: true, error: null, big: 9007199254740991 },
  { job: "b2", width: 32, rate: 1e-300, loss: 'with "quotes"', ok: false, error: "two\nlines", big: -1 },
  { job: "c3", width: -5, rate: "Infinity", loss: "", ok: null, error: null, big: 0 },
];
const table = tableOf(rows);

async function readBack(path: string, columns: string) {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const answer = await connection.runAndReadAll(`select ${columns} from ${path} order by job`);
  return { types: answer.columnTypes().map(String), rows: answer.getRowsJS() };
}

describe("the table as a file", () => {
  it("Parquet has the types and every bit", async () => {
    const path = join(folder, "it's.parquet");
    await writeTable(path, table);
    const { types, rows: read } = await readBack(`'${path.replaceAll("'", "''")}'`, "*");
    expect(types).toEqual(["VARCHAR", "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "VARCHAR", "BIGINT"]);
    expect(read).toEqual([
      ["a1", 16n, 0.1, "square, or so", true, null, 9007199254740991n],
      ["b2", 32n, 1e-300, 'with "quotes"', false, "two\nlines", -1n],
      ["c3", -5n, Number.POSITIVE_INFINITY, "", null, null, 0n],
    ]);
  });

  it.each([
    ["csv", (path: string) => `read_csv('${path}', allow_quoted_nulls = false)`],
    ["json", (path: string) => `'${path}'`],
  ])("%s says the same", async (ending, reader) => {
    const path = join(folder, `t.${ending}`);
    await writeTable(path, table);
    const { rows: read } = await readBack(reader(path), "job, width, rate::double, loss, ok, error, big");
    expect(read.map((row) => row.map((v) => (typeof v === "bigint" ? Number(v) : v)))).toEqual(
      rows.map((row) => Object.values({ ...row, rate: Number(row.rate) })),
    );
  });

  it("may be empty", async () => {
    await writeTable(join(folder, "none.parquet"), tableOf([]));
    expect((await readBack(`'${join(folder, "none.parquet")}'`, "count(*) as job")).rows).toEqual([[0n]]);
  });
});

describe("questions", () => {
  it("are answered in numbers and words", async () => {
    const database = await Database.of(table);
    expect(
      await database.ask("select width, rate, loss, ok from results where width > 0 order by width"),
    ).toEqual({
      columns: ["width", "rate", "loss", "ok"],
      rows: [
        [16, 0.1, "square, or so", true],
        [32, 1e-300, 'with "quotes"', false],
      ],
    });
    expect(
      (await database.ask("select 9007199254740991::bigint, 9007199254740993::bigint from results limit 1"))
        .rows,
    ).toEqual([[9007199254740991, "9007199254740993"]]); // no double is the second one
    expect(
      await database.ask("select sum(width), median(width), list(width), 2::hugeint ** 70 from results"),
    ).toMatchObject({
      rows: [[43, 16, expect.any(String), expect.anything()]],
    });
    database.close();
  });

  it.each([
    ["select depth from results", /^--sql: Binder Error: .*depth/],
    ["select * from nowhere", /^--sql: Catalog Error: .*nowhere/],
    ["install httpfs", /^--sql: /],
  ])("%s is refused in one line", async (sql, message) => {
    const database = await Database.of(table);
    const error = await database.ask(sql).catch((e: Error) => e);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain("\n");
    database.close();
  });
});
