// Two networks that are written alike once exporters' ways and symmetries are taken out, weight by weight.
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { isFloat, numbers, type Tensor } from "../../graph/tensor.ts";
import { canonicalNormalForm } from "../canonical/canonical-form.ts";
import { orderedWeights, structureOf } from "../canonical/fingerprint.ts";
import { SymmetryError } from "../error.ts";
import type { Finding } from "./comparison.ts";

/** The greatest size in each slice across an axis. */
function sliceSizes({ dims }: Tensor, values: ArrayLike<number>, axis: number): Float64Array {
  const inner = dims.slice(axis + 1).reduce((n, d) => n * d, 1);
  const sizes = new Float64Array(dims[axis]!);
  for (let k = 0; k < values.length; k++) {
    const at = Math.floor(k / inner) % dims[axis]!;
    const size = Math.abs(values[k]!);
    if (!(size <= sizes[at]!)) sizes[at] = size;
  }
  return sizes;
}

/** A number of a bias counts as no smaller than this share of the greatest. */
const biasShare = 2 ** -4;

/** How far two weights are apart, entry by entry, relative to the greatest of the smallest slice that has the entry. */
function weightGap(a: Tensor, b: Tensor): number {
  if (a.type !== b.type || `${a.dims}` !== `${b.dims}`) return Number.POSITIVE_INFINITY;
  const [u, v] = [numbers(a) as ArrayLike<number>, numbers(b) as ArrayLike<number>];
  const slices = a.dims.map((_, axis) => sliceSizes(a, u, axis));
  // A bias may be a small difference of what was folded into it: it is measured by its neighbours too.
  if (slices.length === 1) {
    const floor = biasShare * slices[0]!.reduce((m, v) => Math.max(m, v), 0);
    slices[0] = slices[0]!.map((v) => Math.max(v, floor));
  }
  const strides = a.dims.map((_, axis) => a.dims.slice(axis + 1).reduce((n, d) => n * d, 1));
  let most = 0;
  for (let k = 0; k < u.length; k++) {
    if (u[k] === v[k]) continue;
    if (!isFloat(a.type)) return Number.POSITIVE_INFINITY;
    const size = slices.reduce(
      (least, sizes, axis) => Math.min(least, sizes[Math.floor(k / strides[axis]!) % a.dims[axis]!]!),
      a.dims.length === 0 ? Math.abs(u[k]!) : Number.POSITIVE_INFINITY,
    );
    const gap = Math.abs(u[k]! - v[k]!) / size;
    most = Number.isNaN(gap) ? Number.POSITIVE_INFINITY : Math.max(most, gap);
  }
  return most;
}

/**
 * How far the weights of both canonical forms are apart; infinite if they are not written alike. 0: all bits are the same.
 */
export function canonicalDeviation(a: Graph, b: Graph): number {
  try {
    const [first, second] = [a, b].map((graph) => canonicalNormalForm(graph).graph) as [Graph, Graph];
    if (structureOf(first) !== structureOf(second)) return Number.POSITIVE_INFINITY;
    const others = orderedWeights(second);
    return orderedWeights(first).reduce(
      (most, weight, k) => Math.max(most, weightGap(weight, others[k]!)),
      0,
    );
  } catch (error) {
    if (error instanceof GraphError || error instanceof SymmetryError || error instanceof RangeError)
      return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** Rows that agree to this share of their greatest weight, a few roundings to single precision, are taken to be the same. */
export const roundedWeights = 2 ** -20;

/** What canonical forms say of networks whose units find no partners one by one: with a softmax, or of other layouts. */
export function decidedByForm(a: Graph, b: Graph): Finding | undefined {
  const deviation = canonicalDeviation(a, b);
  if (!(deviation <= roundedWeights)) return undefined;
  const how =
    deviation === 0
      ? "the same weights"
      : `the same weights, to ${deviation.toExponential(1)} of the greatest`;
  return {
    verdict: "equivalent",
    strength: "checked",
    because: `the canonical forms of both networks have ${how}`,
    upper: Number.POSITIVE_INFINITY,
  };
}
