/** What training was asked for and cannot do, where, and what would be right: always one line. */
export class TrainError extends Error {
  override readonly name: string = "TrainError";

  constructor(message: string) {
    // A specification comes from the user: it may hold line breaks and terminal escapes.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
    super(message.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " "));
  }
}
