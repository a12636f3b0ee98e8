import { ReadableError } from "../graph/error.ts";

/** What is wrong with a data file, and where: always one line, which starts with the file's name if known. */
export class DataError extends ReadableError {
  override readonly name = "DataError";

  constructor(message: string, file?: string) {
    super(file ? `${file}: ${message}` : message);
  }
}

/** A piece of a file in an error message: quoted, and cut when long. `quote("a".repeat(99))` is short. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
