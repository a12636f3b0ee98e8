/** What cannot be approximated by local polynomials, and why: always one line. */
export class SobolevError extends Error {
  override readonly name: string = "SobolevError";
}
