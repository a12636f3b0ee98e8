import { ReadableError } from "../graph/error.ts";

/** What training was asked for and cannot do, where, and what would be right: always one line. */
export class TrainError extends ReadableError {
  override readonly name: string = "TrainError";
}
