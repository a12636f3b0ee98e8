// What an audit says of a model: its measures, every bound that can be stated, and how its error splits.
import type { GeneralizationBound } from "../generalization/bounds/bound.ts";
import type { ModelMeasures } from "../measures/measure-model.ts";
import type { RankedMeasure } from "./rank-correlation.ts";

/** The network that was audited, as its file has it. */
export interface AuditedNetwork {
  readonly name: string;
  readonly parameters: number;
  /** Of one example, and how many numbers come out. */
  readonly inputDims: readonly number[];
  readonly outputs: number;
  /** What is to be known of the model when reading the audit, such as that it has outputs which were left out. */
  readonly remark?: string;
  readonly nodes: number;
  /** How often each operator is used. */
  readonly operators: Readonly<Record<string, number>>;
}

export interface AuditedData {
  readonly name?: string;
  readonly task: "classification" | "regression";
  readonly examples: number;
  readonly testExamples?: number;
  /** Test examples that are training examples too. */
  readonly sharedExamples?: number;
  readonly features: number;
  readonly classes?: number;
  /** How many examples have each class. */
  readonly classCounts?: readonly number[];
  /** How the data was read, where that is not plain. */
  readonly remark?: string;
  /** The least error of a constant answer: what a model must beat. */
  readonly constantError: number;
}

export interface AuditBound extends GeneralizationBound {
  /** The lemma that states, draws and tries it. */
  readonly lemma?: string;
  /** What to know when reading it, such as of which classifier the bound speaks. */
  readonly remark?: string;
  /** Whose error it bounds: that of the audited weights, or of a network that was trained anew for the bound. */
  readonly network: "audited" | "trained for the bound";
}

/** train + (test - train): what was measured, and the deviation that chance alone allows. */
export interface ErrorDecomposition {
  readonly trainError: number;
  readonly testError: number;
  readonly gap: number;
  /** At confidence 1 - delta the true error lies in this range, by the test examples alone. */
  readonly trueError: readonly [lower: number, upper: number];
  readonly delta: number;
}

export interface Audit {
  readonly model: AuditedNetwork;
  readonly data: AuditedData;
  readonly measures: ModelMeasures;
  /** Those of the audited weights first, the tightest first and those with unmet hypotheses last; then those of another network. */
  readonly bounds: readonly AuditBound[];
  readonly errorDecomposition?: ErrorDecomposition;
  readonly delta: number;
  /** Seconds of work, by part. */
  readonly seconds: Readonly<Record<string, number>>;
}

/** Several models on the same data. */
export interface AuditComparison {
  readonly audits: readonly Audit[];
  /** Kendall's rank correlation of each measure with test error - train error, the closest first. */
  readonly ranking: readonly RankedMeasure[];
}
