import { ReadableError } from "../graph/error.ts";

/** What is wrong with a filter bank, a signal or a path, in one line. */
export class ScatteringError extends ReadableError {
  override readonly name: string = "ScatteringError";
}
