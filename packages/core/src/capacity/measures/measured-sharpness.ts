// Sharpness of a model on some of its examples, and what is known of its training.
import type { Random } from "../../engine/random.ts";
import { elementCount, numbers, type Tensor } from "../../graph/tensor.ts";
import { type Examples, takeExamples } from "../../train/data/dataset.ts";
import { type AuditedModel, auditedModel, auditedTask } from "./audited-model.ts";
import { type MeasureOptions, stages } from "./measure-options.ts";
import type { MeasuredHistory } from "./measure-row.ts";
import { gradientNoise, type Sharpness, sharpnessOf } from "./sharpness.ts";
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
    ...(then ? { noiseAfterEpoch: await gradientNoise(weightRisk(then, chosen)) } : {}),
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
