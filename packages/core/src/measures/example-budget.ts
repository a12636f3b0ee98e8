// On how many examples a measure is taken: all of them, unless that is too much work.

import { elementCount } from "../graph/tensor.ts";
import type { Random } from "../numbers/random.ts";
import { type Examples, takeExamples } from "../train/data/dataset.ts";
import type { AuditedModel } from "./audited-model.ts";
import type { LinearLayer } from "./linear-layers.ts";

/** Multiplications for one example. */
export const multiplications = (layers: readonly LinearLayer[]): number =>
  layers.reduce(
    (sum, { entries, convolution }) =>
      sum + entries.length * (convolution ? elementCount(convolution.output) : 1),
    0,
  );

/**
 * Multiplications that one measure may take, in matrices and in convolutions, which are slower: by count, not by a clock,
 * since a measure must not depend on the machine.
 */
const [mostInMatrices, mostInConvolutions] = [1e11, 2e10];
/** However much work one example is; and where a model reads one example at a time, each costs a run. */
const [fewest, mostOneByOne] = [128, 500];

/** How many of the examples a measure may look at that takes so many passes through the network for each. */
export function affordableExamples(
  { batch }: Pick<AuditedModel, "batch">,
  layers: readonly LinearLayer[],
  { examples, passes }: { readonly examples: number; readonly passes: number },
): number {
  const most = layers.some((l) => l.convolution) ? mostInConvolutions : mostInMatrices;
  const affordable = Math.floor(most / (passes * Math.max(1, multiplications(layers))));
  return Math.min(
    examples,
    batch === 1 ? mostOneByOne : Number.POSITIVE_INFINITY,
    Math.max(fewest, affordable),
  );
}

/** All examples, or that many drawn ones. */
export function drawnExamples(data: Examples, count: number, random: Random): Examples {
  const n = data.x.dims[0]!;
  return count >= n ? data : takeExamples(data, random.permutation(n).subarray(0, count));
}
