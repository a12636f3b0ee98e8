// An error as one line for the reader.
import { printableLine } from "@lemmata/core/printable";
import type { CommanderError } from "commander";

/** Told by its code, so that the guard, which only starts a second process, need not load commander. */
export const isFromCommander = (error: unknown): error is CommanderError =>
  error instanceof Error && "code" in error && String(error.code).startsWith("commander.");

/** An error whose message is for the reader says so itself, so that none is forgotten here. */
export const isReadable = (error: unknown): boolean =>
  error instanceof Error && "isReadable" in error && error.isReadable === true;

const longestLine = 500;

/** What JavaScript says when a size is beyond it: of a model, since our own sizes are small. */
const beyondSize =
  /Array buffer allocation failed|Invalid (typed )?array length|Invalid array buffer length|Invalid string length|maximum size exceeded|out of memory|BigInt too big|offset is out of bounds|too large to be/i;

/** `lemmata: what was wrong, and where` */
export function errorLine(error: unknown): string {
  if (error instanceof RangeError && beyondSize.test(error.message))
    return "lemmata: a tensor is larger than can be held in memory";
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return "lemmata: the model or the formula is nested too deeply";
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const text = printableMessage(message.replace(/^error: /, ""));
  if (isFromCommander(error)) return `lemmata: ${text.replace(/\.$/, "")} (--help shows what there is)`;
  return isReadable(error) ? `lemmata: ${text}` : `lemmata: internal error (please report): ${name}: ${text}`;
}

/** One line of sane length, whatever names a model has. */
export function printableMessage(message: string): string {
  const text = printableLine(message.replace(/\s*\n\s*/g, " ").trim());
  return text.length > longestLine
    ? `${text.slice(0, 0.7 * longestLine)} ... ${text.slice(-0.3 * longestLine)}`
    : text;
}
