import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeNpy } from "@lemmata/core/data";
import { tensor } from "@lemmata/core/graph";
import { parseGrid } from "@lemmata/core/sweep";
import { afterAll, describe, expect, it } from "vitest";
import sweepCommand from "../../src/commands/sweep.ts";
import { allowed, needsProcess } from "../../src/sweep/crew.ts";
import { parts } from "../../src/sweep/falsify.ts";
import { readInstances } from "../../src/sweep/instances.ts";
import { sweepJobs } from "../../src/sweep/jobs.ts";
import { jobWords, runTask } from "../../src/sweep/run-task.ts";
import type { TrialsTask } from "../../src/sweep/task.ts";

const folder = mkdtempSync(join(tmpdir(), "lemmata-jobs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const jobs = (what: string, grid: string, words: readonly string[] = [], rest = {}) =>
  sweepJobs({ what, words, grid: parseGrid(grid), repeat: 1, seed: 1, budget: "live", ...rest });
const signal = join(folder, "signals.npy");
writeFileSync(
  signal,
  writeNpy(
    tensor(
      Float64Array.from({ length: 128 }, (_, k) => Math.sin(k)),
      { type: "float64", dims: [2, 64] },
    ),
  ),
);
const moons = ["--data", "two-moons", "--steps", "5"];

describe("the jobs of a sweep", () => {
  it("of a lemma: parameters and seeds", async () => {
    const all = await jobs("T-27", "i=1,2", [], { repeat: 2, seed: 5 });
    expect(all.map(({ task, parameters }) => [task, parameters])).toEqual(
      [1, 2].flatMap((i) =>
        [5, 6].map((seed) => [
          { kind: "lemma", id: "T-27", parameters: { i }, seed, budget: "live" },
          { i, seed },
        ]),
      ),
    );
    expect(new Set(all.map(({ key }) => key)).size).toBe(4);
  });

  it("have the same keys tomorrow, and others when the work is another", async () => {
    const [[a], [b], [c]] = [
      await jobs("T-27", "i=1"),
      await jobs("t-27", "i=1"),
      await jobs("T-27", "i=1", [], { budget: "cheap" }),
    ];
    expect(a!.key).toBe(b!.key);
    expect(a!.key).toBe("160735986fea190d22206ffab48ff2a5");
    expect(c!.key).not.toBe(a!.key);
  });

  it("of a command: {name} in its words, other names as options", async () => {
    const [job] = await jobs("train", "width=8; rate=0.1; nesterov=false; seed=3", [
      "2-{width}-relu-2",
      ...moons,
    ]);
    expect(job!.task).toEqual({
      kind: "command",
      words: ["train", "2-8-relu-2", ...moons, "--rate", "0.1", "--seed", "3"],
    });
  });

  it("of recover: each prior by its option, and rows with errors that can be drawn", async () => {
    const found = await jobs("recover", "m=20,40; way=prior=dct,prior=wavelet", [
      ...[`${signal}:1`, "--measure", "--operator", "gaussian:m={m}", "--shape", "8x8", "--{way}"],
    ]);
    expect(found.map(({ task }) => (task.kind === "command" ? task.words.at(-3) : ""))).toEqual(
      ["dct", "wavelet", "dct", "wavelet"].map((name) => `--prior=${name}`),
    );
    const { status, values } = await runTask(found[0]!.task);
    expect(status).toBe("done");
    expect(values).toMatchObject({ prior: "dct", measurements: 20, numbers: 64 });
    expect(values!["per_pixel_error"]).toBeCloseTo((values!["error"] as number) ** 2 / 64, 12);
  });

  it("of a command whose words have the seed: {seed}", async () => {
    const [job] = await jobs("train", "seed=3", ["2-8-relu-2", ...moons, "--seed", "{seed}"]);
    expect(job!.task).toMatchObject({ words: ["train", "2-8-relu-2", ...moons, "--seed", "3"] });
  });

  it("of the falsifier: {id} is its argument", async () => {
    const [job] = await jobs("falsify", "id=T-27", ["{id}", "--trials", "3"]);
    expect(job!.task).toMatchObject({ words: ["theory", "falsify", "T-27", "--trials", "3", "--seed", "1"] });
  });

  it.each([
    ["T-27", "i=0", [], {}, "T-27: parameter i = 0: it is an integer from 1 to"],
    ["T-27", "i=1,2,99", [], {}, "parameter i = 99"],
    ["T-27", "j=1", [], {}, 'T-27 has no parameter "j"; its parameters: i'],
    ["T-27", "i=x", [], {}, "parameter i = x"],
    ["T-27", "i=true", [], {}, "parameter i = true: it is an integer"],
    ["T-27", 'i=""', [], {}, "parameter i = : it is an integer"],
    ["T-27", "i=1,2", [], { repeat: 1e9 }, "grid: 2000000000 points; at most 10000000 can be run"],
    ["T-27", "seed=0.5", [], {}, "a seed is an integer"],
    ["T-27", "i=1", ["--data", "mnist"], {}, 'go into --grid "name=values"'],
    ["T-27", "seed=1..3", [], { repeat: 2 }, "the grid has its seeds already"],
    ["T-27", "status=1", [], {}, "status is a column of the table already"],
    ["T-27", "Seconds=1", [], {}, "Seconds is a column of the table already"], // to SQL it is
    ["T-99999", "i=1", [], {}, 'no lemma "T-99999"; near it'],
    [
      "explain",
      "i=1",
      [],
      {},
      "sweep explain: there is no such thing to run; a lemma (T-27), or one of train",
    ],
    [
      "train",
      "width=8",
      ["2-{wdith}-relu-2", ...moons],
      {},
      '{wdith} in "2-{wdith}-relu-2": the grid has width, seed',
    ],
    ["train", "learning=8", ["2-8-relu-2", ...moons], {}, "unknown option '--learning'"],
    ["train", "rate=0.1,fast", ["2-8-relu-2", ...moons], {}, "fast"],
    [
      "train",
      "width=8",
      ["2-{width}-relu-2", ...moons, "--seed", "7"],
      {},
      "--seed behind --: the seed of a job is",
    ],
    ["train", "width=8", ["2-{width}-relu-2", ...moons, "--seed=7"], {}, 'in --grid "seed=1,2,3"'],
    [
      "train",
      "rate=0.1",
      ["2-8-relu-2", ...moons, "--rate", "1"],
      {},
      "--rate behind --, and rate in the grid: give it once",
    ],
    ["audit", "seed=1", ["a.onnx"], {}, "--data"],
    ["compare", "seed=1", ["a.onnx"], {}, "missing required argument"],
  ])("%s %s %j: refused before anything runs", async (what, grid, words, rest, message) => {
    await expect(jobs(what, grid, words, rest)).rejects.toThrow(message);
  });
});

describe("a competition's list", () => {
  const list = (text: string): string => {
    writeFileSync(join(folder, "instances.csv"), text);
    return join(folder, "instances.csv");
  };

  it("without names of columns, as competitions write it", () => {
    expect(
      readInstances(list("./onnx/a.onnx,./vnnlib/p.vnnlib,116\r\nb.onnx,q.vnnlib,2.5\n\n")),
    ).toMatchObject([
      { network: join(folder, "onnx/a.onnx"), query: join(folder, "vnnlib/p.vnnlib"), timeout: 116 },
      { network: join(folder, "b.onnx"), query: join(folder, "q.vnnlib"), timeout: 2.5 },
    ]);
  });

  it("whose files are packed, which the list does not say", () => {
    writeFileSync(join(folder, "packed.vnnlib.gz"), "");
    const [instance] = readInstances(list("nets/a.onnx,packed.vnnlib,120\n"));
    expect(instance).toMatchObject({
      ...{ network: join(folder, "nets/a.onnx"), query: join(folder, "packed.vnnlib.gz") },
      columns: { vnnlib: "packed.vnnlib" },
    });
  });

  it("with names, and more columns, which the table has too", async () => {
    const path = list("onnx,vnnlib,timeout,expected\na.onnx,p.vnnlib,120,sat\n");
    const [job] = await jobs("verify", "seed=1,2", [path, "--tolerance", "1e-6"]);
    expect(job).toMatchObject({
      parameters: { onnx: "a.onnx", vnnlib: "p.vnnlib", timeout: 120, expected: "sat", seed: 1 },
      task: {
        words: [
          ...["verify", join(folder, "p.vnnlib"), "--network", join(folder, "a.onnx"), "--timeout", "120"],
          ...["--tolerance", "1e-6", "--seed", "1"],
        ],
      },
    });
  });

  it("whose columns have names that the table or the grid has: none is lost", async () => {
    const path = list("\ufeffonnx,vnnlib,timeout,job,Status,seed\na.onnx,p.vnnlib,9,me,sat,7\n");
    const [job] = await jobs("verify", "timeout=1,2", [path]);
    expect(job!.parameters).toEqual({
      ...{ onnx: "a.onnx", vnnlib: "p.vnnlib", listed_timeout: 9, listed_job: "me" },
      ...{ listed_Status: "sat", listed_seed: 7, timeout: 1, seed: 1 },
    });
    expect(job!.task).toMatchObject({
      words: [
        ...["verify", join(folder, "p.vnnlib"), "--network", join(folder, "a.onnx")],
        ...["--timeout", "1", "--seed", "1"],
      ],
    });
  });

  it("with a line twice is one job, as its key says", async () => {
    const path = list("a.onnx,p.vnnlib,5\nb.onnx,p.vnnlib,5\na.onnx,p.vnnlib,5\n");
    const found = await jobs("verify", "seed=1,2", [path]);
    expect(found.length).toBe(4);
    expect(new Set(found.map(({ key }) => key)).size).toBe(4);
  });

  it("with commas in names, in quotes", () => {
    expect(readInstances(list('"a, b.onnx","p ""1"".vnnlib",5\n'))).toMatchObject([
      { network: join(folder, "a, b.onnx"), query: join(folder, 'p "1".vnnlib'), timeout: 5 },
    ]);
  });

  it.each([
    ['"a.onnx,p.vnnlib,5\n', "line 1"],
    ["", "no instance in it"],
    ["onnx,vnnlib\n", "no instance in it"],
    ["a.onnx,p.vnnlib,soon\n", "line 1: timeout soon"],
    ["a.onnx,p.vnnlib,1\na.onnx\n", "line 2: a network and a query are needed"],
    ["model,property\nx,y\n", "no columns onnx and vnnlib"],
  ])("%j: %s", (text, message) => {
    expect(() => readInstances(list(text))).toThrow(message);
  });
});

describe("the parts of a falsifier's trials", () => {
  it.each([1, 4, 5, 23, 200, 10_007])("of %d are each of them once", async (trials) => {
    for (const workers of [1, 2, 7]) {
      const found = await parts("T-27", { trials, seed: 3, workers });
      const ends = found.map(({ task }) => task as TrialsTask).map(({ from, to }) => [from, to] as const);
      expect(ends.map(([from]) => from)).toEqual([0, ...ends.slice(0, -1).map(([, to]) => to)]);
      expect(ends.at(-1)![1]).toBe(trials);
      expect(ends.every(([from, to]) => to > from)).toBe(true);
    }
  });
});

describe("what runs a job", () => {
  const [lemma, verify] = [
    { kind: "lemma", id: "T-27", parameters: {}, seed: 1, budget: "live" } as const,
    { kind: "command", words: ["verify", "q.vnnlib", "--network", "a.onnx", "--timeout", "10"] } as const,
  ];

  it("a process where a file is read or a limit must hold, a thread otherwise", () => {
    const compile = { kind: "command", words: ["compile", "x"] } as const;
    expect([lemma, compile, verify].map((task) => needsProcess(task, {}))).toEqual([false, false, true]);
    expect([{ seconds: 1 }, { gigabytes: 1 }].map((limits) => needsProcess(lemma, limits))).toEqual([
      true,
      true,
    ]);
  });

  it("may take what was asked, or what its command may", () => {
    expect(allowed(verify, {})).toMatchObject({
      bytes: 4e9,
      seconds: 16,
      option: "--timeout",
      verdict: "timed-out",
    });
    expect(allowed(verify, { seconds: 3, gigabytes: 2 })).toEqual({
      bytes: 2e9,
      seconds: 3,
      option: "--job-timeout",
    });
    expect(allowed(lemma, {}).seconds).toBeUndefined();
  });

  it("a formula that begins with a minus stays a formula", () => {
    const words = ["compile", "-x^2", "--on", "0..1", "--eps", "0.1"];
    expect(jobWords(words)).toEqual([
      "compile",
      "--json",
      "--quiet",
      "--on",
      "0..1",
      "--eps",
      "0.1",
      "--",
      "-x^2",
    ]);
  });

  it("a task that fails is an outcome with one line", async () => {
    const outcome = await runTask({
      kind: "command",
      words: ["compile", "x +", "--on", "0..1", "--eps", "0.1"],
    });
    expect(outcome).toMatchObject({ status: "failed" });
    expect(outcome.error).toMatch(/^[^\n]+$/);
    expect(outcome.error).not.toContain("internal error");
  });

  it("prints nothing, and gives what --json would", async () => {
    const outcome = await runTask({
      kind: "command",
      words: ["compile", "x^2", "--on", "0..1", "--eps", "0.1"],
    });
    expect(outcome.status).toBe("done");
    expect(Object.keys(outcome.values!).length).toBeGreaterThan(3);
  });
});

describe("options that cannot be", () => {
  const out = join(folder, "o.csv");
  const given = { seed: 1, quiet: true, repeat: 1, budget: "live", out, grid: "i=1" };
  it.each([
    [{ out: join(folder, "o.txt") }, "must end in .parquet, .csv, .json"],
    [{ out: join(folder, "none", "o.csv") }, "there is no such folder"],
    [{ svg: join(folder, "o.svg") }, "--svg needs --x and --y"],
    [{ x: "i" }, "--x is for a drawing: --svg is missing"],
    [{ queue: "redis://localhost:1", workers: 2 }, "give one of them"],
    [{ queue: "localhost:6379" }, "--queue localhost:6379: write redis://host:port"],
    [
      { queue: "redis://user:secret@localhost:1" },
      "--queue redis://localhost:1: Redis does not answer there",
    ],
    [{ budget: "much" }, "--budget much: choose one of cheap, live, thorough"],
    [{ grid: "i=" }, "grid: i: a value is missing"],
    [{ jobTimeout: 0 }, "--job-timeout is above 0"],
    [{ memory: 0 }, "--memory is above 0"],
    [{ sql: "selct 1" }, "--sql: Parser Error"],
    [{ sql: "select 1; select 2" }, "one statement is needed, not 2"],
    [{ sql: " " }, "--sql: a question is needed"],
  ])("%j: %s", async (options, message) => {
    await expect(sweepCommand("T-27", [], { ...given, ...options })).rejects.toThrow(message);
    await expect(sweepCommand("T-27", [], { ...given, ...options })).rejects.not.toThrow("secret");
  });
});
