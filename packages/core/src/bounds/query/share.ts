// The work on a query in shares, for several processes: what holds nowhere in any of them holds nowhere.
import type { Box } from "../linear/row-bounds.ts";
import type { Alternative } from "../split/attack.ts";
import { middle, widest } from "../split/bisect.ts";
import { fewInputs, isSplitByNeurons } from "../split/by-neurons.ts";
import type { AnyNetwork } from "../tensor/operator.ts";
import type { Query } from "./query.ts";

/**
 * Is the work on a query worth sharing? Where units are split, what is learned of the rows serves all alternatives, and the
 * runtime uses all cores.
 * @example isWorthSharing(parseVnnlib("(declare-const X_0 Real) (declare-const Y_0 Real) (assert (<= X_0 0)) (assert (>= X_0 0)) (assert (>= Y_0 2))")) // true
 */
export const isWorthSharing = ({ variables }: Query): boolean =>
  variables.filter(({ side }) => side === "input").length <= fewInputs;

/** One of `count` shares, a power of 2; together they are the whole. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

/**
 * Where units are split, some of the alternatives; else a part of the box: halved again and again along its widest input, and
 * the bits of the index say which half. Both halves have the boundary, so that the parts cover the box.
 */
export function shareOf(
  network: AnyNetwork,
  box: Box,
  alternatives: readonly Alternative[],
  { index, count }: Share,
): { readonly box: Box; readonly alternatives: readonly Alternative[] } {
  if (!network.isWritten || isSplitByNeurons(network))
    return { box, alternatives: alternatives.filter((_, k) => k % count === index) };
  let part = box;
  for (let [left, bits] = [count, index]; left > 1; left >>= 1, bits >>= 1) {
    const input = widest(part);
    if (input === undefined) break;
    const at = middle(part)[input]!;
    const side = bits & 1 ? part.lower.slice() : part.upper.slice();
    side[input] = at;
    part = bits & 1 ? { lower: side, upper: part.upper } : { lower: part.lower, upper: side };
  }
  return { box: part, alternatives };
}
