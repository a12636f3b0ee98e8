import { ReadableError } from "../graph/error.ts";

/** What a construction was asked for and cannot build, and what would be right. */
export class ConstructError extends ReadableError {
  override readonly name: string = "ConstructError";
}
