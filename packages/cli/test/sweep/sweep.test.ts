// The command as a user runs it, with jobs that loop, take all memory or crash, and with users who press Ctrl-C.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { began, isAlive, journaled, misbehaving, processesOf, rowsOf, start, until } from "./running.ts";

const root = mkdtempSync(join(tmpdir(), "lemmata-sweep-"));
afterAll(() => rmSync(root, { recursive: true }));
const folder = (): string => mkdtempSync(join(root, "s-"));
const long = 300_000;

const run = async (...words: string[]) => start(["sweep", ...words])[1];
const summary = (stdout: string): unknown => JSON.parse(stdout);

describe("a sweep", () => {
  it(
    "runs a grid in threads, once; the same command again runs nothing, a larger grid the rest",
    async () => {
      const out = join(folder(), "t.json");
      const sweep = (grid: string, ...rest: string[]) =>
        run("T-27", "--grid", grid, "--budget", "cheap", "--out", out, "--json", ...rest);
      const first = await sweep("i=1..3");
      expect(first.stderr).toBe(""); // a pipe gets no progress
      expect(summary(first.stdout)).toEqual({ jobs: 3, ran: 3, failed: 0, out });
      // Theorem 4.2: the error is 4^-(i+1).
      expect(rowsOf(out).map(({ i, status, sup_error }) => [i, status, sup_error])).toEqual([
        [1, "done", 1 / 16],
        [2, "done", 1 / 64],
        [3, "done", 1 / 256],
      ]);
      const bytes = readFileSync(out, "utf8");
      expect(summary((await sweep("i=1..3")).stdout)).toMatchObject({ ran: 0 });
      expect(readFileSync(out, "utf8")).toBe(bytes);
      const sql = "select i, sup_error as e from results where sup_error_holds order by i desc limit 1";
      const svg = join(root, "t.svg");
      const more = await sweep("i=1..4", "--sql", sql, "--svg", svg, "--x", "i", "--y", "sup_error");
      expect(summary(more.stdout)).toEqual({ jobs: 4, ran: 1, failed: 0, out, rows: [{ i: 4, e: 4 ** -5 }] });
      expect(readFileSync(svg, "utf8")).toMatch(/^<svg [\s\S]*sup_error[\s\S]*<\/svg>\n$/);
      const other = await run("T-28", "--out", out);
      expect([other.code, other.stderr]).toEqual([
        2,
        expect.stringMatching(/^lemmata: .*another sweep \(T-27\).*\n$/),
      ]);
    },
    long,
  );

  it(
    "runs commands; one that fails is a row, and can be tried again",
    async () => {
      const out = join(folder(), "t.json");
      const words = ["--grid", "width=4,none; seed=1,2", "--out", out, "--json"];
      const command = ["--", "2-{width}-relu-2", "--data", "two-moons", "--count", "20", "--steps", "3"];
      expect(summary((await run("train", ...words, ...command)).stdout)).toMatchObject({
        jobs: 4,
        ran: 4,
        failed: 2,
      });
      const rows = rowsOf(out);
      expect(rows.map(({ width, seed, status }) => [width, seed, status])).toEqual([
        ...[
          ["4", 1, "done"],
          ["4", 2, "done"],
          ["none", 1, "failed"],
          ["none", 2, "failed"],
        ],
      ]);
      expect(rows[0]!["train_loss"]).toBeGreaterThan(0);
      expect(rows[0]!["train_loss"]).not.toBe(rows[1]!["train_loss"]);
      expect(rows[2]!["error"]).toMatch(/^[^\n]*none[^\n]*$/);
      const again = await run("train", ...words, "--retry", ...command);
      expect(summary(again.stdout)).toMatchObject({ ran: 2, failed: 2 });
      expect(rowsOf(out).length).toBe(4);
    },
    long,
  );

  it(
    "a job that does not end, takes all memory or crashes is a row; the others are done",
    async () => {
      const at = folder();
      const out = join(at, "t.json");
      const env = misbehaving(
        at,
        `if (seed === 11) for (;;);
         if (seed === 12) for (const all = []; ; ) all.push(Buffer.alloc(2e7, 1));
         if (seed === 13) process.kill(process.pid, "SIGSEGV"), sleep(1e4);`,
      );
      const words = ["T-27", "--grid", "i=1; seed=10..14", "--budget", "cheap", "--out", out, "--json"];
      const [, answer] = start(["sweep", ...words, "--job-timeout", "20", "--memory", "0.8"], env);
      expect(summary((await answer).stdout)).toMatchObject({ jobs: 5, ran: 5, failed: 3 });
      expect(rowsOf(out).map(({ seed, status, error }) => [seed, status, error])).toEqual([
        [10, "done", null],
        [11, "timeout", "it was ended after 20 s (--job-timeout allows more)"],
        [12, "memory", "it needs over 0.68 GB of memory (--memory allows more)"],
        [13, "failed", "ONNX Runtime crashed (SIGSEGV)"],
        [14, "done", null],
      ]);
      expect(processesOf(at).filter(isAlive)).toEqual([]);
    },
    long,
  );

  it(
    "time is that of each job, and memory too: what an earlier one has left behind is not its fault",
    async () => {
      const at = folder();
      const out = join(at, "t.json");
      const env = misbehaving(
        at,
        `globalThis.kept ??= [];
         if (seed <= 3) sleep(3000);
         else for (let k = 0; k < 15; k++) kept.push(Buffer.alloc(2e7, 1));`,
      );
      const words = ["T-27", "--grid", "i=1; seed=1..5", "--budget", "cheap", "--out", out, "--json"];
      const limits = ["--workers", "1", "--job-timeout", "8", "--memory", "0.8"];
      const [, answer] = start(["sweep", ...words, ...limits], env);
      expect(summary((await answer).stdout)).toMatchObject({ jobs: 5, ran: 5, failed: 0 });
      expect(began(at)).toEqual(["1", "2", "3", "4", "5", "5"]);
      expect(new Set(processesOf(at)).size).toBe(2);
    },
    long,
  );

  it(
    "Ctrl-C leaves a table that can be read, no process, and the rest to the same command",
    async () => {
      const at = folder();
      const out = join(at, "t.json");
      const words = [
        "sweep",
        "T-27",
        "--grid",
        "i=1; seed=1..6",
        "--budget",
        "cheap",
        "--out",
        out,
        "--json",
      ];
      const limits = ["--job-timeout", "1000", "--workers", "2"];
      const [child, answer] = start([...words, ...limits], misbehaving(at, "if (seed === 4) for (;;);"));
      await until(() => journaled(out) === 5);
      child.kill("SIGINT");
      const { code, stdout, stderr } = await answer;
      expect([code, stdout]).toEqual([130, ""]);
      expect(stderr).toBe(`lemmata: interrupted: ${out} has 5 of 6 jobs; the same command runs the rest\n`);
      expect(rowsOf(out).map(({ seed }) => seed)).toEqual([1, 2, 3, 5, 6]);
      await until(() => processesOf(at).every((pid) => !isAlive(pid)));
      const again = await start([...words, ...limits])[1];
      expect(summary(again.stdout)).toMatchObject({ jobs: 6, ran: 1, failed: 0 });
      expect(rowsOf(out).map(({ seed }) => seed)).toEqual([1, 2, 3, 4, 5, 6]);
    },
    long,
  );

  it(
    "a limit of years is not over at once",
    async () => {
      const out = join(folder(), "t.csv");
      const limits = ["--job-timeout", "1e8", "--max-time", "1e9"];
      const { stdout } = await run(
        "T-27",
        "--grid",
        "i=1",
        "--budget",
        "cheap",
        "--out",
        out,
        "--json",
        ...limits,
      );
      expect(summary(stdout)).toEqual({ jobs: 1, ran: 1, failed: 0, out });
    },
    long,
  );

  it(
    "--max-time leaves a table and no process, however little is in it, and the rest to the same command",
    async () => {
      const at = folder();
      const out = join(at, "t.csv");
      const words = [
        "sweep",
        "T-27",
        "--grid",
        "i=1; seed=1..2",
        "--budget",
        "cheap",
        "--out",
        out,
        "--workers",
        "2",
      ];
      const limits = ["--job-timeout", "1000", "--max-time", "9"];
      const { code, stdout, stderr } = await start([...words, ...limits], misbehaving(at, "for (;;);"))[1];
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe(
        `lemmata: ended before --max-time 9 is over: ${out} has 0 of 2 jobs; the same command runs the rest\n`,
      );
      expect(readFileSync(out, "utf8")).toBe("job,i,seed,status,seconds,error\n");
      await until(() => processesOf(at).every((pid) => !isAlive(pid)));
      const again = await start([...words, "--json", "--max-time", "500"])[1];
      expect(summary(again.stdout)).toMatchObject({ jobs: 2, ran: 2, failed: 0 });
    },
    long,
  );

  it(
    "Ctrl-C while threads are in the middle of the runtime leaves a table too",
    async () => {
      const out = join(folder(), "t.json");
      const words = ["sweep", "C2-16", "--grid", "m=200; alpha=0.05..1 linear 40", "--out", out];
      const [child, answer] = start([...words, "--workers", "2"]);
      await until(() => journaled(out) >= 1);
      child.kill("SIGINT");
      const { code, stderr } = await answer;
      expect(code).toBe(130);
      const [, rows] =
        /^lemmata: interrupted: .* has (\d+) of 40 jobs; the same command runs the rest\n$/.exec(stderr)!;
      expect(rowsOf(out).length).toBe(Number(rows));
    },
    long,
  );

  it(
    "a table that is there without a journal is somebody's, and stays",
    async () => {
      const out = join(folder(), "mine.csv");
      writeFileSync(out, "year,rain\n1815,7\n");
      const { code, stderr } = await start(["sweep", "T-27", "--grid", "i=1", "--out", out])[1];
      expect([code, stderr]).toEqual([
        2,
        `lemmata: ${out} is there, and no journal of a sweep beside it (${out}.jsonl): choose another --out, or delete it\n`,
      ]);
      expect(readFileSync(out, "utf8")).toBe("year,rain\n1815,7\n");
    },
    long,
  );

  it(
    "killed without a word it loses nothing that was done, not even with a torn line, and leaves no process",
    async () => {
      const at = folder();
      const out = join(at, "t.json");
      const words = [
        "sweep",
        "T-27",
        "--grid",
        "i=1; seed=1..5",
        "--budget",
        "cheap",
        "--out",
        out,
        "--json",
      ];
      const limits = ["--job-timeout", "1000", "--workers", "1"];
      const [child, answer] = start([...words, ...limits], misbehaving(at, "if (seed === 4) for (;;);"));
      await until(() => journaled(out) === 3 && began(at).includes("4"));
      child.kill("SIGKILL");
      await answer;
      await until(() => processesOf(at).every((pid) => !isAlive(pid)));
      expect(existsSync(out)).toBe(false);
      appendFileSync(`${out}.jsonl`, '{"key":"16073598');
      expect(summary((await start([...words, ...limits])[1]).stdout)).toMatchObject({
        jobs: 5,
        ran: 2,
        failed: 0,
      });
      expect(rowsOf(out).map(({ seed, status }) => [seed, status])).toEqual(
        [1, 2, 3, 4, 5].map((k) => [k, "done"]),
      );
    },
    long,
  );
});

describe("theory falsify by workers", () => {
  it(
    "reports what one process reports",
    async () => {
      const words = ["theory", "falsify", "T-27", "--trials", "23", "--seed", "3", "--json"];
      const [alone, together] = [await start(words)[1], await start([...words, "--workers", "2"])[1]];
      expect(together).toEqual(alone);
      expect(JSON.parse(alone.stdout)).toMatchObject({ trials: 23, violations: [] });
    },
    long,
  );
});
