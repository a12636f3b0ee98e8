// Runs a command in a process of its own and answers for it. On a faulty model ONNX Runtime may crash, never end, take
// all memory or print by itself, and while it works no JavaScript runs beside it: only another process can step in.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Limits, mark, type News, onTerminal } from "./guarded.ts";
import { barRemoval } from "./progress.ts";
import { UsageError } from "./usage-error.ts";

const program = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));
/** Milliseconds between two looks at the memory; it grows by up to 3 GB a second. */
const interval = 10;
/** The share of the limit at which the guard steps in, since memory grows between two looks. */
const alarm = 0.85;

/** Runs `lemmata ...argv` in a child; its exit code and its line on stderr become ours. */
export async function guard(
  argv: readonly string[],
  { isLong = false }: { readonly isLong?: boolean } = {},
): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, program, ...(isLong ? [] : argv)], {
    stdio: ["inherit", "inherit", "pipe", "ipc"],
    env: { ...process.env, [mark]: process.stderr.isTTY ? onTerminal : "1" },
  });
  if (isLong) child.send(argv);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => child.kill(signal));
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (said.length < 1e6) said += text;
  });
  const watch = new Watch(child);
  const { code, signal } = await ending(child);
  watch.end();
  if (process.env["LEMMATA_DEBUG"]) process.stderr.write(said);
  if (watch.reason) throw new UsageError(watch.reason);
  if (signal === "SIGINT" || signal === "SIGTERM" || signal === "SIGHUP")
    throw Object.assign(new Error("interrupted"), { name: "AbortError" });
  if (code === null || !expectedCodes.has(code))
    throw new UsageError(`${watch.model ?? argv[0]}: ${crashOf(said)} (${signal ?? `code ${code}`})`);
  process.exitCode = code;
  // What the runtime prints by itself is not for users.
  const line = said.split("\n").find((text) => text.startsWith("lemmata: "));
  if (line && !process.env["LEMMATA_DEBUG"]) process.stderr.write(`${line}\n`);
}

const crashOf = (said: string): string =>
  /heap out of memory/i.test(said) ? "the process ran out of memory" : "ONNX Runtime crashed";

const expectedCodes = new Set([0, 1, 2, 130]);

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const ending = (child: ChildProcess): Promise<Ending> =>
  new Promise((resolve, reject) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("error", (error) =>
      reject(new UsageError(`no second process could be started: ${error.message}`)),
    );
  });

/** Ends a child that takes more than it said it would. */
class Watch {
  /** Why the child was ended. */
  reason: string | undefined;
  model: string | undefined;
  readonly #started = performance.now();
  #time: NodeJS.Timeout | undefined;
  #memory: NodeJS.Timeout | undefined;
  #isDrawn = false;

  constructor(child: ChildProcess) {
    child.on("message", (news: News) => {
      if (news === "done") clearTimeout(this.#time);
      else if ("draw" in news) {
        this.#draw(news.draw);
        if (news.answer) child.send("drawn");
      } else this.#start(child, news);
    });
  }

  /** The runtime prints to the child's stderr by itself, so the bar of the child comes another way. */
  #draw(text: string): void {
    this.#isDrawn = text !== barRemoval;
    process.stderr.write(text);
  }

  #start(child: ChildProcess, { model, bytes, seconds }: Limits): void {
    this.model = model;
    const stop = (reason: string) => {
      this.reason ??= `${model}: ${reason}`;
      child.kill("SIGKILL");
    };
    if (seconds !== undefined)
      this.#time = setTimeout(
        () => stop(`the run was ended after ${seconds} s (--timeout allows more)`),
        Math.max(0, 1000 * seconds - (performance.now() - this.#started)),
      );
    if (bytes !== undefined)
      this.#memory = setInterval(() => {
        if (residentBytes(child.pid) > alarm * bytes)
          stop(
            `the run needs over ${Number(((alarm * bytes) / 1e9).toPrecision(3))} GB of memory (--memory allows more)`,
          );
      }, interval);
  }

  end(): void {
    if (this.#isDrawn) process.stderr.write(barRemoval);
    clearTimeout(this.#time);
    clearInterval(this.#memory);
  }
}

/** The memory that a process has, where the system tells (Linux); elsewhere 0, and only shapes are checked before. */
function residentBytes(pid: number | undefined): number {
  try {
    const [, kilobytes] = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return 1024 * Number(kilobytes ?? 0);
  } catch {
    return 0;
  }
}
