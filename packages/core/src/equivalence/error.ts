import { ReadableError } from "../graph/error.ts";

/** What is wrong with a symmetry, a network or an option; the message says what would be right. */
export class SymmetryError extends ReadableError {
  override readonly name = "SymmetryError";
}
