import { printableLine } from "./printable.ts";

/**
 * An error for the reader: its message is one line that can be printed, whatever names from a file it quotes.
 * @example new ReadableError("a\nb").message.includes("\n") // false
 */
export class ReadableError extends Error {
  /** By which who prints it knows it, without loading the library. */
  readonly isReadable = true;
  constructor(message: string) {
    super(printableLine(message));
  }
}

/**
 * What is wrong with a graph or a model file, and where.
 * @example new GraphError("no input x") instanceof ReadableError // true
 */
export class GraphError extends ReadableError {
  override readonly name = "GraphError";
}
