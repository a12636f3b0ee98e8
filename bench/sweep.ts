// What a sweep costs beside its jobs: jobs a second, embedded and through Redis, memory, and what a second core brings.
// The built command is measured. On a shared machine only ratios count, so the load is printed with every number, and the
// processor's time with the clock's: divided by the cores it says what a machine of one's own would take.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism, loadavg, tmpdir } from "node:os";
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

/** Seconds of the processor that children which have ended took, with their children (Linux; elsewhere 0). */
const processorTime = (): number => {
  const [children, system] = fileOr("/proc/self/stat").split(") ")[1]?.split(" ").slice(13, 15) ?? [];
  return (Number(children ?? 0) + Number(system ?? 0)) / 100;
};

interface Ran {
  readonly seconds: number;
  /** Of the processor, all processes together. */
  readonly busy: number;
  readonly megabytes: number;
  /** Of the jobs alone, as they measure themselves. */
  readonly work: number;
}

let files = 0;

/** A sweep from the shell, from its start to the table, and the most memory that it had. */
async function sweep(words: readonly string[], { cores }: { readonly cores?: string } = {}): Promise<Ran> {
  const separator = words.indexOf("--");
  const out = join(folder, `${files++}.csv`);
  const own = separator < 0 ? words : words.slice(0, separator);
  const rest = separator < 0 ? [] : words.slice(separator);
  const [start, before] = [performance.now(), processorTime()];
  const command = [process.execPath, bin, "sweep", ...own, "--out", out, "--json", ...rest];
  const [program, ...all] = cores === undefined ? command : ["taskset", "-c", cores, ...command];
  const child = spawn(program!, all, { stdio: ["ignore", "ignore", "inherit"] });
  let most = 0;
  const looking = setInterval(() => {
    most = Math.max(most, resident(child.pid!));
  }, 200);
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearInterval(looking);
  if (code !== 0) throw new Error(`lemmata sweep ${words.join(" ")}: exit code ${code}`);
  const [seconds, busy] = [(performance.now() - start) / 1000, processorTime() - before];
  const lines = readFileSync(`${out}.jsonl`, "utf8").trim().split("\n").slice(1);
  const work = lines.reduce((sum, line) => sum + (JSON.parse(line) as { seconds: number }).seconds, 0);
  return { seconds, busy, megabytes: most / 1e6, work };
}

/** A lemma that is as good as nothing to do. */
const trivial = (count: number, ...rest: string[]) =>
  sweep(["C2-08", "--budget", "cheap", "--repeat", String(count), ...rest]);
const show = (label: string, count: number, { seconds, busy, megabytes }: Ran): void =>
  console.log(
    `  ${label.padEnd(24)} ${(count / seconds).toFixed(0).padStart(6)} jobs/s   ${megabytes.toFixed(0)} MB at most` +
      `   ${((1000 * busy) / count).toFixed(2)} ms of the processor a job   (${load()})`,
  );

console.log(`trivial jobs, from the shell to the table, ${availableParallelism()} cores`);
const [few, many] = [10_000, 40_000];
const small = await trivial(few);
show(`embedded, ${few}`, few, small);
const large = await trivial(many);
show(`embedded, ${many}`, many, large);
console.log(`  four times the jobs take ${(large.megabytes / small.megabytes).toFixed(2)} times the memory`);

const server = findRedis();
if (server) {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address() as { port: number };
      probe.close(() => resolve(address.port));
    });
  });
  const queue = `redis://127.0.0.1:${port}`;
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
  const started: ChildProcess[] = [
    spawn(server, [...words, "--appendonly", "yes", "--save", ""], { stdio: "ignore" }),
  ];
  await new Promise((resolve) => setTimeout(resolve, 1000));
  started.push(spawn(process.execPath, [bin, "worker", "--queue", queue, "--quiet"], { stdio: "ignore" }));
  // The processor's time is the coordinator's here: the worker and Redis have not ended.
  show(`through Redis, ${few}`, few, await trivial(few, "--queue", queue));
  for (const child of started.toReversed()) child.kill("SIGTERM");
} else console.log("  no redis-server here: the queue is not measured");

/** Jobs that train for some seconds. */
const training = (workers: number, cores?: string) =>
  sweep(
    [
      ...["train", "--workers", String(workers), "--grid", "seed=1..8"],
      ...["--", "2-256-relu-256-relu-2", "--data", "two-moons", "--steps", "2000"],
    ],
    cores === undefined ? {} : { cores },
  );
/** The part of its cores' time that a run had: below some 90 % others were at work beside it, or it waited. */
const ours = ({ seconds, busy }: Ran, cores: number): string =>
  `${Math.round((100 * busy) / (cores * seconds))} %`;
const canPin = spawnSync("taskset", ["--version"]).status === 0;
if (canPin && availableParallelism() > 1) {
  const rounds: { readonly one: Ran; readonly two: Ran }[] = [];
  for (let round = 0; round < 5; round++) {
    // Turned round each time, so that what gets slower or faster meanwhile is on both sides.
    const first = await (round % 2 === 0 ? training(1, "0") : training(2, "0,1"));
    const second = await (round % 2 === 0 ? training(2, "0,1") : training(1, "0"));
    const [one, two] = round % 2 === 0 ? [first, second] : [second, first];
    rounds.push({ one, two });
    console.log(
      `  8 trainings: ${one.seconds.toFixed(1)} s on one core (${ours(one, 1)} of it ours), ${two.seconds.toFixed(1)} s on two ` +
        `(${ours(two, 2)}); a job takes ${(one.work / 8).toFixed(1)} s, ${(two.work / 8).toFixed(1)} s (${load()})`,
    );
  }
  const median = rounds.map(({ one, two }) => one.seconds / two.seconds).toSorted((a, b) => a - b)[2]!;
  const [one, two] = (["one", "two"] as const).map((cores) =>
    Math.min(...rounds.map((round) => round[cores].seconds)),
  );
  console.log(
    `training: two cores are ${median.toFixed(2)} times as fast as one (median of ${rounds.length} pairs); ` +
      `the best of each ${(one! / two!).toFixed(2)}`,
  );
} else console.log("training: no taskset here, or one core: the speed-up is not measured");
rmSync(folder, { recursive: true, force: true });
