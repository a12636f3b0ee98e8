// A measure that a rule is missing for has a reason in place of a number.
import { EngineError } from "../engine/error.ts";
import { GraphError } from "../graph/error.ts";

/** What is computed, or the line that says what stands in its way. */
export async function unlessMissing<T>(
  compute: () => T | Promise<T>,
): Promise<T | { readonly reason: string }> {
  try {
    return await compute();
  } catch (error) {
    if (error instanceof GraphError || error instanceof EngineError) return { reason: error.message };
    throw error;
  }
}
