// The measures that need examples: fit, activity, and the complexity of the last layer on its features.
import type { Random } from "../numbers/random.ts";
import type { Examples } from "../train/data/dataset.ts";
import type { UnitActivity } from "./activity.ts";
import type { AuditedModel } from "./audited-model.ts";
import { euclidean } from "./euclidean.ts";
import type { LinearLayer } from "./linear-layers.ts";
import { type MeasureOptions, stages } from "./measure-options.ts";
import { type Fit, fitOf, predict } from "./predictions.ts";
import { linearRademacher, type SignAverage } from "./rademacher.ts";

export interface LastLayerRademacher extends SignAverage {
  readonly radius: number;
  readonly width: number;
}

export interface MeasuredOnData {
  readonly fit: Fit;
  readonly activity: readonly UnitActivity[];
  readonly rademacher: LastLayerRademacher | { readonly reason: string };
}

/** Runs the model on all examples. */
export async function measuredOnData(
  model: AuditedModel,
  data: Examples,
  layers: readonly LinearLayer[],
  random: Random,
  { signal, onProgress }: MeasureOptions,
): Promise<MeasuredOnData> {
  const last = layers.at(-1);
  const reader = last && model.graph.nodes.find((n) => n.outputs[0] === last.output);
  const isLast = last?.kind === "dense" && last.rows === model.outputs;
  const predictions = await predict(model, data, {
    ...(isLast && reader ? { feature: reader.inputs[0]! } : {}),
    withActivity: true,
    ...(signal ? { signal } : {}),
    onBatch: (share) =>
      onProgress?.({ what: "data", share: stages.data + share * (stages.sharpness - stages.data) }),
  });
  const fit = fitOf(predictions, model.outputs, data.y);
  return {
    fit,
    activity: predictions.activity,
    rademacher: lastLayerRademacher(predictions, isLast ? last : undefined, random.split("signs")),
  };
}

function lastLayerRademacher(
  { examples, features }: Awaited<ReturnType<typeof predict>>,
  last: LinearLayer | undefined,
  random: Random,
): LastLayerRademacher | { readonly reason: string } {
  if (!last || !features || features.width !== last.columns)
    return { reason: "the last layer is not a matrix on features of each example" };
  let radius = 0;
  for (let i = 0; i < last.rows; i++)
    radius = Math.max(radius, euclidean(last.entries.subarray(i * last.columns, (i + 1) * last.columns)));
  const draws = Math.max(8, Math.min(64, Math.floor(3e8 / (examples * features.width))));
  const rows = { examples, width: features.width, rows: features.rows };
  const average = linearRademacher(rows, radius, { random, draws });
  if (!Number.isFinite(average.value)) return { reason: "features of the last layer overflow" };
  return { ...average, radius, width: features.width };
}
