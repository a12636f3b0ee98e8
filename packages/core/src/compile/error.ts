/** What cannot be compiled, where in the formula or at which node, and why: always one line. */
export class CompileError extends Error {
  override readonly name: string = "CompileError";
}
