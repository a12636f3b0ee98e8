// What a method gives: one number for each number of the input.
import type { Point } from "../score-model.ts";

export interface Attribution {
  readonly relevance: Point;
  /** What it should add up to, where it should. */
  readonly expected?: number;
  readonly details: Readonly<Record<string, number>>;
}
