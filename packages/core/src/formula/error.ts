import { ReadableError } from "../graph/error.ts";

/** What cannot be compiled, where in the formula or at which node, and why: always one line. */
export class CompileError extends ReadableError {
  override readonly name: string = "CompileError";
}
