import { existsSync, statSync } from "node:fs";
import { type Job, parseGrid, type SweepTable, sweepFigure } from "@lemmata/core/sweep";
import type { Budget } from "@lemmata/core/theory";
import { oneOf } from "../choice.ts";
import { checkOutput, writeWhole } from "../files.ts";
import { type CommonOptions, counted, number, print, printJson, table as textTable } from "../output.ts";
import { interruptSignal, remark } from "../progress.ts";
import { sweepJobs } from "../sweep/jobs.ts";
import { Journal } from "../sweep/journal.ts";
import { SweepProgress } from "../sweep/progress.ts";
import { sweepTable, tableEndings, writeTable } from "../sweep/results.ts";
import { runJobs } from "../sweep/run-jobs.ts";
import type { JobLimits, Task } from "../sweep/task.ts";
import { UsageError } from "../usage-error.ts";
import { milliseconds } from "../watch.ts";

interface Options extends CommonOptions {
  readonly grid?: string;
  readonly repeat: number;
  readonly budget: string;
  readonly out: string;
  readonly workers?: number;
  readonly queue?: string;
  readonly jobTimeout?: number;
  readonly maxTime?: number;
  readonly memory?: number;
  readonly retry?: boolean;
  readonly sql?: string;
  readonly svg?: string;
  readonly x?: string;
  readonly y?: string;
  readonly colour?: string;
  readonly facet?: string;
}

/** Whoever guards the process ends it at --max-time: so much earlier a table can still be written. */
const withTable = (maxTime: number): number => Math.max(0.9 * maxTime, maxTime - 10);

const budgets: readonly Budget[] = ["cheap", "live", "thorough"];

/** Says what is wrong before hours of work, not after them. */
async function checkOptions(options: Options): Promise<void> {
  checkOutput("--out", options.out, ...tableEndings);
  checkOutput("--svg", options.svg, ".svg");
  if (options.queue !== undefined && options.workers !== undefined)
    throw new UsageError("--workers works here, --queue elsewhere: give one of them");
  if (options.svg !== undefined && (options.x === undefined || options.y === undefined))
    throw new UsageError("--svg needs --x and --y, columns of the table");
  const drawing = (["x", "y", "colour", "facet"] as const).find((name) => options[name] !== undefined);
  if (drawing && options.svg === undefined)
    throw new UsageError(`--${drawing} is for a drawing: --svg is missing`);
  for (const name of ["jobTimeout", "memory"] as const)
    if (options[name] === 0) throw new UsageError(`--${name === "memory" ? name : "job-timeout"} is above 0`);
  if (options.out.toLowerCase().endsWith(".parquet") || options.sql !== undefined) {
    const { Database } = await import("../sweep/database.ts");
    await Database.checkSql(options.sql ?? "select 1");
  }
}

interface Ran {
  readonly table: SweepTable;
  readonly ran: number;
}

/** Runs what the journal does not have, and writes the table from it, whatever stops the work. */
async function runMissing(journal: Journal, jobs: readonly Job<Task>[], options: Options): Promise<Ran> {
  const isMissing = ({ key }: Job): boolean => {
    const status = journal.statusOf(key);
    return status === undefined || (options.retry === true && status !== "done");
  };
  const missing = jobs.filter(isMissing);
  const progress = new SweepProgress("sweep", jobs.length, jobs.length - missing.length, options);
  const limits: JobLimits = { seconds: options.jobTimeout, gigabytes: options.memory };
  const { maxTime } = options;
  const interrupted = interruptSignal();
  const late = new AbortController();
  const timer =
    maxTime === undefined
      ? undefined
      : setTimeout(() => late.abort(), milliseconds(withTable(maxTime) - process.uptime()));
  const signal = AbortSignal.any([interrupted, late.signal]);
  try {
    await runJobs(missing, {
      ...{ workers: options.workers, queue: options.queue, limits, signal },
      ...{ id: journal.id, isResumed: journal.isResumed },
      onOutcome(job, outcome) {
        journal.append(job.key, outcome);
        progress.ended(outcome.status === "done");
      },
      remark: (text) => remark(text, options),
      settled: () => journal.flush(),
    });
  } finally {
    clearTimeout(timer);
    await progress.close();
    await journal.flush();
  }
  const table = sweepTable(jobs, journal);
  await writeTable(options.out, table);
  if (signal.aborted) {
    const rows = jobs.filter(({ key }) => journal.statusOf(key)).length;
    const rest = `${options.out} has ${rows} of ${counted(jobs.length, "job")}; the same command runs the rest`;
    if (interrupted.aborted)
      throw Object.assign(new UsageError(`interrupted: ${rest}`), { name: "AbortError" });
    if (rows < jobs.length) throw new UsageError(`ended before --max-time ${maxTime} is over: ${rest}`);
  }
  return { table, ran: progress.ran };
}

