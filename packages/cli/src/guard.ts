// Runs a command in a process of its own and answers for it. On a faulty model ONNX Runtime may crash, never end, take
// all memory or print by itself, and while it works no JavaScript runs beside it: only another process can step in.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UsageError } from "./usage-error.ts";

/** What a model may take from now on. */
export interface Limits {
  readonly model: string;
  /** Memory of the whole process. */
  readonly bytes: number;
  /** From the start of the command until the runtime is done; absent: as long as it likes. */
  readonly seconds?: number | undefined;
}

const mark = "LEMMATA_GUARDED";
const program = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));
/** Milliseconds between two looks at the memory; it grows by up to 3 GB a second. */
const interval = 10;
/** The share of the limit at which the guard steps in, since memory grows between two looks. */
const alarm = 0.85;

/** Is this the process that is watched? */
export const isGuarded = (): boolean => process.env[mark] !== undefined;

/** Tells the guard what to allow; "done" when the runtime has given its results. */
export function tellGuard(news: Limits | "done"): Promise<void> {
  return new Promise((resolve) => (process.send ? process.send(news, () => resolve()) : resolve()));
}

/** Runs `lemmata ...argv` in a child; its exit code and its line on stderr become ours. */
export async function guard(argv: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, program, ...argv], {
    stdio: ["inherit", "inherit", "pipe", "ipc"],
    env: { ...process.env, [mark]: "1" },
  });
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
    throw new UsageError(
      `${watch.model ?? "the command"}: ONNX Runtime crashed (${signal ?? `code ${code}`})`,
    );
  process.exitCode = code;
  // What the runtime prints by itself is not for users.
  const line = said.split("\n").find((text) => text.startsWith("lemmata: "));
  if (line && !process.env["LEMMATA_DEBUG"]) process.stderr.write(`${line}\n`);
}

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

  constructor(child: ChildProcess) {
    child.on("message", (news: Limits | "done") => {
      if (news === "done") clearTimeout(this.#time);
      else this.#start(child, news);
    });
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
    this.#memory = setInterval(() => {
      if (residentBytes(child.pid) > alarm * bytes)
        stop(
          `the run needs over ${Number(((alarm * bytes) / 1e9).toPrecision(3))} GB of memory (--memory allows more)`,
        );
    }, interval);
  }

  end(): void {
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
