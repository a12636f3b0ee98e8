// The command line's frame: parses, runs one command, and turns every error into one line and an exit code.
import { printableLine } from "@lemmata/core/printable";
import type { CommanderError } from "commander";
import { undecided } from "./exit-code.ts";
import { Undecided } from "./usage-error.ts";

/** Bad input: what was wrong, and what would be right. */
export const badInput = 2;

/** Runs the command line on these arguments and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  process.stdout.on("error", outputLost);
  process.stderr.on("error", () => {});
  try {
    await runCommand(argv);
  } catch (error) {
    if (isFromCommander(error) && error.exitCode === 0) return;
    const interrupted = error instanceof Error && error.name === "AbortError";
    process.exitCode = interrupted ? 130 : error instanceof Undecided ? undecided : badInput;
    process.stderr.write(`${interrupted ? "lemmata: interrupted" : oneLine(error)}\n`);
    if (process.env["LEMMATA_DEBUG"] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  }
}

/** The reader went away (`lemmata theory list | head -1`), or the disk is full: what was asked for is not there. */
function outputLost(error: NodeJS.ErrnoException): void {
  const reason =
    error.code === "EPIPE" ? "nobody reads it" : error.code === "ENOSPC" ? "the disk is full" : error.message;
  process.stderr.write(`lemmata: the output cannot be written: ${printable(reason)}\n`);
  process.exit(badInput);
}

/** What reads no file and does not work for long; everything else runs in a process that is watched. */
const unguarded = new Set(["lab", "completion", "help", "theory list", "theory show", "theory help"]);
const isGuardedCommand = ([command = "", second = ""]: readonly string[]): boolean =>
  /^[a-z]/.test(command) &&
  !unguarded.has(command) &&
  !(command === "theory" && (second === "" || unguarded.has(`theory ${second}`)));
const asksForHelp = (words: readonly string[]): boolean =>
  words.some((word) => word === "--help" || word === "-h");

/** ONNX Runtime reads the command line of its process and crashes on one of 30,000 characters: such words go another way. */
const longestCommandLine = 8000;

async function runCommand(words: readonly string[]): Promise<void> {
  const { endWithGuard, isGuarded, tellGuard, wordsFromGuard } = await import("./guarded.ts");
  const argv = isGuarded() && words.length === 0 ? await wordsFromGuard() : words;
  const isLong = words.reduce((sum, word) => sum + word.length, 0) > longestCommandLine;
  if (!isGuarded() && (isLong || (isGuardedCommand(argv) && !asksForHelp(argv))))
    return (await import("./guard.ts")).guard(argv, { isLong });
  if (isGuarded()) await endWithGuard();
  const { createProgram } = await import("./program.ts");
  await createProgram().parseAsync(formulaLast(argv), { from: "user" });
  if (isGuarded()) await tellGuard("done"); // to let go of a large model takes time, which is nobody's
}

/** A formula may begin with a minus, which is no option: it goes to the end, behind "--". */
function formulaLast([command, ...rest]: readonly string[]): string[] {
  const all = command === undefined ? [] : [command, ...rest];
  const at = rest.findIndex((word, k) => /^-[^-]/.test(word) && !/^--/.test(rest[k - 1] ?? ""));
  if (command !== "compile" || at < 0 || rest[at] === "-h" || rest.includes("--")) return all;
  return [command, ...rest.slice(0, at), ...rest.slice(at + 1), "--", rest[at]!];
}

/** Told by its code, so that the guard, which only starts a second process, need not load commander. */
const isFromCommander = (error: unknown): error is CommanderError =>
  error instanceof Error && "code" in error && String(error.code).startsWith("commander.");

/** An error whose message is for the reader says so itself, so that none is forgotten here. */
const isReadable = (error: unknown): boolean =>
  error instanceof Error && "isReadable" in error && error.isReadable === true;

const longestLine = 500;

/** What JavaScript says when a size is beyond it: of a model, since our own sizes are small. */
const beyondSize =
  /Array buffer allocation failed|Invalid (typed )?array length|Invalid array buffer length|Invalid string length|maximum size exceeded|out of memory|BigInt too big|offset is out of bounds|too large to be/i;

function oneLine(error: unknown): string {
  if (error instanceof RangeError && beyondSize.test(error.message))
    return "lemmata: a tensor is larger than can be held in memory";
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return "lemmata: the model or the formula is nested too deeply";
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const text = printable(message.replace(/^error: /, ""));
  if (isFromCommander(error)) return `lemmata: ${text.replace(/\.$/, "")} (--help shows what there is)`;
  return isReadable(error) ? `lemmata: ${text}` : `lemmata: internal error (please report): ${name}: ${text}`;
}

/** One line of sane length, whatever names a model has. */
function printable(message: string): string {
  const text = printableLine(message.replace(/\s*\n\s*/g, " ").trim());
  return text.length > longestLine
    ? `${text.slice(0, 0.7 * longestLine)} ... ${text.slice(-0.3 * longestLine)}`
    : text;
}
