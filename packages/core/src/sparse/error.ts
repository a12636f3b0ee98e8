import { ReadableError } from "../graph/error.ts";

/** What is wrong with a memory, a mask or a graph of connections, in one line. */
export class SparseError extends ReadableError {
  override readonly name = "SparseError";
}
