// The steps of the reduction of a chain, again and again until none finds anything.

import { sparseMatrix } from "../../graph/sparse.ts";
import { affineImage } from "../../networks/layers/matrix.ts";
import { foldActive } from "./active-units.ts";
import { dropIdle } from "./idle-units.ts";
import { mergeProportional } from "./proportional-units.ts";
import type { RemovedUnit } from "./removal.ts";
import { eachEntry } from "./sparse-parts.ts";
import type { ChainStep, StepOptions } from "./step.ts";
import { type UnitChain, withLayers } from "./unit-chain.ts";

/**
 * Multiples are merged before anything else, as the source has them: the proof of the change knows them by its rows. Where
 * no weight may be rounded there is nothing to prove, and they are merged whenever they come up.
 */
const steps = ({ exactOnly }: StepOptions): readonly ChainStep[] =>
  exactOnly ? [dropIdle, mergeProportional, foldActive] : [dropIdle, foldActive];

export interface ReducedChain {
  readonly chain: UnitChain;
  readonly removed: readonly RemovedUnit[];
}

/** Inputs that the box fixes are constants: their weights go into the first bias. */
export function fixInputs(chain: UnitChain, { exactOnly }: StepOptions): UnitChain {
  const [first] = chain.layers;
  const { box } = chain;
  if (!box || !first) return chain;
  const isFixed = (c: number): boolean => box.lower[c] === box.upper[c];
  const entries: { readonly fixed: [number, number, number][]; readonly free: [number, number, number][] } = {
    fixed: [],
    free: [],
  };
  eachEntry(first.weights, (...entry) => {
    entries[isFixed(entry[1]) ? "fixed" : "free"].push(entry);
  });
  if (entries.fixed.length === 0) return chain;
  const { rows, columns } = first.weights;
  const bias = affineImage(sparseMatrix(rows, columns, entries.fixed), box.lower, first.bias);
  const weights = sparseMatrix(rows, columns, entries.free);
  const after = withLayers(chain, 0, 1, [{ ...first, weights, bias: bias.value }], bias.exact);
  return exactOnly && !after.exact ? chain : after;
}

/** Merges the units of each layer that are multiples in the source. */
export function mergeUnits(source: UnitChain, options: StepOptions): ReducedChain {
  let chain = source;
  const removed: RemovedUnit[] = [];
  // From the last layer on: the rows of a layer are still those of the source when it is looked at.
  for (let l = chain.layers.length - 2; l >= 0; l--) {
    const found = mergeProportional(chain, l, options);
    if (!found) continue;
    chain = found.chain;
    removed.push(...found.removed);
  }
  return { chain, removed };
}

/** Takes away all that the bounds of the units allow. */
export function reduceChain(source: UnitChain, options: StepOptions): ReducedChain {
  let chain = source;
  const removed: RemovedUnit[] = [];
  for (let isDone = false; !isDone; ) {
    isDone = true;
    // From the last layer on: what nobody reads has readers that nobody needs.
    for (let l = chain.layers.length - 2; l >= 0; l--)
      for (const step of steps(options)) {
        if (l > chain.layers.length - 2) break;
        const found = step(chain, l, options);
        if (!found) continue;
        chain = found.chain;
        // Units that were added on the way and left again are nobody's.
        removed.push(...found.removed.filter(({ unit }) => unit! >= 0));
        isDone = false;
      }
  }
  return { chain, removed };
}
