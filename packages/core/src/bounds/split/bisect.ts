// Boxes and their halves.

import type { Steps } from "../../engine/steps.ts";
import type { BoxBounder, LowerForm } from "../linear/box-bounds.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";

/** A box to look at, what is known of a box around it, and its share of the work. */
export interface Part {
  readonly box: Box;
  readonly around: BoxBounds | undefined;
  readonly share: number;
}

/** The number with the fewest digits (in base 2) between two: points of such numbers are where functions touch 0. */
export function simplest(lower: number, upper: number): number {
  if (lower <= 0 && upper >= 0) return 0;
  if (upper < 0) return -simplest(-upper, -lower);
  for (let unit = 2 ** Math.floor(Math.log2(upper)); unit > 0; unit /= 2) {
    const multiple = Math.ceil(lower / unit) * unit;
    if (multiple <= upper) return multiple;
  }
  return lower;
}

export const middle = ({ lower, upper }: Box): Float64Array =>
  lower.map((l, i) => Math.min(upper[i]!, l + (upper[i]! - l) / 2));

/** Bounds on a part, from those around it where there are any; the bounder's lines are then those of this part. */
export const boundingOf = (bounder: BoxBounder, { box, around }: Part): Steps<BoxBounds> =>
  around ? bounder.boundingPart(box, around) : bounder.bounding(box);

/**
 * The input to halve: the one that most of the forms' gap on `whole` is due to (`scores`), or, where there is no gap or
 * too many inputs to tell, the one that moves the forms most. Undefined when no input is wider than its least width and
 * has a double between its bounds.
 */
export function inputToHalve(
  scores: Float64Array,
  whole: Box,
  forms: readonly LowerForm[],
  { lower, upper }: Box,
  leastWidth: (input: number) => number = () => 0,
): number | undefined {
  const gaps = scores.some((s) => s > 0);
  let [best, greatest] = [-1, -1];
  for (let i = 0; i < lower.length; i++) {
    const width = upper[i]! - lower[i]!;
    const at = lower[i]! + width / 2;
    if (!(at > lower[i]! && at < upper[i]!) || width <= leastWidth(i)) continue;
    const slope = forms.reduce((sum, { slopes }) => sum + Math.abs(slopes[i]!), 0);
    const score = gaps ? (scores[i]! * width) / (whole.upper[i]! - whole.lower[i]!) : slope * width;
    if (score > greatest) [best, greatest] = [i, score];
  }
  return best < 0 ? undefined : best;
}

/** Both halves along an input. */
export function halves(box: Box, input: number, around: BoxBounds, share: number): [Part, Part] {
  const at = middle(box)[input]!;
  const [upper, lower] = [box.upper.slice(), box.lower.slice()];
  upper[input] = at;
  lower[input] = at;
  return [
    { box: { lower: box.lower, upper }, around, share: share / 2 },
    { box: { lower, upper: box.upper }, around, share: share / 2 },
  ];
}

/** The widest input that has a double between its bounds. */
export function widest({ lower, upper }: Box): number | undefined {
  let [input, greatest]: [number | undefined, number] = [undefined, 0];
  for (let i = 0; i < lower.length; i++) {
    const width = upper[i]! - lower[i]!;
    const at = lower[i]! + width / 2;
    if (width > greatest && at > lower[i]! && at < upper[i]!) [input, greatest] = [i, width];
  }
  return input;
}
