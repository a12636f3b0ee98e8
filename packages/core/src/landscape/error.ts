import { ReadableError } from "../graph/error.ts";

/** What is wrong with a point, its data or a certificate asked for, in one line. */
export class LandscapeError extends ReadableError {
  override readonly name = "LandscapeError";
}
