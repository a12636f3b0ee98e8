// Sharpness of a model on some of its examples, and what is known of its training.

import { elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import type { Random } from "../numbers/random.ts";
import { type Examples, takeExamples } from "../train/data/dataset.ts";
import { type AuditedModel, auditedModel, auditedTask } from "./audited-model.ts";
import { affordableExamples, drawnExamples } from "./example-budget.ts";
import type { LinearLayer } from "./linear-layers.ts";
import { type MeasureOptions, stages } from "./measure-options.ts";
import type { MeasuredHistory } from "./measure-row.ts";
import {
  gradientNoise,
  type MeasuredValue,
  noiseExamples,
  radialSquare,
  type Sharpness,
  sharpnessOf,
} from "./sharpness.ts";
import { weightRisk, weightsOf } from "./weight-risk.ts";

/** Losses as they are, and the noise of the gradients after the first epoch. */
export async function measuredHistory(
  { losses, afterFirstEpoch }: NonNullable<MeasureOptions["history"]>,
  data: Examples | undefined,
  random: Random,
  options: MeasureOptions,
): Promise<MeasuredHistory> {
  const chosen = data && afterFirstEpoch && sharpnessSample(data, random, options);
  const then = chosen && (await auditedModel(afterFirstEpoch, auditedTask(chosen)));
  return {
    ...(losses ? { losses } : {}),
    ...(then
      ? {
          noiseAfterEpoch: await gradientNoise(weightRisk(then, chosen)),
          noiseExamples: noiseExamples({ examples: chosen.x.dims[0]! }),
        }
      : {}),
  };
}

/** The examples that sharpness is measured on. */
function sharpnessSample(
  data: Examples,
  random: Random,
  { sharpnessExamples = 250 }: MeasureOptions,
  most = sharpnessExamples,
): Examples {
  const count = Math.min(data.x.dims[0]!, most);
  return takeExamples(data, random.split("examples").permutation(data.x.dims[0]!).subarray(0, count));
}

/** Sharpness; undefined where it is not asked for or there are no weights. */
export async function measuredSharpness(
  model: AuditedModel,
  data: Examples,
  random: Random,
  options: MeasureOptions,
): Promise<Sharpness | undefined> {
  const { sharpnessExamples = 250, sharpness = {}, signal, onProgress } = options;
  const most = model.batch === 1 ? Math.min(32, sharpnessExamples) : sharpnessExamples;
  if (most <= 0 || weightsOf(model.graph).names.length === 0) return undefined;
  const chosen = sharpnessSample(data, random, options, most);
  const steps = 6;
  let step = 0;
  return sharpnessOf(weightRisk(model, chosen), {
    ...(chosen.y.type === "int64" ? {} : { allowed: 0.1 * targetVariance(chosen.y) }),
    ...sharpness,
    random: random.split("sharpness"),
    ...(signal ? { signal } : {}),
    onProgress: (what) =>
      onProgress?.({ what, share: stages.sharpness + (step++ / steps) * (stages.done - stages.sharpness) }),
  });
}

/** Passes through the network that the slope along the weights takes: forward, back, and back through that. */
const radialPasses = 6;

/** The mean square of the slopes along the weights, on all examples if that is not too much work. */
export async function measuredRadialSquare(
  model: AuditedModel,
  data: Examples,
  layers: readonly LinearLayer[],
  random: Random,
): Promise<{ readonly found: MeasuredValue; readonly examples: number } | undefined> {
  if (weightsOf(model.graph).names.length === 0) return undefined;
  const count = affordableExamples(model, layers, { examples: data.x.dims[0]!, passes: radialPasses });
  const chosen = drawnExamples(data, count, random.split("radial"));
  return { found: await radialSquare(weightRisk(model, chosen)), examples: count };
}

/** The mean squared distance of the targets from their mean. */
function targetVariance(y: Tensor): number {
  const [n, width] = [y.dims[0]!, elementCount(y.dims.slice(1))];
  const values = numbers(y);
  const means = new Float64Array(width);
  values.forEach((v, k) => {
    means[k % width]! += v / n;
  });
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += (values[k]! - means[k % width]!) ** 2;
  return sum / n;
}
