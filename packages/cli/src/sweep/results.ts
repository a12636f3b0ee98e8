// The table of a sweep: its jobs with what came of them, as a file.
import { csvOf, type Job, joinRows, jsonOf, type Row, type SweepTable, tableOf } from "@lemmata/core/sweep";
import { writeWhole } from "../files.ts";
import type { Entry, Journal } from "./journal.ts";

/** What --out may end in. */
export const tableEndings = [".parquet", ".csv", ".json"];

/** One row: the key, the parameters, how it ended, what it found. */
function rowOfJob({ key, parameters }: Job, { status, seconds, error, values = {} }: Entry): Row {
  return joinRows({ job: key, ...parameters, status, seconds, error: error ?? null }, values);
}

/** The rows of those jobs that have ended, in the order of the grid, each read from the journal when it is its turn. */
export function sweepTable(jobs: readonly Job[], journal: Journal): SweepTable {
  const table = tableOf({
    *[Symbol.iterator]() {
      for (const job of jobs) {
        const entry = journal.entry(job.key);
        if (entry) yield rowOfJob(job, entry);
      }
    },
  });
  if (table.columns.length > 0) return table;
  // A table without rows has the columns that every table has: other programs read it too.
  const row = rowOfJob(jobs[0]!, { key: "", status: "done", seconds: 0.5 });
  return { columns: tableOf([row]).columns, rows: [] };
}

/** Writes a table, by the ending of its file. */
export async function writeTable(path: string, table: SweepTable): Promise<void> {
  const ending = path.toLowerCase();
  if (ending.endsWith(".csv")) return writeWhole(path, csvOf(table));
  if (ending.endsWith(".json")) return writeWhole(path, jsonOf(table));
  const { Database } = await import("./database.ts");
  const database = await Database.of(table);
  try {
    await database.writeParquet(path);
  } finally {
    database.close();
  }
}
