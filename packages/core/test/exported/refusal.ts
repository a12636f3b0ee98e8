// Refusals of passes: one line, meant for users.
import { expect } from "vitest";
import { GraphError } from "../../src/graph/error.ts";

function expectRefusal(error: unknown): void {
  expect(error).toBeInstanceOf(GraphError);
  expect((error as Error).message).toMatch(/^[^\n]+$/);
}

/** What a pass finds, or undefined where it refuses the model. */
export function orRefused<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    expectRefusal(error);
    return undefined;
  }
}

/** The same for what is found in time. */
export const orRefusedLater = <T>(find: () => Promise<T>): Promise<T | undefined> =>
  find().catch((error: unknown) => {
    expectRefusal(error);
    return undefined;
  });
