import { ReadableError } from "../graph/error.ts";

/** What is wrong with the input of an audit, in one line. */
export class AuditError extends ReadableError {
  override readonly name = "AuditError";
}
