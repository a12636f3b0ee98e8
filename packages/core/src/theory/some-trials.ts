// A part of a falsifier's trials, for one of many workers; `falsify` with all parts known reports what it would alone.
import { caught } from "./falsify.ts";
import type { Lemma } from "./lemma.ts";
import type { ParameterRecord } from "./parameter.ts";
import { runTrial, type Trial, trialKey } from "./trial.ts";

export interface SomeTrialsOptions {
  readonly seed?: number;
  /** The first trial, counted from 0. */
  readonly from: number;
  /** The one behind the last. */
  readonly to: number;
  readonly signal?: AbortSignal;
}

/**
 * The trials `from` to `to - 1` of those that `falsify` draws with this seed, and what its mutants need beside them.
 * @example (await someTrials(await findLemma("T-27"), { seed: 1, from: 3, to: 4 })).length >= 1 // true
 */
export async function someTrials(
  lemma: Lemma,
  { seed = 1, from, to, signal }: SomeTrialsOptions,
): Promise<readonly Trial[]> {
  const { fc, trialArbitraries } = await import("./draw-parameter.ts");
  const known = new Map<string, Trial>();
  const attempt = async (parameters: ParameterRecord, trialSeed: number): Promise<Trial> => {
    signal?.throwIfAborted();
    const key = trialKey(parameters, trialSeed);
    const trial = known.get(key) ?? (await runTrial(lemma, parameters, trialSeed, signal));
    known.set(key, trial);
    return trial;
  };
  const mine: Trial[] = [];
  let drawn = 0;
  await fc.check(
    fc.asyncProperty(...trialArbitraries(lemma.parameters), async (parameters, trialSeed) => {
      if (drawn++ >= from) mine.push(await attempt(parameters, trialSeed));
    }),
    { numRuns: to, seed, verbose: 0 },
  );
  signal?.throwIfAborted(); // fast-check takes an abort for a failed trial
  // Whoever judges a mutant by the trials of all parts finds what it measured elsewhere here.
  for (const mutant of Object.values(lemma.mutants))
    if (typeof mutant === "function") await caught(lemma, mutant, mine, attempt);
  return [...known.values()];
}
