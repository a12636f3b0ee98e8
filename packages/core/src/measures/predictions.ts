// What a model does on data: scores, margins, errors, the activity of its units, and the features of its last layer.
import { run } from "../engine/run.ts";
import { Builder } from "../graph/builder.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, requiredInputs, type TensorType } from "../graph/graph.ts";
import { prune } from "../graph/prune.ts";
import { elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import type { Value, Values } from "../graph/value.ts";
import type { Examples } from "../train/data/dataset.ts";
import { type ActivationWatch, activationNodes, type UnitActivity, watchActivations } from "./activity.ts";
import type { AuditedModel } from "./audited-model.ts";

export interface Predictions {
  readonly examples: number;
  /** Scores, one row an example. */
  readonly scores: Float64Array;
  /** The features that the last layer reads, one row an example, where it is asked for. */
  readonly features?: { readonly width: number; readonly rows: Float32Array };
  readonly activity: readonly UnitActivity[];
}

export interface PredictionOptions {
  /** The value that the last layer reads. */
  readonly feature?: string;
  readonly withActivity?: boolean;
  readonly signal?: AbortSignal;
  readonly onBatch?: (share: number) => void;
}

/** Some of the rows, without copying them. */
export function batchRows({ type, dims, data }: Tensor, from: number, to: number): Tensor {
  const size = elementCount(dims.slice(1));
  const view = (data as Float32Array).subarray(from * size, to * size);
  return { type, dims: [to - from, ...dims.slice(1)], data: view };
}

/** Runs a model on all examples, batch by batch. */
export async function predict(
  model: AuditedModel,
  { x }: Pick<Examples, "x">,
  { feature, withActivity = false, signal, onBatch }: PredictionOptions = {},
): Promise<Predictions> {
  const watched = withActivity ? activationNodes(model.graph) : [];
  const { graph, watch } = watchedGraph(model.graph, watched, feature);
  const examples = x.dims[0]!;
  const scores = new Float64Array(examples * model.outputs);
  let features: { width: number; rows: Float32Array } | undefined;
  for (let from = 0; from < examples; from += model.batch) {
    signal?.throwIfAborted();
    const to = Math.min(examples, from + model.batch);
    const found = await run(graph, { [model.input]: batchRows(x, from, to) }, model.running);
    scores.set(numbers(found.scores!), from * model.outputs);
    if (found.features) {
      const width = elementCount(found.features.dims) / (to - from);
      features ??= { width, rows: new Float32Array(examples * width) };
      features.rows.set(numbers(found.features), from * width);
    }
    watch?.add(found, to - from);
    onBatch?.(to / examples);
  }
  return { examples, scores, ...(features ? { features } : {}), activity: watch?.summary() ?? [] };
}

/** The model with outputs `scores`, `features`, and sums over the batch for each activation. */
function watchedGraph(
  model: Graph,
  watched: ReturnType<typeof activationNodes>,
  feature: string | undefined,
): { readonly graph: Graph; readonly watch?: ActivationWatch } {
  const inputs = Object.fromEntries(
    requiredInputs(model).map((i) => [i.name, i.type as TensorType] as const),
  );
  let watch: ActivationWatch | undefined;
  const builder = new Builder();
  const body = (given: Values): Values => {
    const values = builder.trace(model, given);
    const extra: Record<string, Value> = { scores: values.get(model.outputs[0]!.name)! };
    if (feature !== undefined && values.has(feature)) extra.features = values.get(feature)!;
    if (watched.length > 0) {
      watch = watchActivations(watched, values);
      Object.assign(extra, watch.outputs);
    }
    return extra;
  };
  const written = finish(builder, inputs, body, { name: `${model.name}_watched`, nested: false });
  const graph = prune({ ...written, opsets: model.opsets, functions: model.functions });
  return { graph, ...(watch ? { watch } : {}) };
}

export interface MarginSummary {
  readonly min: number;
  /** A tenth of the examples have at most this margin. */
  readonly q10: number;
  readonly median: number;
  readonly mean: number;
  /** Ascending. */
  readonly sorted: Float64Array;
}

/**
 * The margin of each example: the score of its class less the greatest of the others; of one score f, y f with y = -1
 * for class 0 and 1 for class 1.
 * @example marginsOf(Float64Array.of(1, 3, 2, 0, 5, 1), 3, [1, 0]) // Float64Array [1, -5]
 */
export function marginsOf(scores: Float64Array, outputs: number, classes: ArrayLike<number>): Float64Array {
  return Float64Array.from({ length: classes.length }, (_, n) => {
    if (outputs === 1) return (2 * classes[n]! - 1) * scores[n]!;
    let others = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < outputs; k++)
      if (k !== classes[n]) others = Math.max(others, scores[n * outputs + k]!);
    return scores[n * outputs + classes[n]!]! - others;
  });
}

/** The value at a share of ascending numbers: the least one that at least this share is not above. */
export const lowerQuantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;

/** Minimum, tenth, median and all margins. */
export function marginSummary(margins: Float64Array): MarginSummary {
  const sorted = margins.toSorted();
  return {
    min: sorted[0]!,
    q10: lowerQuantile(sorted, 0.1),
    median: lowerQuantile(sorted, 0.5),
    mean: sorted.reduce((s, m) => s + m, 0) / sorted.length,
    sorted,
  };
}

export interface Fit {
  /** The share classified wrong (a margin of 0 is wrong), or the mean of |f(x) - y|^2. */
  readonly error: number;
  /** Cross-entropy (logistic for one score), or the same mean. */
  readonly loss: number;
  /** The mean entropy of the softmax of the scores; classes only. */
  readonly entropy?: number;
  /** Classes only. */
  readonly margins?: MarginSummary;
}

/** How scores fit targets: classes (int64) or numbers. */
export function fitOf({ scores, examples }: Predictions, outputs: number, y: Tensor): Fit {
  const targets = numbers(y);
  if (y.type !== "int64") {
    let sum = 0;
    for (let k = 0; k < scores.length; k++) sum += (scores[k]! - targets[k]!) ** 2;
    return { error: sum / examples, loss: sum / examples };
  }
  const margins = marginsOf(scores, outputs, targets);
  const wrong = margins.reduce((count, m) => (m > 0 ? count : count + 1), 0);
  let [loss, entropy] = [0, 0];
  for (let n = 0; n < examples; n++) {
    const row =
      outputs === 1 ? Float64Array.of(0, scores[n]!) : scores.subarray(n * outputs, (n + 1) * outputs);
    const top = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    const whole = row.reduce((s, f) => s + Math.exp(f - top), 0);
    loss += Math.log(whole) + top - row[targets[n]!]!;
    for (const f of row) {
      const log = f - top - Math.log(whole);
      entropy -= Math.exp(log) * log;
    }
  }
  return {
    error: wrong / examples,
    loss: loss / examples,
    entropy: entropy / examples,
    margins: marginSummary(margins),
  };
}
