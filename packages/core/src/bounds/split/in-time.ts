// Bounds on all of a box within a time.

import type { Clock } from "../../engine/clock.ts";
import { finished } from "../../engine/steps.ts";
import type { BoxBounder } from "../linear/box-bounds.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";

/** Bounds on all of a box; when the time is over, the rest of them by intervals. */
export async function boundInTime(bounder: BoxBounder, box: Box, clock: Clock): Promise<BoxBounds> {
  const steps = bounder.bounding(box);
  const known = await clock.finish(steps);
  bounder.hurried = known === undefined;
  const whole = known ?? finished(steps);
  bounder.hurried = false;
  return whole;
}
