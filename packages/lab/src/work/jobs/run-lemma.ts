// One run of a lemma.

import type { Figure } from "@lemmata/core/figure";
import type { Graph } from "@lemmata/core/graph";
import { type Claim, findLemma, type ParameterRecord } from "@lemmata/core/theory";
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
}

export const runLemma: Job<LemmaInput, LemmaOutput> = async (
  { id, parameters, seed },
  { signal, progress },
) => {
  const lemma = await findLemma(id);
  const { claims, figure, graph } = await lemma.run(parameters, { seed, signal, onProgress: progress });
  return { claims, ...(figure && { figure }), ...(graph && { graph }) };
};
