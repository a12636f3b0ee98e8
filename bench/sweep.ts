// What a sweep costs beside its jobs: jobs a second, embedded and through Redis, memory, and what a second worker brings.
// The built command is measured. On a shared machine only ratios count, so the load is printed with every number.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findRedis } from "../scripts/redis.ts";

const bin = fileURLToPath(new URL("../packages/cli/bin/lemmata.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lemmata-bench-"));
const load = (): string => `load ${loadavg()[0]!.toFixed(1)}`;

const fileOr = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** A process with those that it has started. */
const family = (pid: number): readonly number[] => [
  pid,
  ...fileOr(`/proc/${pid}/task/${pid}/children`)
    .split(" ")
    .filter(Boolean)
    .flatMap((child) => family(Number(child))),
];

/** Bytes that a family has in memory (Linux; elsewhere 0). */
const resident = (pid: number): number =>
  family(pid).reduce(
    (sum, p) => sum + 1024 * Number(/VmRSS:\s*(\d+)/.exec(fileOr(`/proc/${p}/status`))?.[1] ?? 0),
    0,
  );

interface Ran {
  readonly seconds: number;
  readonly megabytes: number;
  /** Of the jobs alone, as they measure themselves. */
  readonly work: number;
}

let files = 0;

/** A sweep from the shell: how long from its first result to its last, and the most memory that it had. */
async function sweep(...words: string[]): Promise<Ran> {
  const separator = words.indexOf("--");
  const out = join(folder, `${files++}.csv`);
  const own = separator < 0 ? words : words.slice(0, separator);
  const rest = separator < 0 ? [] : words.slice(separator);
  const start = performance.now();
  const child = spawn(process.execPath, [bin, "sweep", ...own, "--out", out, "--json", ...rest], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  let most = 0;
  const looking = setInterval(() => {
    most = Math.max(most, resident(child.pid!));
  }, 200);
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearInterval(looking);
  if (code !== 0) throw new Error(`lemmata sweep ${words.join(" ")}: exit code ${code}`);
  const seconds = (performance.now() - start) / 1000;
  const lines = readFileSync(`${out}.jsonl`, "utf8").trim().split("\n").slice(1);
  const work = lines.reduce((sum, line) => sum + (JSON.parse(line) as { seconds: number }).seconds, 0);
  return { seconds, megabytes: most / 1e6, work };
}

/** The cheapest lemma that there is: under half a millisecond. */
const trivial = (count: number, ...rest: string[]) =>
  sweep("C2-08", "--budget", "cheap", "--repeat", String(count), ...rest);
const show = (label: string, count: number, { seconds, megabytes, work }: Ran): void =>
  console.log(
    `  ${label.padEnd(34)} ${(count / seconds).toFixed(0).padStart(6)} jobs/s   ${megabytes.toFixed(0)} MB at most` +
      `   ${((1000 * work) / count).toFixed(2)} ms of work a job   (${load()})`,
  );

const [few, many] = [2000, 10_000];
console.log("trivial jobs, from the shell to the table");
show(`embedded, ${few}`, few, await trivial(few));
show(`embedded, ${many}`, many, await trivial(many));

const server = findRedis();
if (server) {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address() as { port: number };
      probe.close(() => resolve(address.port));
    });
  });
  const queue = `redis://127.0.0.1:${port}`;
  const words = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--appendonly",
    "yes",
    "--save",
    "",
  ];
  const started: ChildProcess[] = [spawn(server, words, { stdio: "ignore" })];
  await new Promise((resolve) => setTimeout(resolve, 1000));
  started.push(spawn(process.execPath, [bin, "worker", "--queue", queue, "--quiet"], { stdio: "ignore" }));
  show(`through Redis, ${few}`, few, await trivial(few, "--queue", queue));
  show(`through Redis, ${many}`, many, await trivial(many, "--queue", queue));
  for (const child of started.toReversed()) child.kill("SIGTERM");
} else console.log("  no redis-server here: the queue is not measured");

/** Jobs that train for about a second, by one worker and by two, in turns. */
const training = (workers: number) =>
  sweep(
    ...["train", "--workers", String(workers), "--grid", "seed=1..6"],
    ...["--", "2-256-relu-256-relu-2", "--data", "two-moons", "--steps", "400"],
  );
const ratios: number[] = [];
for (let round = 0; round < 3; round++) {
  const [one, two] = [await training(1), await training(2)];
  ratios.push(one.seconds / two.seconds);
}
const median = ratios.toSorted((a, b) => a - b)[1]!;
console.log(
  `training, 6 jobs: two workers are ${median.toFixed(2)} times as fast as one (median of 3, ${load()})`,
);
rmSync(folder, { recursive: true, force: true });
