// Time and memory of every command have limits, from before its first byte is read, and no process outlives its command.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { float32, graph, writeModel } from "@lemmata/core/graph";
import { afterAll, describe, expect, it } from "vitest";
import { limitsOf } from "../src/limits.ts";

const bin = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lemmata-guard-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What happens in the process that is watched, before anything of it is loaded; its id is in a file. */
function misbehaving(name: string, code: string): string[] {
  const path = join(folder, `${name}.cjs`);
  const pid = JSON.stringify(join(folder, `${name}.pid`));
  writeFileSync(
    path,
    `if (process.env.LEMMATA_GUARDED) { require("fs").writeFileSync(${pid}, String(process.pid)); ${code} }`,
  );
  return ["--require", path];
}
const blocks = "for (;;);";

/** A file whose number is not written yet reads as 0, and 0 would ask whether we are alive ourselves. */
const isAlive = (pid: number): boolean => {
  if (pid === 0) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const childOf = (name: string): number => Number(readFileSync(join(folder, `${name}.pid`), "utf8"));
/** On a busy machine the time may be over before the child has begun. */
const isLeft = (name: string): boolean => existsSync(join(folder, `${name}.pid`)) && isAlive(childOf(name));
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
};
const started = (name: string) => until(() => isLeft(name));

interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function begin(options: readonly string[], words: readonly string[]): [ChildProcess, Promise<Answer>] {
  const child = spawn(process.execPath, [...options, bin, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream]!.setEncoding("utf8").on("data", (text: string) => {
      texts[stream] += text;
    });
  return [child, new Promise((resolve) => child.once("close", (code) => resolve({ code, ...texts })))];
}

const commands: readonly (readonly string[])[] = [
  ["info", "a.onnx"],
  ["regions", "a.onnx", "--on", "0..1"],
  ["align", "a.onnx", "b.onnx"],
  ["simplify", "a.onnx"],
  ["compile", "x^2"],
  ["gradient", "a.onnx", "--out", "g.onnx"],
  ["train", "a.onnx"],
  ["audit", "a.onnx", "--data", "two-moons"],
  ["explain", "a.onnx", "--input", "x.npy"],
  ["kernel", "a.onnx", "--data", "two-moons"],
  ["landscape", "a.onnx", "--data", "two-moons"],
  ["scatter", "x.npy", "--dimension", "1", "--scale", "3"],
  ["pursue", "x.npy", "--dictionary", "d.npy", "--lambda", "1"],
  ["recover", "x.npy", "--operator", "identity", "--prior", "tv"],
  ["theory", "run", "T-27"],
  ["sweep", "T-27", "--out", "t.csv"],
  ["worker", "--queue", "redis://localhost:1"],
];

describe("a command that does not end", () => {
  it.each(commands.map((words) => [words[0]!, words] as const))("%s", async (name, words) => {
    const [, answer] = begin(misbehaving(name, blocks), [...words, "--max-time", "0.6"]);
    const { code, stdout, stderr } = await answer;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^lemmata: \S+: it was ended after 0\.6 s \(--max-time allows more\)\n$/);
    expect(isLeft(name)).toBe(false);
  });

  it.each([
    ["verify", ["q.vnnlib", "--network", "a.onnx"], "timed-out"],
    ["compare", ["a.onnx", "b.onnx"], "unknown"],
    ["bound", ["a.onnx", "--on", "0..1"], ""],
  ])("%s is undecided", async (name, words, verdict) => {
    const ended = begin(misbehaving(name, blocks), [name, ...words, "--max-time", "0.6"]);
    const { code, stdout, stderr } = await ended[1];
    expect({ code, stdout }).toEqual({ code: 3, stdout: verdict && `${verdict}\n` });
    expect(stderr).toMatch(/^lemmata: \S+: it was ended after 0\.6 s/);
    if (verdict === "") return;
    const json = begin(misbehaving(name, blocks), [name, ...words, "--json", "--max-time", "0.6"]);
    expect(JSON.parse((await json[1]).stdout)).toMatchObject({ verdict });
  });
});

it("has no more limit of time once it has answered: to let go of a large model may take longer", async () => {
  const [news, model] = [join(folder, "news"), join(folder, "small.onnx")];
  writeFileSync(model, writeModel(graph({ x: float32(1) }, ({ x }) => ({ y: x.relu() }))));
  const noted = `
    const { send } = process;
    process.send = (word, ...rest) => {
      require("fs").appendFileSync(${JSON.stringify(news)}, JSON.stringify(word) + "\\n");
      return send.call(process, word, ...rest);
    };`;
  expect(await begin(misbehaving("answered", noted), ["info", model])[1]).toMatchObject({ code: 0 });
  expect(readFileSync(news, "utf8")).toMatch(/^"done"\n$/m);
});

