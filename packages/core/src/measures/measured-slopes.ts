// How steep a model is: an upper bound for all inputs, and the greatest Jacobian that was seen.

import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import type { Random } from "../numbers/random.ts";
import { lipschitzBound } from "../passes/lipschitz.ts";
import type { Examples } from "../train/data/dataset.ts";
import type { AuditedModel } from "./audited-model.ts";
import { affordableExamples, drawnExamples } from "./example-budget.ts";
import type { LayerMeasures } from "./layer-values.ts";
import type { LinearLayer } from "./linear-layers.ts";
import { mostRows, type SteepestPoint, steepestPoint } from "./lipschitz-lower.ts";
import type { MeasuredValue } from "./sharpness.ts";
import { unlessMissing } from "./unless-missing.ts";

/** Folded factors are rounded: this is more than their error. */
const foldingSlack = 1 + 2 ** -40;

/** The bound along the graph, with the sound operator norms of the layers; a folded normalization counts once. */
export function lipschitzUpper(
  graph: Graph,
  layers: readonly LinearLayer[],
  measures: readonly LayerMeasures[],
): MeasuredValue {
  const known = new Map<string, number>();
  layers.forEach(({ output, folded }, k) => {
    known.set(output, measures[k]!.spectral.upper * (folded ? foldingSlack : 1));
    if (folded) known.set(folded.output, 1);
  });
  try {
    return { value: lipschitzBound(graph, 2, known) };
  } catch (error) {
    if (error instanceof GraphError) return { reason: error.message };
    throw error;
  }
}

/** Passes through the network for the Jacobian at a point: forward and back for each row, or for each power iteration. */
const passesFor = ({ outputs }: AuditedModel): number => (outputs <= mostRows ? 3 * outputs : 12);

/** The greatest Jacobian at all examples, if that is not too much work, and near the best of them. */
export function seenSlopes(
  model: AuditedModel,
  data: Examples | undefined,
  layers: readonly LinearLayer[],
  { random, signal }: { readonly random: Random; readonly signal?: AbortSignal },
): Promise<SteepestPoint | { readonly reason: string }> {
  const count = (n: number): number =>
    affordableExamples(model, layers, { examples: n, passes: passesFor(model) });
  const chosen = data && drawnExamples(data, count(data.x.dims[0]!), random.split("points"));
  return unlessMissing(() => steepestPoint(model, chosen?.x, { random, ...(signal ? { signal } : {}) }));
}
