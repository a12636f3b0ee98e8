// One trial of a falsifier: what a lemma's run found with drawn parameters. Text and back, exactly.
import { type Claim, judgeAll } from "./claim.ts";
import { HypothesisError, type Lemma } from "./lemma.ts";
import type { Measurements } from "./mutant.ts";
import type { ParameterRecord } from "./parameter.ts";

export interface Trial {
  readonly parameters: ParameterRecord;
  readonly seed: number;
  readonly claims: readonly Claim[];
  readonly measurements: Measurements;
  readonly failure?: string;
  /** The hypothesis that excludes the parameters. */
  readonly excluded?: string;
}

/** What makes a trial the same trial. */
export const trialKey = (parameters: ParameterRecord, seed: number): string =>
  JSON.stringify([parameters, seed]);

export async function runTrial(
  lemma: Lemma,
  parameters: ParameterRecord,
  seed: number,
  signal?: AbortSignal,
): Promise<Trial> {
  const nothing = { parameters, seed, claims: [], measurements: {} };
  try {
    const { claims, measurements } = await lemma.run(parameters, { budget: "cheap", seed, signal });
    return { parameters, seed, claims, measurements };
  } catch (cause) {
    if (signal?.aborted) throw cause;
    if (cause instanceof HypothesisError) return { ...nothing, excluded: cause.message };
    return { ...nothing, failure: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Numbers that JSON has no words for. */
const unwritten = (value: number): boolean => !Number.isFinite(value) || Object.is(value, -0);
const [bigTag, numberTag] = ["$integer", "$number"];

const encoded = (_key: string, value: unknown): unknown => {
  if (typeof value === "bigint") return { [bigTag]: String(value) };
  if (typeof value !== "number" || !unwritten(value)) return value;
  return { [numberTag]: Object.is(value, -0) ? "-0" : String(value) };
};

const decoded = (_key: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  const { [bigTag]: big, [numberTag]: number } = value as Record<string, unknown>;
  if (typeof big === "string") return BigInt(big);
  return typeof number === "string" ? Number(number) : value;
};

/**
 * Trials as text that says everything about them: fractions of large integers, infinities, the sign of zero.
 * @example trialsText([]) // "[]"
 */
export const trialsText = (trials: readonly Trial[]): string =>
  JSON.stringify(
    trials.map(({ claims: _, ...rest }) => rest),
    encoded,
  );

/**
 * Trials of a lemma from their text; what was measured is judged again.
 * @example readTrials("[]", await findLemma("T-27")) // []
 */
export const readTrials = (text: string, lemma: Pick<Lemma, "claims">): readonly Trial[] =>
  (JSON.parse(text, decoded) as readonly Omit<Trial, "claims">[]).map((trial) => ({
    ...trial,
    claims: judgeAll(lemma.claims, trial.measurements),
  }));
