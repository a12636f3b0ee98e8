import { ReadableError } from "../../graph/error.ts";

/** What was asked of a Barron function, a measure over units or a bound, and what would be right: always one line. */
export class BarronError extends ReadableError {
  override readonly name: string = "BarronError";
}

/** A whole number, at least `least`. */
export function requireCount(what: string, count: number, least = 1): void {
  if (!Number.isSafeInteger(count) || count < least)
    throw new BarronError(`${what} is a whole number, at least ${least}, not ${count}`);
}

/** A positive, finite number. */
export function requirePositive(what: string, value: number): void {
  if (!(value > 0 && value < Number.POSITIVE_INFINITY))
    throw new BarronError(`${what} is a positive number, not ${value}`);
}
