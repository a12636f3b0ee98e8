import { ReadableError } from "../../graph/error.ts";

/** What cannot be approximated by local polynomials, and why: always one line. */
export class SobolevError extends ReadableError {
  override readonly name: string = "SobolevError";
}
