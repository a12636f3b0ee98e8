// A sweep through a real Redis: workers, the coordinator and Redis itself are killed; nothing is lost, nothing counts twice.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { findRedis } from "../../../../scripts/redis.ts";
import { began, journaled, misbehaving, rowsOf, start, until } from "./running.ts";

const server = findRedis();
if (!server)
  console.warn("There is no redis-server here, and none could be installed: queues are not tested.");

const root = mkdtempSync(join(tmpdir(), "lemmata-queue-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const long = 400_000;

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

/** A Redis with an append-only file in this folder. */
async function startRedis(folder: string, port: number): Promise<ChildProcess> {
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
  const child = spawn(server!, words, { stdio: "ignore" });
  children.add(child);
  await until(async () => {
    const probe = new Redis(port, "127.0.0.1", { lazyConnect: true, retryStrategy: () => null });
    probe.on("error", () => {});
    const isThere = await probe.connect().then(
      () => probe.ping().then(() => true),
      () => false,
    );
    probe.disconnect();
    return isThere;
  });
  return child;
}

const jobs = 10;

/** A folder, a Redis, a sweep of jobs that take about so long, and workers that write down what they begin. */
async function place(milliseconds = 500) {
  const folder = mkdtempSync(join(root, "q-"));
  const port = await freePort();
  const redis = await startRedis(folder, port);
  const [queue, out] = [`redis://127.0.0.1:${port}`, join(folder, "t.json")];
  const slow = misbehaving(folder, `sleep(${milliseconds});`);
  const grid = `i=1; seed=1..${jobs}`;
  const sweep = () => {
    // A limit, so that jobs run in processes, which the misbehaving ones are.
    const words = [
      "T-27",
      "--grid",
      grid,
      "--budget",
      "cheap",
      "--job-timeout",
      "1000",
      "--out",
      out,
      "--json",
      "--quiet", // on a busy machine it says that nobody is there yet
    ];
    const started = start(["sweep", ...words, "--queue", queue]);
    children.add(started[0]);
    return started;
  };
  const worker = () => {
    const [child] = start(["worker", "--queue", queue, "--workers", "1", "--quiet"], slow);
    children.add(child);
    return child;
  };
  return { folder, port, redis, out, queue, sweep, worker };
}

const seeds = Array.from({ length: jobs }, (_, k) => k + 1);
const expectAll = (out: string) =>
  expect(rowsOf(out).map(({ seed, status, sup_error }) => [seed, status, sup_error])).toEqual(
    seeds.map((seed) => [seed, "done", 1 / 16]),
  );

describe.runIf(server)("a sweep through a queue", () => {
  it(
    "a worker that is killed in the middle of a job: another one does it",
    async () => {
      const { folder, out, sweep, worker } = await place();
      const [, answer] = sweep();
      const first = worker();
      await until(() => began(folder).length > 0 && journaled(out) > 0);
      worker();
      await until(() => began(folder).length >= 3);
      first.kill("SIGKILL");
      const { code, stdout, stderr } = await answer;
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toEqual({ jobs, ran: jobs, failed: 0, out });
      expectAll(out);
      expect(journaled(out)).toBe(jobs); // each once
    },
    long,
  );

  it(
    "a coordinator that is killed: workers go on, and the same command collects; no job runs twice",
    async () => {
      const { folder, out, sweep, worker } = await place();
      const [child, answer] = sweep();
      worker();
      await until(() => journaled(out) >= 2);
      child.kill("SIGKILL");
      await answer;
      const before = journaled(out);
      await until(() => began(folder).length >= before + 3);
      const { stdout } = await sweep()[1];
      expect(JSON.parse(stdout)).toEqual({ jobs, ran: jobs - before, failed: 0, out });
      expectAll(out);
      expect(began(folder).toSorted()).toEqual(seeds.map(String).toSorted());
    },
    long,
  );

  it(
    "a Redis that is killed and comes back with its append-only file",
    async () => {
      const { folder, port, redis, out, sweep, worker } = await place();
      const [, answer] = sweep();
      worker();
      await until(() => journaled(out) >= 2);
      const gone = new Promise((resolve) => redis.once("close", resolve));
      redis.kill("SIGKILL");
      await gone;
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await startRedis(folder, port);
      const { code, stdout } = await answer;
      expect([code, JSON.parse(stdout)]).toEqual([0, { jobs, ran: jobs, failed: 0, out }]);
      expectAll(out);
      expect(journaled(out)).toBe(jobs);
    },
    long,
  );

  it(
    "a Redis that has forgotten everything is told again",
    async () => {
      const { out, port, sweep, worker } = await place();
      const [, answer] = sweep();
      worker();
      await until(() => journaled(out) >= 2);
      const redis = new Redis(port, "127.0.0.1");
      await redis.flushall();
      redis.disconnect();
      expect(JSON.parse((await answer).stdout)).toEqual({ jobs, ran: jobs, failed: 0, out });
      expectAll(out);
    },
    long,
  );

  it(
    "Ctrl-C takes what nobody has begun out of the queue; nothing is left there when all is collected",
    async () => {
      const { folder, out, port, sweep, worker } = await place(1500);
      const [child, answer] = sweep();
      const only = worker();
      await until(() => journaled(out) >= 2);
      child.kill("SIGINT");
      const { code, stderr } = await answer;
      expect([code, stderr]).toEqual([
        130,
        expect.stringMatching(/^lemmata: interrupted: .* has \d of 10 jobs/),
      ]);
      expect(rowsOf(out).length).toBe(journaled(out));
      const redis = new Redis(port, "127.0.0.1");
      const taken = began(folder).length;
      await new Promise((resolve) => setTimeout(resolve, 5000));
      expect(began(folder).length).toBeLessThanOrEqual(taken + 1); // one may have been on its way
      expect(JSON.parse((await sweep()[1]).stdout)).toMatchObject({ jobs, failed: 0 });
      expectAll(out);
      only.kill("SIGTERM");
      await new Promise((resolve) => only.once("close", resolve));
      const left = (await redis.keys("*")).filter((key) => /results|:[0-9a-f]{16}-[0-9a-f]{32}$/.test(key));
      redis.disconnect();
      expect(left).toEqual([]);
    },
    long,
  );

  it(
    "theory falsify reports what one process reports",
    async () => {
      const { queue, worker } = await place();
      worker();
      const words = ["theory", "falsify", "T-27", "--trials", "20", "--json"];
      const together = await start([...words, "--queue", queue])[1];
      expect(together).toEqual(await start(words)[1]);
    },
    long,
  );
});
