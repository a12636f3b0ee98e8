// Networks of one number: the exact pieces of both, and the exact supremum of their distance.

import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { compare, type Exact, toNumber } from "../../numbers/exact/rational.ts";
import { type Distance, distance } from "../../passes/distance.ts";
import { linearPieces } from "../../passes/pieces.ts";

/** The least double that is no less. */
function roundedUp(x: Exact): number {
  const near = toNumber(x);
  return compare(near, x) >= 0 ? near : near + 2 ** -52 * Math.abs(near) + Number.MIN_VALUE;
}

/** sup |second - first| on [from, to], rounded up; undefined where a graph is not piecewise linear in one number. */
export function lineDistance(first: Graph, second: Graph, from: number, to: number): number | undefined {
  if (!(from < to)) return undefined;
  let found: Distance;
  try {
    found = distance(linearPieces(first, from, to), linearPieces(second, from, to));
  } catch (error) {
    if (error instanceof GraphError || error instanceof RangeError) return undefined;
    throw error;
  }
  return roundedUp(found.sup.upper);
}
