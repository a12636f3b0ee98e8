import { ReadableError } from "../graph/error.ts";

/** What is wrong with what is to be explained, in one line. */
export class ExplainError extends ReadableError {
  override readonly name = "ExplainError";
}
