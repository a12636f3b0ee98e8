import { ReadableError } from "../graph/error.ts";

/**
 * What is wrong with a grid, a job or a column, and what would be right.
 * @example new SweepError("no values").name // "SweepError"
 */
export class SweepError extends ReadableError {
  override readonly name = "SweepError";
}
