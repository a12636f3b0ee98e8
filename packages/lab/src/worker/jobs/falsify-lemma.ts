// The search for parameters that break a lemma's claims.
import { falsify, findLemma, type Report } from "@lemmata/core/theory";
import type { Job } from "../protocol.ts";

export interface FalsifyInput {
  readonly id: string;
  readonly trials: number;
  readonly seed: number;
}

export const falsifyLemma: Job<FalsifyInput, Report> = async ({ id, trials, seed }, { signal, progress }) =>
  falsify(await findLemma(id), {
    ...{ trials, seed, signal },
    onProgress: (fraction) => progress(fraction, fraction >= 1 ? "simplifying what broke" : undefined),
  });
