/** What is wrong with the input of an audit, in one line. */
export class AuditError extends Error {
  override readonly name = "AuditError";
}
