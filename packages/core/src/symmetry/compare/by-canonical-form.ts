// Where units find no partners one by one (a softmax and its like), canonical forms may still have the same weights.
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { canonicalForm } from "../canonical/canonical-form.ts";
import { SymmetryError } from "../error.ts";
import { Pair } from "./pair.ts";

/** How far the weights of both canonical forms are apart, relative to the greatest of their rows; infinite if they do not fit. */
export function canonicalDeviation(a: Graph, b: Graph): number {
  try {
    const pair = new Pair(canonicalForm(a).graph, canonicalForm(b).graph, {});
    return pair.isZero ? 0 : pair.deviation;
  } catch (error) {
    if (error instanceof GraphError || error instanceof SymmetryError || error instanceof RangeError)
      return Number.POSITIVE_INFINITY;
    throw error;
  }
}
