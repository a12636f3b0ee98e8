// What a check says of a model: it agrees, it refuses in one clear line, or it is a finding.

import { DataError } from "../../src/data/error.ts";
import { EngineError } from "../../src/engine/error.ts";
import { SymmetryError } from "../../src/equivalence/error.ts";
import { ConstructError } from "../../src/functions/error.ts";
import { GraphError } from "../../src/graph/error.ts";

/** Something false, or an error that says nothing. */
export class Finding extends Error {}

export type Verdict = "agrees" | "refused";

const isClear = (error: unknown): error is Error =>
  [GraphError, EngineError, SymmetryError, ConstructError, DataError].some((kind) => error instanceof kind);

/** What f gives, or undefined where it refuses clearly; any other error is a finding. */
export function orRefusal<T>(f: () => T): T | undefined {
  try {
    return f();
  } catch (error) {
    return refusal(error);
  }
}

export async function orRefusalLater<T>(f: () => Promise<T>): Promise<T | undefined> {
  try {
    return await f();
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): undefined {
  if (error instanceof Finding) throw error;
  if (isClear(error) && error.message.length > 0 && !/\n|undefined|NaN,/.test(error.message))
    return undefined;
  throw new Finding(
    `an unclear error: ${error instanceof Error ? `${error.name}: ${error.message}` : error}`,
  );
}
