// The first page's example: a network that squares, its pieces and its error, both exact.
import { square } from "@lemmata/core/networks";
import { toNumber } from "@lemmata/core/numbers";
import { distanceToQuadratic, linearPieces, sizes } from "@lemmata/core/passes";
import type { Job } from "../protocol.ts";

export interface SquaringExample {
  readonly levels: number;
  readonly knots: readonly (readonly [number, number])[];
  readonly units: number;
  readonly pieces: number;
  /** sup |network - x²| on [0, 1]: an exact number, here rounded for reading. */
  readonly error: number;
}

export const squaringExample: Job<number, SquaringExample> = async (levels) => {
  const network = square(levels);
  const f = linearPieces(network, 0, 1);
  const { sup } = distanceToQuadratic(f, [0, 0, 1]);
  return {
    levels,
    knots: f.knots.map((t, k) => [toNumber(t), toNumber(f.values[k]!)] as const),
    units: sizes(network).hiddenUnits!,
    pieces: f.knots.length - 1,
    error: toNumber(sup),
  };
};
