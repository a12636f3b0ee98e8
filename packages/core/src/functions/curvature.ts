// What functions that bend are made of: where they bend which way, and numbers that no double is.
import { type Interval, nextDown, nextUp, point, type RealFunction } from "../numbers/interval/index.ts";
import type { Bend, Curvature } from "./bends.ts";

/** A number that no double is, between its neighbours. */
export const near = (x: number): Interval => ({ lower: nextDown(x), upper: nextUp(x) });

/** One way everywhere. */
export const always =
  (way: 1 | 0 | -1): (() => Curvature) =>
  () => ({ turns: [], ways: [way] });

/** One way up to 0, the other way from there. */
export const turning = (before: 1 | -1): Bend["curvature"] => {
  const curvature: Curvature = { turns: [point(0)], ways: [before, before > 0 ? -1 : 1] };
  return () => curvature;
};

/** Concave, convex around 0, concave again. */
export const hump =
  (left: Interval, right: Interval): Bend["curvature"] =>
  () => ({ turns: [left, right], ways: [-1, 1, -1] });

export const bend = (
  name: string,
  value: RealFunction,
  slope: RealFunction,
  curvature: Bend["curvature"],
): Bend => ({
  name,
  value,
  slope,
  curvature,
});
