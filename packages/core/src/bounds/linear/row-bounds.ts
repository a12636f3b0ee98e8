import type { Sizes } from "./back-substitution.ts";

/** What is known on a box; that of a box around it is a start for the next. */
export interface BoxBounds {
  readonly box: Box;
  readonly rowLower: Float64Array;
  readonly rowUpper: Float64Array;
  readonly sizes: Sizes;
}

/** Bounds of inputs, flat. */
export interface Box {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}
