// The audit of dropped models: the report of `lemmata audit`.
import {
  type Audit,
  auditComparisonRecord,
  auditExamples,
  auditModel,
  auditRecord,
  compareAudits,
  type RankedMeasure,
} from "@lemmata/core/audit";
import type { Graph } from "@lemmata/core/graph";
import { jsonText } from "@lemmata/core/numbers";
import type { DataChoice } from "../../audit/data-choice.ts";
import { exampleSource } from "../../audit/example-source.ts";
import type { ModelFiles } from "../../audit/model-files.ts";
import { readDroppedModel } from "../../audit/read-model.ts";
import { placed, type Refusal } from "../../compare/place.ts";
import type { Job } from "../protocol.ts";

export interface AuditInput {
  readonly models: readonly ModelFiles[];
  /** The one model before its training. */
  readonly initial?: ModelFiles;
  readonly data: DataChoice;
  readonly test?: DataChoice;
  /** The column of a table that holds the targets. */
  readonly target?: string;
  readonly task?: "classification" | "regression";
  readonly testFraction?: number;
  /** How many points are drawn. */
  readonly count: number;
  readonly delta: number;
  readonly pacBayes?: boolean;
  readonly seed: number;
  readonly digitsAt: string;
}

export type AuditPlace = "models" | "initial" | "data" | "test";

export interface AuditOutput {
  readonly audits: readonly Audit[];
  /** Of several models: which measures order them as their gaps do. */
  readonly ranking?: readonly RankedMeasure[];
  /** The network, to be drawn, if it is one. */
  readonly graph?: Graph;
  /** What `--json` prints. */
  readonly json: string;
}

export const auditModels: Job<AuditInput, AuditOutput | Refusal<AuditPlace>> = async (
  input,
  { signal, progress },
) => {
  progress(0, "reading the models");
  const graphs: Graph[] = [];
  for (const files of input.models) {
    const graph = await placed("models", () => readDroppedModel(files));
    if ("refused" in graph) return graph;
    graphs.push(graph.value);
  }
  const { initial: before } = input;
  const initial = await placed("initial", () => (before ? readDroppedModel(before) : undefined));
  if ("refused" in initial) return initial;
  progress(0, "reading the data");
  const data = await placed("data", () => exampleSource(input.data, input));
  if ("refused" in data) return data;
  const test = await placed("test", () => (input.test ? exampleSource(input.test, input) : undefined));
  if ("refused" in test) return test;
  const count = graphs.length;
  const audits: Audit[] = [];
  for (const [k, graph] of graphs.entries()) {
    const { name } = input.models[k]!.model;
    // The data alone first: what is wrong with it is then told from what is wrong with the test data.
    const alone = await placed("data", () => auditExamples(graph, { data: data.value }, input));
    if ("refused" in alone) return alone;
    const both = test.value;
    const examples = await placed("test", () =>
      both ? auditExamples(graph, { data: data.value, test: both }, input) : alone.value,
    );
    if ("refused" in examples) return examples;
    const { name: dataName, ...parts } = examples.value;
    const audit = await placed("models", () =>
      auditModel(graph, {
        ...parts,
        ...{ dataName, name, delta: input.delta, models: count, seed: input.seed, signal },
        pacBayes: input.pacBayes ?? (count === 1 ? "auto" : false),
        ...(initial.value && { initial: initial.value }),
        onProgress: ({ what, share }) => progress((k + share) / count, count > 1 ? `${name}, ${what}` : what),
      }),
    );
    if ("refused" in audit) return audit;
    audits.push(audit.value);
  }
  const comparison = count > 1 ? compareAudits(audits) : undefined;
  return {
    audits,
    ...(comparison ? { ranking: comparison.ranking } : { graph: graphs[0]! }),
    json: `${jsonText(comparison ? auditComparisonRecord(comparison) : auditRecord(audits[0]!))}\n`,
  };
};
