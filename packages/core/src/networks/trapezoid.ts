// Trapezoids: indicators of intervals with ramps, from four ReLUs.

import { ConstructError } from "../functions/error.ts";
import type { Graph } from "../graph/graph.ts";
import { layer, network } from "./layers/layers.ts";

/** Where the ramps of width eta lie: right of both ends of [from, to), as printed; centred on them; or outside. */
export type Ramps = "right" | "centred" | "outside";

export interface TrapezoidOptions {
  readonly ramps?: Ramps;
}

/** By how much the two ramps start before `from` and before `to`, in units of eta. */
const shifts: Readonly<Record<Ramps, readonly [number, number]>> = {
  right: [0, 0],
  centred: [0.5, 0.5],
  outside: [1, 0],
};

/**
 * R(x) = (relu(x - u) - relu(x - u - eta) - relu(x - v) + relu(x - v - eta)) / eta, with u = from and v = to for
 * ramps at the right: then the squared L2 distance to the indicator of [from, to) is 2 eta / 3, the L1 distance eta.
 * @example trapezoid(0.25, 0.75, 0.125) // knots 0.25, 0.375, 0.75, 0.875
 */
export function trapezoid(
  from: number,
  to: number,
  eta: number,
  { ramps = "right" }: TrapezoidOptions = {},
): Graph {
  if (!(eta > 0) || 1 / eta > Number.MAX_VALUE)
    throw new ConstructError(
      `the ramps of a trapezoid have a positive width with a finite inverse, not ${eta}`,
    );
  const [u, v] = [from - shifts[ramps][0] * eta, to - shifts[ramps][1] * eta];
  if (!(v - u >= eta)) throw new ConstructError(`ramps of width ${eta} overlap: they start at ${u} and ${v}`);
  const knots = [u, u + eta, v, v + eta];
  const height = 1 / eta;
  return network(
    [
      layer(
        knots.map(() => [1]),
        knots.map((t) => 0 - t),
      ),
      layer([[height, -height, -height, height]]),
    ],
    { name: "trapezoid" },
  );
}

/**
 * The width of the ramps for an L2 error: 2 eta / 3 = eps^2.
 * @example rampWidth(0.2) // 0.06
 */
export const rampWidth = (eps: number): number => (3 * eps ** 2) / 2;