describe("a command that takes all memory", () => {
  const fill = "const all = []; for (;;) all.push(Buffer.alloc(2e7, 1));";
  it.each([commands[0]!, commands[2]!, commands[6]!])("%s", async (...words) => {
    const name = `full-${words[0]}`;
    const [, answer] = begin(misbehaving(name, fill), [...words, "--memory", "0.4"]);
    const { code, stderr } = await answer;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^lemmata: \S+: it needs over 0\.34 GB of memory \(--memory allows more\)\n$/);
    expect(isLeft(name)).toBe(false);
  });
});

describe("no process is left behind", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("after %s", async (signal) => {
    const [guard, answer] = begin(misbehaving(signal, blocks), ["bound", "a.onnx", "--on", "0..1"]);
    await started(signal);
    guard.kill(signal);
    expect(await answer).toMatchObject({ code: 130, stdout: "", stderr: "lemmata: interrupted\n" });
    expect(isLeft(signal)).toBe(false);
  });

  /** Patched where a shell is started: there is none, or its number is noted. */
  const shellNote = join(folder, "shell.pid");
  function withShell(name: string, code: string): string[] {
    const path = join(folder, `${name}-shell.cjs`);
    const patch = `
      const processes = require("child_process");
      const { spawn } = processes;
      if (!process.env.LEMMATA_GUARDED) processes.spawn = (file, ...given) => {
        if (file !== "/bin/sh") return spawn(file, ...given);
        ${code}
      };
      require("module").syncBuiltinESMExports();`;
    writeFileSync(path, patch);
    return ["--require", path];
  }

  it("when the process that watches is killed, even if the other one is busy", async () => {
    const [guard] = begin(misbehaving("orphan", blocks), ["theory", "falsify", "T-27"]);
    await started("orphan");
    guard.kill("SIGKILL");
    await until(() => !isLeft("orphan")); // or the test never ends
  });

  it("nor where there is no shell", async () => {
    const flag = join(folder, "busy");
    const busyOnceWatched = `
      const threads = require("worker_threads");
      threads.Worker = class extends threads.Worker {
        constructor(...given) {
          super(...given);
          this.once("online", () => { require("fs").writeFileSync(${JSON.stringify(flag)}, ""); ${blocks} });
        }
      };
      require("module").syncBuiltinESMExports();`;
    const none = withShell("none", 'return spawn("/no/such/shell", ...given);');
    const [guard] = begin(
      [...none, ...misbehaving("thread", busyOnceWatched)],
      ["theory", "falsify", "T-27"],
    );
    await until(() => existsSync(flag));
    expect(isLeft("thread")).toBe(true);
    guard.kill("SIGKILL");
    await until(() => !isLeft("thread"));
  });

  it("nor the shell that waits for the end of the guard", async () => {
    const noted = withShell(
      "noted",
      `const shell = spawn(file, ...given);
       require("fs").writeFileSync(${JSON.stringify(shellNote)}, String(shell.pid));
       return shell;`,
    );
    expect(await begin(noted, ["info", "missing.onnx"])[1]).toMatchObject({ code: 2, stdout: "" });
    expect(isAlive(Number(readFileSync(shellNote, "utf8")))).toBe(false);
  });
});

describe("limits are read off the words of a command", () => {
  it("time", () => {
    const seconds = (...argv: string[]) => limitsOf(argv).seconds;
    expect(seconds("info", "a.onnx")).toBe(600);
    expect(seconds("bound", "a.onnx", "--time", "20")).toBe(27);
    expect(seconds("verify", "q.vnnlib", "--timeout=10")).toBe(16);
    expect(seconds("compare", "a.onnx", "b.onnx")).toBe(71);
    expect(seconds("compare", "a.onnx", "b.onnx", "--timeout", "20", "--max-time", "9")).toBe(9);
    expect(seconds("run", "a.onnx", "--timeout", "4")).toBe(4);
    for (const words of [["train", "2-2"], ["audit"], ["theory", "falsify"]])
      expect(seconds(...words)).toBe(undefined);
    expect(seconds("info", "--max-time", "soon")).toBe(600);
  });

  it("memory grows with the files, and with what is allowed", () => {
    const path = join(folder, "large.onnx");
    writeFileSync(path, new Uint8Array(1e6));
    const none = limitsOf(["info", "missing.onnx"]).bytes;
    expect(limitsOf(["info", path]).bytes).toBe(none + 1e7);
    expect(limitsOf(["run", path, "--input", `x=${path}`]).bytes).toBe(none + 1e7);
    expect(limitsOf(["info", path, "--memory", "2"]).bytes).toBe(2e9);
  });
});
