// How many bits the numbers of a file take: the code length of Occam's bound.
import { type Graph, isSparse } from "../graph/graph.ts";
import {
  byteLength,
  elementCount,
  type NumericType,
  type SparseTensor,
  type Tensor,
} from "../graph/tensor.ts";
import { storedCount, storedWeights } from "../measures/stored-weights.ts";

export interface CodeLength {
  /** Stored numbers that are no shapes, statistics and constants included. */
  readonly count: number;
  /** Of all of them, each in the bits of its own type. */
  readonly bits: number;
}

/** Shapes and types are those of the architecture, fixed before the data: they cost nothing. */
function bitsOf(weight: Tensor | SparseTensor): number {
  if (isSparse(weight)) {
    const place = Math.ceil(Math.log2(elementCount(weight.dims) + 1));
    // Which entries are stored is chosen too: their number, and the place of each.
    return bitsOf(weight.values) + place * (1 + weight.indices.length);
  }
  if (weight.type === "string") return 16 * (weight.data as readonly string[]).join().length;
  return 8 * byteLength(weight.type as NumericType, weight.dims);
}

/** Model-local functions are not read: all of their bytes count. */
export function codeLength(graph: Graph): CodeLength {
  const weights = storedWeights(graph).map(({ weight }) => weight);
  const unread = graph.functions.reduce((sum, { length }) => sum + length, 0);
  return {
    count: weights.reduce((sum, w) => sum + storedCount(w), unread),
    bits: weights.reduce((sum, w) => sum + bitsOf(w), 8 * unread),
  };
}
