// The table of a sweep: its jobs with what came of them, as a file.
import {
  type Job,
  joinRows,
  type Row,
  type SweepTable,
  tableCsv,
  tableJson,
  tableOf,
} from "@lemmata/core/sweep";
import { writeWhole } from "../files.ts";
import type { Entry } from "./journal.ts";

/** What --out may end in. */
export const tableEndings = [".parquet", ".csv", ".json"];

/** One row: the key, the parameters, how it ended, what it found. */
function rowOfJob({ key, parameters }: Job, { status, seconds, error, values = {} }: Entry): Row {
  return joinRows({ job: key, ...parameters, status, seconds, error: error ?? null }, values);
}

/** The rows of those jobs that have ended, in the order of the grid. */
export const sweepTable = (jobs: readonly Job[], entries: ReadonlyMap<string, Entry>): SweepTable =>
  tableOf(
    jobs.flatMap((job) => {
      const entry = entries.get(job.key);
      return entry ? [rowOfJob(job, entry)] : [];
    }),
  );

/** Writes a table, by the ending of its file. */
export async function writeTable(path: string, table: SweepTable): Promise<void> {
  const ending = path.toLowerCase();
  if (ending.endsWith(".csv")) return writeWhole(path, tableCsv(table));
  if (ending.endsWith(".json")) return writeWhole(path, tableJson(table));
  const { Database } = await import("./database.ts");
  const database = await Database.of(table);
  await database.writeParquet(path);
  database.close();
}
