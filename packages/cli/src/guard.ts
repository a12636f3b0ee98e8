// Runs a command in a process of its own and answers for it. A faulty model can make a reader, a pass or ONNX Runtime
// crash, never end or take all memory, and while that goes on no other JavaScript runs there: only another process can
// step in. This one loads nothing of the library.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { getHeapStatistics } from "node:v8";
import { began } from "./elapsed.ts";
import { undecided } from "./exit-code.ts";
import { lifeline, mark, onTerminal } from "./guarded.ts";
import { Lifeline } from "./lifeline.ts";
import { type CommandLimits, limitsOf } from "./limits.ts";
import { UsageError } from "./usage-error.ts";
import { Watch } from "./watch.ts";

const program = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));

/** Runs `lemmata ...argv` in a child; its exit code and its line on stderr become ours. */
export async function guard(
  argv: readonly string[],
  { isLong = false }: { readonly isLong?: boolean } = {},
): Promise<void> {
  const limits = limitsOf(argv);
  const line = new Lifeline();
  const child = start(isLong ? [] : argv, limits, line);
  line.hold(child.pid);
  if (isLong) child.send(argv);
  const interruption = new Interruption(child, limits.farewell);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (said.length < 1e6) said += text;
  });
  const watch = new Watch(child, limits, subjectOf(argv));
  const { code, signal } = await ending(child);
  watch.end();
  interruption.end();
  await line.release();
  if (process.env["LEMMATA_DEBUG"]) process.stderr.write(said);
  if (watch.reason) return overdue(watch, limits, argv.includes("--json"));
  // What the runtime prints by itself is not for users. A line that was said is the answer, whatever happened after it.
  const message = said.split("\n").find((text) => text.startsWith("lemmata: "));
  if (signal && message) {
    process.stderr.write(`${message}\n`);
    process.exitCode = interruption.isAsked ? 130 : 2;
    return;
  }
  if (signal && (interruption.isAsked || interrupts.has(signal)))
    throw Object.assign(new Error("interrupted"), { name: "AbortError" });
  if (code === null || !expectedCodes.has(code))
    throw new UsageError(`${watch.subject}: ${crashOf(said, signal)} (${signal ?? `code ${code}`})`);
  process.exitCode = code;
  if (message && !process.env["LEMMATA_DEBUG"]) process.stderr.write(`${message}\n`);
}

const start = (words: readonly string[], limits: CommandLimits, line: Lifeline): ChildProcess =>
  spawn(process.execPath, [...heapOption(limits), ...process.execArgv, program, ...words], {
    stdio: ["inherit", "inherit", "pipe", "ipc"],
    env: {
      ...process.env,
      [mark]: process.stderr.isTTY ? onTerminal : "1",
      [began]: String(Date.now() - 1000 * process.uptime()),
      [lifeline]: line.holds ? String(process.pid) : undefined,
    },
  });

/** JavaScript's own limit must not be the narrower one; to say so costs the code that Node has compiled beforehand. */
export const heapOption = ({ bytes }: Pick<CommandLimits, "bytes">): readonly string[] =>
  bytes <= getHeapStatistics().heap_size_limit ? [] : [`--max-old-space-size=${Math.ceil(bytes / 2 ** 20)}`];

/** Time or memory is over: one line; and the verdict that says so, where one was asked for. */
function overdue(watch: Watch, { verdict }: CommandLimits, isJson: boolean): void {
  if (verdict === undefined || !watch.isLate) throw new UsageError(watch.reason!);
  if (verdict !== "")
    process.stdout.write(`${isJson ? JSON.stringify({ verdict, reason: watch.reason }) : verdict}\n`);
  process.stderr.write(`lemmata: ${watch.reason}\n`);
  process.exitCode = undecided;
}

const isRead = /\.(onnx|vnnlib|json|np[yz]|csv|aag|blif|cnf|tt)$/i;
const isToBeWritten = /^--(out|certificate|graph|checkpoint|svg|png|html)$/;

/** What an error is about: the first file that the command was given to read, else the command. */
const subjectOf = ([command, ...words]: readonly string[]): string => {
  const file = words.find(
    (word, k) => isRead.test(word) && !word.startsWith("-") && !isToBeWritten.test(words[k - 1] ?? ""),
  );
  return file ?? command ?? "lemmata";
};

/** Why a process ended that nobody asked to. */
export const crashOf = (said: string, signal: NodeJS.Signals | null): string => {
  if (/heap out of memory|bad_alloc|Cannot allocate memory/i.test(said))
    return "the process ran out of memory";
  return signal === "SIGKILL" ? "the process was ended from outside" : "ONNX Runtime crashed";
};

const expectedCodes = new Set([0, 1, 2, 3, 130]);

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

const interrupts: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGTERM", "SIGHUP"]);

/** Ctrl-C: the child may say farewell; when it does not, or at the second Ctrl-C, it is ended. */
class Interruption {
  isAsked = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, farewell: number) {
    const end = () => void child.kill("SIGKILL");
    for (const signal of interrupts)
      process.on(signal, () => {
        if (this.isAsked) return end();
        this.isAsked = true;
        child.kill(signal);
        this.#timer = setTimeout(end, 1000 * farewell);
      });
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
