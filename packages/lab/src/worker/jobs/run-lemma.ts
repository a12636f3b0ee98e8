// One run of a lemma.

import type { Figure } from "@lemmata/core/figure";
import type { Graph } from "@lemmata/core/graph";
import {
  type Claim,
  findLemma,
  HypothesisError,
  type LemmaTable,
  type ParameterRecord,
} from "@lemmata/core/theory";
import type { Job } from "../protocol.ts";

export interface LemmaInput {
  readonly id: string;
  readonly parameters: ParameterRecord;
  readonly seed: number;
}

export interface LemmaOutput {
  readonly claims: readonly Claim[];
  readonly figure?: Figure;
  readonly graph?: Graph;
  readonly table?: LemmaTable;
  /** The parameters violate a hypothesis of the theorem: nothing was run, nothing is claimed. */
  readonly hypothesis?: string;
  /** How long the run took, in milliseconds. */
  readonly duration: number;
}

export const runLemma: Job<LemmaInput, LemmaOutput> = async (
  { id, parameters, seed },
  { signal, progress },
) => {
  const lemma = await findLemma(id);
  const start = performance.now();
  const duration = () => performance.now() - start;
  try {
    const { claims, figure, graph, table } = await lemma.run(parameters, {
      seed,
      signal,
      onProgress: progress,
    });
    const found = { ...(figure && { figure }), ...(graph && { graph }), ...(table && { table }) };
    return { claims, ...found, duration: duration() };
  } catch (error) {
    if (!(error instanceof HypothesisError)) throw error;
    const hypothesis = error.message.replace(new RegExp(`^${lemma.id}: `), "");
    return { claims: [], hypothesis, duration: duration() };
  }
};
