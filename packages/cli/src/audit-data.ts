// The data that a model is audited on, as the options name it.
import {
  AuditError,
  type AuditExamples,
  type ExampleSource,
  auditExamples as examplesFor,
} from "@lemmata/core/audit";
import type { Graph } from "@lemmata/core/graph";
import { oneOf } from "./choice.ts";
import { datasetNames, loadDataset } from "./datasets.ts";
import { UsageError } from "./usage-error.ts";

export interface AuditDataOptions {
  readonly data: string;
  readonly test?: string;
  readonly task?: string;
  readonly testFraction?: number;
  readonly count: number;
  readonly noise?: number;
  readonly radius?: number;
  readonly seed: number;
}

const sourceOf = (name: string): ExampleSource => ({
  isNamed: datasetNames.includes(name),
  isPixels: name === "mnist",
  load: (options) => loadDataset(name, options),
});

/** Loads the data in the shape that the network reads. A file is split only if asked: the model may have seen all of it. */
export function auditExamples(net: Graph, options: AuditDataOptions): AuditExamples {
  const { data, test } = options;
  const task =
    options.task === undefined ? undefined : oneOf("--task", options.task, ["classification", "regression"]);
  if (task === "regression" && datasetNames.includes(data))
    throw new UsageError(`--task regression: ${data} has classes, not quantities`);
  if (test === data && !datasetNames.includes(data))
    throw new UsageError("--test is the file of --data: examples that the model was trained on test nothing");
  try {
    const sources = { data: sourceOf(data), ...(test === undefined ? {} : { test: sourceOf(test) }) };
    return examplesFor(net, sources, { ...options, task });
  } catch (error) {
    if (error instanceof AuditError && error.message.startsWith("radius "))
      throw new UsageError(`--${error.message}`);
    throw error;
  }
}
