/** A command used wrongly, or a file that cannot be read or written; the message says what would be right. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly isReadable = true;
}

/** Nothing was shown either way; the message says why, and the exit code that it is so. */
export class Undecided extends UsageError {}
