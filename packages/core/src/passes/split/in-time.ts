// Bounds on all of a box within a time.
import type { Box, BoxBounder, BoxBounds } from "../linear-bounds/box-bounds.ts";
import { finished } from "../linear-bounds/steps.ts";
import type { Clock } from "./clock.ts";

/** Bounds on all of a box; when the time is over, the rest of them by intervals. */
export async function boundInTime(bounder: BoxBounder, box: Box, clock: Clock): Promise<BoxBounds> {
  const steps = bounder.bounding(box);
  const known = await clock.finish(steps);
  bounder.hurried = known === undefined;
  const whole = known ?? finished(steps);
  bounder.hurried = false;
  return whole;
}
