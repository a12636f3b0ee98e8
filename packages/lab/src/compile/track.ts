// The track of a range control: how far its thumbs reach, and in which steps.
import { roundUp } from "./ticks.ts";

export interface Track {
  readonly lower: number;
  readonly upper: number;
  readonly step: number;
}

/** A place without the digits that rounding leaves. */
const clean = (x: number): number => Number(x.toPrecision(9));

/** The length of an interval; a point has one, too, so that it can be pulled apart. */
const lengthOf = (lower: number, upper: number): number =>
  upper > lower ? upper - lower : Math.max(1, Math.abs(lower) / 2);

/** A track on which both ends of an interval have its length as room to move, between round numbers. */
export function trackFor(lower: number, upper: number): Track {
  if (!Number.isFinite(lower) || !Number.isFinite(upper)) return { lower: -3, upper: 3, step: 0.01 };
  const [low, high] = [Math.min(lower, upper), Math.max(lower, upper)];
  const length = lengthOf(low, high);
  const coarse = roundUp(length / 4);
  return {
    lower: clean(Math.floor((low - length) / coarse) * coarse),
    upper: clean(Math.ceil((high + length) / coarse) * coarse),
    step: clean(coarse / 50),
  };
}

/** Does an interval need another track: is it outside, at an end, or too short to be held? */
export function isOutgrown(track: Track, lower: number, upper: number): boolean {
  const room = track.upper - track.lower;
  return lower <= track.lower || upper >= track.upper || lengthOf(lower, upper) < room / 12;
}

/** A value that a thumb of the track shows. */
export const onTrack = clean;
