// What the bounds of an audit are computed from.
import type { AuditedModel } from "../measures/audited-model.ts";
import type { LinearLayer } from "../measures/linear-layers.ts";
import type { ModelMeasures } from "../measures/measure-model.ts";
import type { Examples } from "../train/data/dataset.ts";
import type { AuditedData } from "./audit.ts";

export interface BoundsInput {
  readonly model: AuditedModel;
  readonly layers: readonly LinearLayer[];
  readonly measures: ModelMeasures;
  readonly about: AuditedData;
  readonly data: Examples;
  readonly test?: Examples;
}

export interface AuditedBoundsOptions {
  readonly delta: number;
  readonly models: number;
  readonly seed: number;
  readonly pacBayes: boolean | "auto";
  readonly inputRadius: number;
  readonly signal?: AbortSignal;
  readonly onProgress: (share: number) => void;
}
