// The command line's frame: parses, runs one command, and turns every error into one line and an exit code.
import type { CommanderError } from "commander";

/** Bad input: what was wrong, and what would be right. */
export const badInput = 2;

/** Runs the command line on these arguments and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that goes away (`lemmata theory list | head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  try {
    await runCommand(argv);
  } catch (error) {
    if (isFromCommander(error) && error.exitCode === 0) return;
    const interrupted = error instanceof Error && error.name === "AbortError";
    process.exitCode = interrupted ? 130 : badInput;
    process.stderr.write(`${interrupted ? "lemmata: interrupted" : oneLine(error)}\n`);
    if (process.env["LEMMATA_DEBUG"] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  }
}

/**
 * Commands that hand a model to ONNX Runtime, which may bring its process down: `verify` and `compare` replay their witnesses there.
 * `bound` never runs the model.
 */
const guardedCommands = new Set(["run", "verify", "compare", "audit"]);

/** ONNX Runtime reads the command line of its process and crashes on one of 30,000 characters: such words go another way. */
const longestCommandLine = 8000;

async function runCommand(words: readonly string[]): Promise<void> {
  const { isGuarded, wordsFromGuard } = await import("./guarded.ts");
  const argv = isGuarded() && words.length === 0 ? await wordsFromGuard() : words;
  const isLong = words.reduce((sum, word) => sum + word.length, 0) > longestCommandLine;
  if (!isGuarded() && (isLong || guardedCommands.has(argv[0] ?? "")))
    return (await import("./guard.ts")).guard(argv, { isLong });
  const { createProgram } = await import("./program.ts");
  await createProgram().parseAsync(formulaLast(argv), { from: "user" });
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

const expected = new Set([
  "GraphError",
  "EngineError",
  "DataError",
  "TheoryError",
  "TrainError",
  "SymmetryError",
  "ConstructError",
  "CompileError",
  "SobolevError",
  "BarronError",
  "InterpolationFailure",
  "AuditError",
  "UsageError",
]);

const longestLine = 500;

function oneLine(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const text = printable(message.replace(/^error: /, ""));
  if (isFromCommander(error)) return `lemmata: ${text.replace(/\.$/, "")} (--help shows what there is)`;
  return expected.has(name)
    ? `lemmata: ${text}`
    : `lemmata: internal error (please report): ${name}: ${text}`;
}

/** One line of sane length, whatever names a model has: nothing in it moves the cursor or turns the text around. */
function printable(message: string): string {
  const text = message.replace(/\s*\n\s*/g, " ").trim();
  const short =
    text.length > longestLine
      ? `${text.slice(0, 0.7 * longestLine)} ... ${text.slice(-0.3 * longestLine)}`
      : text;
  return short.replace(
    /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
