// What has no kernel, or does not fit its data.
import { ReadableError } from "../graph/error.ts";

/** What a kernel was asked for and cannot be, where, and what would be right: always one line. */
export class KernelError extends ReadableError {
  override readonly name: string = "KernelError";
}
