import { UsageError } from "./usage-error.ts";

/** One of several words, or an error that lists them. */
export function oneOf<T extends string>(option: string, given: string, words: readonly T[]): T {
  const found = words.find((word) => word === given);
  if (found === undefined) throw new UsageError(`${option} ${given}: choose one of ${words.join(", ")}`);
  return found;
}
