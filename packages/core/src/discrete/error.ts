import { ReadableError } from "../graph/error.ts";

/** What is wrong with a table, a circuit or a machine, and where, in one line. */
export class DiscreteError extends ReadableError {
  override readonly name = "DiscreteError";
}
