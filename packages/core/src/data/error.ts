/** What is wrong with a data file, and where: always one line, which starts with the file's name if known. */
export class DataError extends Error {
  override readonly name = "DataError";

  constructor(message: string, file?: string) {
    super(oneLine(file ? `${file}: ${message}` : message));
  }
}

/** A hostile file can put line breaks and terminal escapes into a message. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");

/** A piece of a file in an error message: quoted, and cut when long. `quote("a".repeat(99))` is short. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
