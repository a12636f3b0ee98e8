/** Why a graph could not be run: what was wrong with the inputs or what the runtime refused. */
export class EngineError extends Error {
  override readonly name = "EngineError";
}