async function draw(what: string, table: SweepTable, options: Options): Promise<void> {
  if (options.svg === undefined) return;
  const { x, y, colour, facet } = options;
  const { figureSvg } = await import("../svg.ts");
  const title = `${what}: median of ${y}, and the middle half of its values`;
  writeWhole(options.svg, await figureSvg(sweepFigure(table, { title, x: x!, y: y!, colour, facet })));
}

async function ask(table: SweepTable, sql: string | undefined) {
  if (sql === undefined) return undefined;
  const { Database } = await import("../sweep/database.ts");
  const database = await Database.of(table);
  try {
    return await database.ask(sql);
  } finally {
    database.close();
  }
}

/** A table whose journal is not beside it is somebody's, and no job of it would be known. */
function checkTable(out: string): void {
  const found = statSync(out, { throwIfNoEntry: false });
  if (found && found.size > 0 && !existsSync(`${out}.jsonl`))
    throw new UsageError(
      `${out} is there, and no journal of a sweep beside it (${out}.jsonl): choose another --out, or delete it`,
    );
}

/** `lemmata sweep T-27 --grid "i=1..8" --out squares.parquet` */
export default async function sweepCommand(
  what: string,
  words: readonly string[],
  options: Options,
): Promise<void> {
  await checkOptions(options);
  const { repeat, seed } = options;
  const budget = oneOf("--budget", options.budget, budgets);
  const jobs = await sweepJobs({ what, words, grid: parseGrid(options.grid ?? ""), repeat, seed, budget });
  checkTable(options.out);
  const journal = await Journal.open(`${options.out}.jsonl`, [what, ...words].join(" "));
  try {
    const { table, ran } = await runMissing(journal, jobs, options);
    const answer = await ask(table, options.sql);
    await draw(what, table, options);
    report(journal, jobs, ran, answer, options);
  } finally {
    await journal.close();
  }
}

/** What is printed in the end. */
function report(
  journal: Journal,
  jobs: readonly Job<Task>[],
  ran: number,
  answer: Awaited<ReturnType<typeof ask>>,
  options: Options,
) {
  const unsuccessful = jobs.filter(({ key }) => journal.statusOf(key) !== "done");
  const failed = unsuccessful.length;
  if (options.json) {
    const rows = answer?.rows.map((row) =>
      Object.fromEntries(answer.columns.map((name, k) => [name, row[k]])),
    );
    return printJson({ jobs: jobs.length, ran, failed, out: options.out, ...(rows && { rows }) });
  }
  if (answer) print(answerText(answer));
  if (options.quiet) return;
  const earlier = jobs.length > ran ? `, ${number(jobs.length - ran)} done before` : "";
  print(`${counted(jobs.length, "job")}: ${number(ran)} ran${earlier}, ${number(failed)} failed`);
  const [first] = unsuccessful;
  if (first) print(`the first that failed (job ${first.key}): ${journal.entry(first.key)?.error}`);
  print(`written: ${[options.out, options.svg].filter(Boolean).join(", ")}`);
}

function answerText({ columns, rows }: NonNullable<Awaited<ReturnType<typeof ask>>>): string {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? number(cell) : cell === null ? "" : String(cell))),
  );
  const isNumber = (k: number): boolean => rows.some((row) => typeof row[k] === "number");
  return textTable(columns, cells, [...columns.keys()].filter(isNumber));
}
