import { ReadableError } from "../graph/error.ts";

/** Why a graph could not be run: what was wrong with the inputs or what the runtime refused. */
export class EngineError extends ReadableError {
  override readonly name = "EngineError";
}
