// Exact by branch and bound on input boxes: linear bounds on each box, which is halved until they say enough.

import { Clock, type SearchOptions } from "../engine/clock.ts";
import type { Graph } from "../graph/graph.ts";
import { BoxBounder } from "./linear/box-bounds.ts";
import {
  checkedBox,
  hasNoTimeLeft,
  type InputRange,
  intervalsOf,
  networkInTime,
  nonEmpty,
  type OutputBounds,
} from "./linear.ts";
import { boundInTime } from "./split/in-time.ts";
import { leastOnBox } from "./split/least.ts";

export type { SearchOptions } from "../engine/clock.ts";
export type { Alternative } from "./split/attack.ts";
export { type DecideOptions, type Decision, decide } from "./split/decide.ts";

export interface SplitBoundsOptions extends SearchOptions {
  /** Wanted distance of a bound from the true extremum, relative to 1 + its size; default 1e-6. */
  readonly tolerance?: number;
}

export interface SplitBounds extends OutputBounds {
  /** The least and greatest values that were seen: the true extrema lie between these and the bounds, up to rounding. */
  readonly attained: { readonly lower: Float64Array; readonly upper: Float64Array };
  /** Did all bounds come within the tolerance? */
  readonly complete: boolean;
  readonly boxes: number;
  readonly seconds: number;
}

/**
 * Bounds of every output on a box, as near to its true minimum and maximum as the time allows; proved.
 * @example (await splitBounds(net, { lower: [0], upper: [1] }, { seconds: 5 })).complete // true
 */
export async function splitBounds(
  graph: Graph,
  range: InputRange,
  options: SplitBoundsOptions = {},
): Promise<SplitBounds> {
  const { tolerance = 1e-6, onProgress, signal, seconds } = options;
  const clock = new Clock(options);
  const early = seconds === undefined ? undefined : intervalsOf(graph, range, hasNoTimeLeft(clock));
  const network = networkInTime(graph, early ? clock : undefined);
  if (!network) return { ...early!, ...nothingSeen(early!), boxes: 0, seconds: clock.seconds };
  const box = checkedBox(network, range);
  const bounder = new BoxBounder(network);
  const known = await boundInTime(bounder, box, clock);
  const count = network.outputNames.length;
  const { attained } = nothingSeen({ names: network.outputNames });
  const [lower, upper] = [new Float64Array(count), new Float64Array(count)];
  let [boxes, complete] = [0, true];
  for (let n = 0; n < 2 * count; n++) {
    const [k, sign] = [n >> 1, n % 2 ? -1 : 1];
    const left = seconds === undefined ? undefined : Math.max(0, seconds - clock.seconds) / (2 * count - n);
    const found = await leastOnBox(bounder, known, k, sign, tolerance, {
      signal,
      seconds: left,
      onProgress: (_, looked) => onProgress?.(n / (2 * count), boxes + looked),
    });
    const plain = early ? (sign > 0 ? early.lower[k]! : -early.upper[k]!) : Number.NEGATIVE_INFINITY;
    (sign > 0 ? lower : upper)[k] = sign * Math.max(found.least, plain);
    (sign > 0 ? attained.lower : attained.upper)[k] = sign * found.attained;
    boxes += found.boxes;
    complete &&= found.complete;
    onProgress?.((n + 1) / (2 * count), boxes);
  }
  const names = network.outputNames;
  return nonEmpty({ names, lower, upper, attained, complete, boxes, seconds: clock.seconds });
}

/** Before any point was looked at. */
const nothingSeen = ({ names }: Pick<OutputBounds, "names">) => ({
  attained: {
    lower: new Float64Array(names.length).fill(Number.POSITIVE_INFINITY),
    upper: new Float64Array(names.length).fill(Number.NEGATIVE_INFINITY),
  },
  complete: false,
});
