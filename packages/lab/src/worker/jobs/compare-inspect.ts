// What a dropped model is: its inputs, outputs and size at once, and then the fingerprint of its canonical form.

import { canonicalForm } from "@lemmata/core/equivalence";
import { isTensorType, requiredInputs, type ValueInfo } from "@lemmata/core/graph";
import { sizes } from "@lemmata/core/passes";
import type { ModelFiles } from "../../audit/model-files.ts";
import { readDroppedModel } from "../../audit/read-model.ts";
import type { Job } from "../protocol.ts";

export interface ModelSummary {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly parameters: number;
  readonly widths: readonly (number | undefined)[];
}

export interface InspectedModel extends ModelSummary {
  readonly fingerprint?: string;
  readonly exactFingerprint?: string;
  /** Why there is no fingerprint. */
  readonly unread?: string;
}

const described = ({ name, type }: ValueInfo): string =>
  isTensorType(type)
    ? `${name}: ${type.type}${type.shape ? ` [${type.shape.map((d) => d ?? "?").join(", ")}]` : ""}`
    : `${name}: ${type.description}`;

export const inspectModel: Job<ModelFiles, InspectedModel> = async (files, { partial }) => {
  const graph = await readDroppedModel(files);
  const { parameters, widths } = sizes(graph);
  const summary: ModelSummary = {
    inputs: requiredInputs(graph).map(described),
    outputs: graph.outputs.map(described),
    parameters,
    widths,
  };
  partial(summary);
  try {
    const { fingerprint, exactFingerprint } = canonicalForm(graph);
    return { ...summary, fingerprint, exactFingerprint };
  } catch (error) {
    return { ...summary, unread: error instanceof Error ? error.message : String(error) };
  }
};
