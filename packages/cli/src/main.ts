// The command line's frame: parses, runs one command, and turns every error into one line and an exit code.
import { errorLine, isFromCommander, isReadable, printableMessage } from "./error-line.ts";
import { undecided } from "./exit-code.ts";
import { formulaLast } from "./formula-last.ts";
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
    const isSilent = interrupted && !isReadable(error); // of an abort by itself, only that it was one is worth saying
    process.stderr.write(`${isSilent ? "lemmata: interrupted" : errorLine(error)}\n`);
    if (process.env["LEMMATA_DEBUG"] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    (await import("./guarded.ts")).endLeftThreads();
  }
}

/** The reader went away (`lemmata theory list | head -1`), or the disk is full: what was asked for is not there. */
function outputLost(error: NodeJS.ErrnoException): void {
  const reason =
    error.code === "EPIPE" ? "nobody reads it" : error.code === "ENOSPC" ? "the disk is full" : error.message;
  process.stderr.write(`lemmata: the output cannot be written: ${printableMessage(reason)}\n`);
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
