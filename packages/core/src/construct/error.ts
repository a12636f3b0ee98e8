/** What a construction was asked for and cannot build, and what would be right. */
export class ConstructError extends Error {
  override readonly name: string = "ConstructError";
}
