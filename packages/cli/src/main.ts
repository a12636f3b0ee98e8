// The command line's frame: parses, runs one command, and turns every error into one line and an exit code.
import { CommanderError } from "commander";
import { createProgram } from "./program.ts";

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
    await createProgram().parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const interrupted = error instanceof Error && error.name === "AbortError";
    process.exitCode = interrupted ? 130 : badInput;
    process.stderr.write(`${interrupted ? "lemmata: interrupted" : oneLine(error)}\n`);
    if (process.env["LEMMATA_DEBUG"] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  }
}

const expected = new Set(["GraphError", "EngineError", "DataError", "TheoryError", "UsageError"]);

function oneLine(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const text = message
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    .trim();
  if (error instanceof CommanderError)
    return `lemmata: ${text.replace(/\.$/, "")} (--help shows what there is)`;
  return expected.has(name)
    ? `lemmata: ${text}`
    : `lemmata: internal error (please report): ${name}: ${text}`;
}
