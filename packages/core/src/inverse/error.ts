import { ReadableError } from "../graph/error.ts";

/** What is wrong with an operator, a prior or measurements, in one line. */
export class InverseError extends ReadableError {
  override readonly name = "InverseError";
}
