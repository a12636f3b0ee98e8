// Bounds of the outputs of a network that is too large to be written out row by row.
import { Clock, type SearchOptions } from "../../engine/clock.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Target } from "../linear/back-substitution.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";
import { TensorBounder, usualWork } from "./bounder.ts";
import { lowerTensors } from "./lowering.ts";
import type { TensorNetwork } from "./operator.ts";

const networks = new WeakMap<Graph, TensorNetwork>();

/** The layers of a graph, made once; a `TimeOver` once `isOver`. */
export function tensorNetworkOf(graph: Graph, isOver?: () => boolean): TensorNetwork {
  const network = networks.get(graph) ?? lowerTensors(graph, isOver);
  networks.set(graph, network);
  return network;
}

/** Of a limited time, the share that bounds of rows may take. */
const shareOfRows = 0.6;

/** Lower bounds of targets, and the bounds of all rows that they rest on. */
export interface TargetBounds {
  readonly leasts: Float64Array;
  readonly known: BoxBounds;
  /** Do all rows have back-substituted bounds, and all targets? */
  readonly complete: boolean;
}

/**
 * Proved lower bounds of targets on a box. Without a limit of time there is one of work, so that the same is found again.
 * A `TimeOver` once `isOver`.
 */
export async function tensorLeasts(
  network: TensorNetwork,
  box: Box,
  targets: readonly Target[],
  options: SearchOptions & { readonly work?: number },
  isOver?: () => boolean,
): Promise<TargetBounds> {
  const clock = new Clock(options);
  const { seconds, onProgress } = options;
  const bounder = new TensorBounder(network);
  const work = options.work ?? (seconds === undefined ? usualWork : Number.POSITIVE_INFINITY);
  const limits = { clock, work, ...(isOver && { isOver }) };
  const known = await bounder.bound(box, {
    ...limits,
    rowsUntil: shareOfRows * (seconds ?? Number.POSITIVE_INFINITY),
    onProgress: (share) => onProgress?.(shareOfRows * share, 1),
  });
  const leasts = await bounder.leasts(targets, known, {
    ...limits,
    onProgress: (share) => onProgress?.(shareOfRows + (1 - shareOfRows) * share, 1),
  });
  const complete = bounder.left === 0 && !leasts.includes(Number.NEGATIVE_INFINITY);
  return { leasts, known, complete };
}
