// A job: a task with the point of the grid that it belongs to, known by a key that is the same everywhere.
import { sha256 } from "../check/certificate.ts";
import type { Point } from "./grid.ts";

export interface Job<Task = unknown> {
  /** The same for the same task and parameters, on every machine and every day. */
  readonly key: string;
  readonly parameters: Point;
  readonly task: Task;
}

/**
 * JSON whose text does not depend on the order in which an object was made.
 * @example canonicalJson({ b: 1, a: [2] }) // '{"a":[2],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(",")}}`;
}

/** Hexadecimal digits of a key: 128 bits, so that no two of a billion jobs share one. */
const keyDigits = 32;

/**
 * A stable hash of what is to be done.
 * @example await jobKey({ b: 1, a: 2 }) === await jobKey({ a: 2, b: 1 }) // true
 */
export const jobKey = async (value: unknown): Promise<string> =>
  (await sha256(new TextEncoder().encode(canonicalJson(value)))).slice(0, keyDigits);

/**
 * A task at a point of a grid, with its key.
 * @example (await makeJob({ lemma: "T-27" }, { i: 3 })).parameters // { i: 3 }
 */
export const makeJob = async <Task>(task: Task, parameters: Point): Promise<Job<Task>> => ({
  key: await jobKey({ task, parameters }),
  parameters,
  task,
});

/** The same at once, by whoever has SHA-256 without waiting: a grid has many points. */
export const makeJobAtOnce = <Task>(
  task: Task,
  parameters: Point,
  sha256Of: (text: string) => string,
): Job<Task> => ({
  key: sha256Of(canonicalJson({ task, parameters })).slice(0, keyDigits),
  parameters,
  task,
});
