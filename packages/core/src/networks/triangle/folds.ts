// Networks with as many linear pieces as their widths allow (Serra, Tjandraatmadja, Ramalingam 2018, for one input).

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { compose } from "../calculus/calculus.ts";
import { layer, network } from "../layers/layers.ts";

/**
 * A network of these hidden widths, all at least 3, with prod (width + 1) linear pieces on the line: the most there can
 * be. Each layer folds the line width + 1 times, so that every fold passes over all bends of the next layer.
 * @example linearPieces(mostPieces([3, 3]), -100, 100).knots.length - 1 // 16
 */
export function mostPieces(widths: readonly number[]): Graph {
  if (widths.length === 0) throw new ConstructError("mostPieces needs the width of a hidden layer");
  const narrow = widths.findIndex((w) => !Number.isSafeInteger(w) || w < 3);
  if (narrow >= 0)
    throw new ConstructError(
      `layer ${narrow + 1} has the width ${widths[narrow]}: only widths of at least 3 reach all the pieces`,
    );
  return widths.map(fold).reduce((inner, outer) => compose(outer, inner));
}

/**
 * Slopes 1, -1, 1, -2, 2, -2, ... between bends at 0, 2, 4, 5, 6, ..., width + 1: up and down between -2 and 0. Two
 * units look to the left: theirs is the slope on the far left, 1 = -(2 - 3). Where another fold follows, [-2, 0]
 * is stretched to [-2, next + 2], on which that fold goes up and down on all of its pieces.
 */
function fold(width: number, place: number, widths: readonly number[]): Graph {
  const bends = Array.from({ length: width }, (_, j) => (j < 3 ? 2 * j : j + 2));
  const jumps = bends.map((_, j) => (j === 0 ? -2 : j === 1 ? 2 : j === 2 ? -3 : j % 2 === 1 ? 4 : -4));
  const looksLeft = (j: number) => j === 1 || j === 2;
  const offset = 8; // the units alone give 2 * 2 - 3 * 4 = -8 at 0, where the fold is 0
  const next = widths[place + 1];
  const stretch = next === undefined ? 1 : (next + 4) / 2;
  const shift = next === undefined ? 0 : next + 2;
  return network([
    layer(
      bends.map((_, j) => [looksLeft(j) ? -1 : 1]),
      bends.map((at, j) => (looksLeft(j) ? at : -at)),
    ),
    layer([jumps.map((c) => c * stretch)], [offset * stretch + shift]),
  ]);
}
