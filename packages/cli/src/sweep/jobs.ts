// The jobs of a sweep: what is run, at every point of the grid; what cannot run is refused before anything does.
import { createHash } from "node:crypto";
import { type Grid, gridSize, type Job, makeJobAtOnce, type Point, points } from "@lemmata/core/sweep";
import { type Budget, findLemma, type Lemma, lemmaIds, parseParameters } from "@lemmata/core/theory";
import { createProgram } from "../program.ts";
import { UsageError } from "../usage-error.ts";
import { type Instance, readInstances } from "./instances.ts";
import { jobWords } from "./run-task.ts";
import type { Task } from "./task.ts";

export interface SweepRequest {
  readonly what: string;
  /** What a command is given, with {name} for a value of the grid. */
  readonly words: readonly string[];
  readonly grid: Grid;
  readonly repeat: number;
  readonly seed: number;
  readonly budget: Budget;
}

const commands: Readonly<Record<string, readonly string[]>> = {
  ...{
    train: ["train"],
    audit: ["audit"],
    verify: ["verify"],
    compare: ["compare"],
    compile: ["compile"],
    recover: ["recover"],
  },
  falsify: ["theory", "falsify"],
};

/** Columns that the table has by itself. */
const ownColumns = ["job", "status", "seconds", "error"];

/** The grid with a seed in it, and with one seed for each repetition. */
function withSeeds({ grid, repeat, seed }: SweepRequest): Grid {
  const taken = grid.find(({ name }) => ownColumns.includes(name.toLowerCase()));
  if (taken) throw new UsageError(`grid: ${taken.name} is a column of the table already`);
  if (grid.some(({ name }) => name === "seed")) {
    if (repeat > 1) throw new UsageError(`--repeat ${repeat}: the grid has its seeds already`);
    return grid;
  }
  gridSize(grid, repeat);
  return [...grid, { name: "seed", values: Array.from({ length: repeat }, (_, k) => seed + k) }];
}

type TaskAt = (point: Point) => Task;

const braces = /\{([\p{L}_][\p{L}\p{N}_-]*)\}/gu;

const givenTwice = (name: string): string =>
  name === "seed"
    ? '--seed behind --: the seed of a job is that of the sweep: give it before --, or in --grid "seed=1,2,3"'
    : `--${name} behind --, and ${name} in the grid: give it once`;

/** A name in braces is replaced by its value; a name that no word has is an option. */
function commandTask(command: readonly string[], words: readonly string[]): TaskAt {
  const used = new Set(words.flatMap((word) => [...word.matchAll(braces)].map((m) => m[1]!)));
  const given = new Set(words.map((word) => word.replace(/=.*/s, "")));
  return (point) => {
    const twice = Object.keys(point).find((name) => !used.has(name) && given.has(`--${name}`));
    if (twice !== undefined) throw new UsageError(givenTwice(twice));
    const filled = words.map((word) =>
      word.replace(braces, (_, name: string) => {
        if (Object.hasOwn(point, name)) return String(point[name]);
        throw new UsageError(`{${name}} in "${word}": the grid has ${Object.keys(point).join(", ")}`);
      }),
    );
    const options = Object.entries(point)
      .filter(([name, value]) => !used.has(name) && value !== false)
      .flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, String(value)]));
    return { kind: "command", words: [...command, ...filled, ...options] };
  };
}

function lemmaTask(lemma: Lemma, { words, budget }: SweepRequest): TaskAt {
  if (words.length > 0)
    throw new UsageError(`${words[0]}: a lemma has parameters, which go into --grid "name=values"`);
  return ({ seed, ...others }) => {
    const parameters = Object.hasOwn(lemma.parameters, "seed") ? { ...others, seed: seed! } : others;
    if (!Number.isSafeInteger(seed)) throw new UsageError(`grid: seed = ${seed}: a seed is an integer`);
    return { kind: "lemma", id: lemma.id, parameters, seed: seed as number, budget };
  };
}

/** Says what is wrong with a task, by reading it as it will be read. */
async function check(task: Task, lemma: Lemma | undefined): Promise<void> {
  if (task.kind === "lemma") return void parseParameters(lemma!, task.parameters);
  if (task.kind !== "command") return;
  const program = createProgram();
  const [command, second] = task.words;
  const found = program.commands.find((c) => c.name() === command)!;
  const inner = command === "theory" ? found.commands.find((c) => c.name() === second)! : found;
  inner.action(() => {});
  await program.parseAsync(jobWords(task.words), { from: "user" });
}

/** Of a long list both ends are tried, so many values of each: it is a range, and those are the extremes. */
const atEnds = 50;

/** The first point, and others that have every value of every name once: what one of them refuses, the job would. */
function* samples(grid: Grid): Generator<Point> {
  const first = Object.fromEntries(grid.map(({ name, values }) => [name, values[0]!]));
  for (const { name, values } of grid) {
    const tried =
      values.length <= 2 * atEnds ? values : [...values.slice(0, atEnds), ...values.slice(-atEnds)];
    for (const value of tried) yield { ...first, [name]: value };
  }
}

/** As many digits as a key has: a part of a longer text would keep the whole of it in memory. */
const sha256Of = (text: string): string => createHash("sha256").update(text).digest().toString("hex", 0, 16);

async function makeJobs(
  grid: Grid,
  taskAt: TaskAt,
  lemma: Lemma | undefined,
  beside: Point,
): Promise<Job<Task>[]> {
  for (const point of samples(grid)) await check(taskAt(point), lemma);
  return Array.from(points(grid), (point) => makeJobAtOnce(taskAt(point), { ...beside, ...point }, sha256Of));
}

/** What a list says, under names that the table does not have yet; SQL does not tell Seed from seed. */
function beside(columns: Point, grid: Grid): Point {
  const taken = new Set([...ownColumns, ...grid.map(({ name }) => name.toLowerCase())]);
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      taken.has(name.toLowerCase()) ? `listed_${name}` : name,
      value,
    ]),
  );
}

/** A competition's list: each instance is a query, a network and a time. A line that is there twice is one job. */
async function instanceJobs(instances: readonly Instance[], words: readonly string[], grid: Grid) {
  gridSize(grid, instances.length);
  const jobs = new Map<string, Job<Task>>();
  const isInGrid = grid.some(({ name }) => name === "timeout");
  for (const { query, network, timeout, columns } of instances) {
    const time = timeout === undefined || isInGrid ? [] : ["--timeout", String(timeout)];
    const taskAt = commandTask(["verify"], [query, "--network", network, ...time, ...words]);
    for (const job of await makeJobs(grid, taskAt, undefined, beside(columns, grid))) jobs.set(job.key, job);
  }
  return [...jobs.values()];
}

/** All jobs of a sweep, in the order of its grid. */
export async function sweepJobs(request: SweepRequest): Promise<readonly Job<Task>[]> {
  const { what, words } = request;
  const grid = withSeeds(request);
  if (what === "verify" && words[0]?.toLowerCase().endsWith(".csv"))
    return instanceJobs(readInstances(words[0]), words.slice(1), grid);
  const command = commands[what];
  if (command) return makeJobs(grid, commandTask(command, words), undefined, {});
  if (!/-\d/.test(what) && !lemmaIds.includes(what))
    throw new UsageError(
      `sweep ${what}: there is no such thing to run; a lemma (T-27), or one of ${Object.keys(commands).join(", ")}`,
    );
  const lemma = await findLemma(what);
  return makeJobs(grid, lemmaTask(lemma, request), lemma, {});
}
