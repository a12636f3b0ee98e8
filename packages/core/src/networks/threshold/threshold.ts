// Hard thresholds from two ReLUs: exact steps, and exact indicators of intervals, on fixed-point numbers.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network } from "../layers/layers.ts";

const greatestWeight = Number.MAX_VALUE;

function requireWidth(what: string, width: number): void {
  if (!(width > 0)) throw new ConstructError(`${what} must be positive, not ${width}`);
  if (1 / width > greatestWeight)
    throw new ConstructError(
      `${what} = ${width} asks for the weight 1 / ${width}, which no double holds: use fixed point`,
    );
}

/**
 * (relu(x + e) - relu(x - e)) / (2 e): 0 up to -e, 1 from e on, 1/2 at 0. Two units.
 * @example hardThreshold(0.25) // exact on the multiples of 1/4 but 0
 */
export function hardThreshold(e: number): Graph {
  requireWidth("the width 2 e of a hard threshold", 2 * e);
  const weight = 1 / (2 * e);
  return network([layer([[1], [1]], [e, -e]), layer([[weight, -weight]])], { name: "hard_threshold" });
}

/**
 * The indicator of [from, to) on the multiples of `spacing`, two hard thresholds half a spacing below its ends:
 * no number of the grid lies on a ramp. Four units.
 * @example gridIndicator(0.25, 0.75, 0.125) // 1 at 0.25, 0.375, 0.5, 0.625 and 0 at all other multiples of 1/8
 */
export function gridIndicator(from: number, to: number, spacing: number): Graph {
  requireWidth("the spacing of a grid", spacing);
  if (!(to - from >= spacing))
    throw new ConstructError(`[${from}, ${to}) is narrower than the spacing ${spacing} of the grid`);
  const weight = 1 / spacing;
  const edges = [from - spacing, from, to - spacing, to]; // (from - spacing/2) -+ e with e = spacing/2
  return network(
    [
      layer(
        edges.map(() => [1]),
        edges.map((t) => 0 - t),
      ),
      layer([[weight, -weight, -weight, weight]]),
    ],
    { name: "grid_indicator" },
  );
}
