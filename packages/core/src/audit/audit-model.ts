// The audit of a model: what it measures, and every bound that its architecture and data allow to be stated.
import type { Graph } from "../graph/graph.ts";
import { auditedModel, auditedTask, fittedExamples } from "../measures/audited-model.ts";
import { linearLayers } from "../measures/linear-layers.ts";
import { type ModelMeasures, measureModel } from "../measures/measure-model.ts";
import type { MeasureOptions } from "../measures/measure-options.ts";
import type { Examples } from "../train/data/dataset.ts";
import type { Audit, AuditBound, AuditedNetwork } from "./audit.ts";
import { auditedBounds } from "./audited-bounds.ts";
import { auditedData, errorDecomposition } from "./audited-data.ts";
import { AuditError } from "./error.ts";

export interface AuditOptions
  extends Pick<MeasureOptions, "initial" | "signal" | "history" | "sharpnessExamples"> {
  /** The examples that the model was trained on: classes (int64) or numbers as targets. */
  readonly data: Examples;
  /** Examples that it was not trained on. */
  readonly test?: Examples;
  /** Each bound fails with at most this probability; default 0.05. */
  readonly delta?: number;
  /** Train a PAC-Bayes posterior of this architecture: "auto" does if about 20 s seem to be enough. */
  readonly pacBayes?: boolean | "auto";
  /** |x|_2 of all inputs that there can be, where that is known beforehand, as of pixels. */
  readonly inputRadius?: number;
  /** Models that are judged on the same test examples; their bounds share delta. */
  readonly models?: number;
  readonly name?: string;
  readonly dataName?: string;
  /** How the data was read, where that is not plain. */
  readonly dataRemark?: string;
  readonly seed?: number;
  readonly onProgress?: (progress: { readonly what: string; readonly share: number }) => void;
}

/** Shares of progress. */
const parts = { measures: 0.5, bounds: 0.55 };

/**
 * Measures a model and states what can be said of its error on examples that nobody has seen.
 * @example (await auditModel(initialNetwork("2-8-relu-2"), { data: twoMoons(50), pacBayes: false })).data.classes // 2
 */
export async function auditModel(graph: Graph, options: AuditOptions): Promise<Audit> {
  const { delta = 0.05, seed = 0, models = 1, name = graph.name, onProgress, signal } = options;
  if (!(delta > 0 && delta < 1)) throw new AuditError(`delta is a probability between 0 and 1, not ${delta}`);
  const report = (what: string, share: number): void => {
    signal?.throwIfAborted();
    onProgress?.({ what, share });
  };
  const model = await auditedModel(graph, auditedTask(options.data));
  const data = fittedExamples(model, options.data, options.dataName ?? "data");
  const test = options.test && fittedExamples(model, options.test, "test data");
  const about = auditedData(
    { data, ...(test ? { test } : {}), outputs: model.outputs },
    { name: options.dataName, remark: options.dataRemark },
  );
  const [measured, measureSeconds] = await timed(() =>
    measureModel(graph, {
      ...options,
      seed,
      onProgress: ({ what, share }) => report(what, parts.measures * share),
    }),
  );
  checkNumbers(measured, name);
  report("bounds", parts.measures);
  const { layers } = await linearLayers(model.graph);
  const [bounds, boundSeconds] = await timed(() =>
    auditedBounds(
      { model, layers, measures: measured, about, data, ...(test ? { test } : {}) },
      {
        delta,
        models,
        seed,
        pacBayes: options.pacBayes ?? "auto",
        inputRadius: options.inputRadius ?? Number.POSITIVE_INFINITY,
        ...(signal ? { signal } : {}),
        onProgress: (share) => report("PAC-Bayes", parts.bounds + (1 - parts.bounds) * share),
      },
    ),
  );
  const decomposition = errorDecomposition(measured, about, delta / models);
  report("done", 1);
  return {
    model: networkOf(graph, name, measured.parameters, model.inputDims, model.outputs),
    data: about,
    measures: measured,
    bounds: byTightness(bounds),
    ...(decomposition ? { errorDecomposition: decomposition } : {}),
    delta,
    seconds: { measures: measureSeconds, bounds: boundSeconds },
  };
}

/** Scores that overflow have no order: nothing of what follows would mean anything. */
function checkNumbers({ margins, testMargins, trainError, testError }: ModelMeasures, name: string): void {
  const isBad = (values: ArrayLike<number> = []): boolean => Array.prototype.some.call(values, Number.isNaN);
  const overflows = [trainError ?? 0, testError ?? 0].some((v) => !Number.isFinite(v));
  if (isBad(margins?.sorted) || isBad(testMargins?.sorted) || overflows)
    throw new AuditError(`${name}: the answers to some of the examples are not finite numbers`);
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const start = performance.now();
  const result = await work();
  return [result, (performance.now() - start) / 1000];
}

function networkOf(
  graph: Graph,
  name: string,
  parameters: number,
  inputDims: readonly number[],
  outputs: number,
): AuditedNetwork {
  const counts = new Map<string, number>();
  for (const { op } of graph.nodes) counts.set(op, (counts.get(op) ?? 0) + 1);
  const operators = Object.fromEntries(counts);
  const [first, ...others] = graph.outputs.map((output) => `"${output.name}"`);
  const remark = `audited on its first output, ${first}, without ${others.join(", ")}`;
  return {
    name,
    parameters,
    inputDims,
    outputs,
    ...(others.length > 0 ? { remark } : {}),
    nodes: graph.nodes.length,
    operators,
  };
}

/** Those of other networks last; the least value first, those without one last, in the order of the list. */
const byTightness = (bounds: readonly AuditBound[]): readonly AuditBound[] =>
  [...bounds].sort((a, b) => apart(a) - apart(b) || rank(a) - rank(b) || 0);
const apart = ({ network }: AuditBound): number => (network === "audited" ? 0 : 1);
const rank = ({ value }: AuditBound): number =>
  value === undefined ? Number.MAX_VALUE : Math.min(value, 1e300);
