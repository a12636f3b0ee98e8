// What a command may take, read off its words before any file is opened. It is only looked at: the command itself says
// what is wrong with an option.

import { statSync } from "node:fs";
import { totalmem } from "node:os";
import { endless } from "./endless.ts";

export interface CommandLimits {
  /** Memory of the whole process. */
  readonly bytes: number;
  /** Wall time from the start; absent: as long as it likes. */
  readonly seconds: number | undefined;
  /** The option that allows more time. */
  readonly option: string;
  /** What is printed when the time is over, if anything: the command is then undecided, not wrong. */
  readonly verdict?: string;
  /** Seconds to save what there is, after Ctrl-C. */
  readonly farewell: number;
}

/** Commands whose jobs have limits of their own. */
const manyJobs = new Set(["sweep", "worker"]);
const isEndless = ([command = "", second = ""]: readonly string[]): boolean =>
  endless.has(command === "theory" ? second : command);
/** The options with which a command is told its time, and what it answers when that is over. */
const timed: Readonly<Record<string, { readonly option: string; readonly verdict?: string }>> = {
  bound: { option: "--time", verdict: "" },
  compare: { option: "--timeout", verdict: "unknown" },
  run: { option: "--timeout" },
  verify: { option: "--timeout", verdict: "timed-out" },
};
const maxTime = "--max-time";
const defaultSeconds = 600;
/** `compare` has a time of its own. */
const defaultTimeout: Readonly<Record<string, number>> = { compare: 60 };

/** Seconds in which a chunk of training, a block of a kernel, a table, or the jobs of a worker come to their end. */
const farewells: Readonly<Record<string, number>> = { train: 60, kernel: 5, sweep: 120, worker: 86_400 };

const defaultBytes = 4e9;
/** A file is read, decoded, rewritten, and held by the runtime; data are packed. */
const copiesOfFile = 10;
const mostOfMachine = 0.8;

/** A command that is told its time ends by itself soon after; this much later it is ended. */
const hardSeconds = (seconds: number): number => 1.1 * seconds + 5;

/** The limits of `lemmata ...argv`. */
export function limitsOf(argv: readonly string[]): CommandLimits {
  const command = argv[0] ?? "";
  const { option, verdict } = timed[command] ?? { option: maxTime };
  const told = positive(argv, option) ?? defaultTimeout[command];
  const most = positive(argv, maxTime);
  const own = told === undefined ? undefined : command === "run" ? told : hardSeconds(told);
  return {
    bytes: memory(argv),
    seconds: most ?? own ?? (isEndless(argv) ? undefined : defaultSeconds),
    option: most === undefined && own !== undefined ? option : maxTime,
    ...(verdict !== undefined && { verdict }),
    farewell: farewells[command] ?? 1,
  };
}

function memory(argv: readonly string[]): number {
  if (manyJobs.has(argv[0] ?? "")) return mostOfMachine * machineBytes();
  const files = argv.flatMap((word) => {
    const path = word.replace(/^--?[\w-]+=|^[^=/]+=/, "");
    return [word, path, `${path}.data`, `${path}_data`];
  });
  const read = [...new Set(files)].reduce((sum, path) => sum + sizeOf(path), 0);
  const asked = positive(argv, "--memory");
  return Math.max(memoryAllowed(asked, read), argv[0] === "run" ? memoryForRun(asked) : 0);
}

/** Bytes that a process may take: so many GB if asked for, else what suits files of so many bytes. */
export const memoryAllowed = (gigabytes: number | undefined, filesBytes = 0): number =>
  gigabytes === undefined
    ? Math.min(defaultBytes + copiesOfFile * filesBytes, mostOfMachine * machineBytes())
    : gigabytes * 1e9;

const memoryForRun = (asked: number | undefined): number => (asked === undefined ? 0 : defaultBytes);

/** A container may have less than the machine. */
function machineBytes(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function sizeOf(path: string): number {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? found.size : 0;
  } catch {
    return 0;
  }
}

/** The number after an option, `--time 3` or `--time=3`. */
function positive(argv: readonly string[], option: string): number | undefined {
  const at = argv.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  if (at < 0) return undefined;
  const text = argv[at] === option ? argv[at + 1] : argv[at]!.slice(option.length + 1);
  const value = Number(text);
  return value > 0 && value < 1e6 ? value : undefined;
}
