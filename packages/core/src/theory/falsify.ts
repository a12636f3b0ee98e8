// Tries to break the claims of a lemma: random, boundary and shrunk parameters; then does the same to its mutants.
import { type Claim, type Erratum, nearness } from "./claim.ts";
import type { Lemma } from "./lemma.ts";
import { type AnyMutant, measuredElsewhere, violated, withOtherTheory } from "./mutant.ts";
import type { ParameterRecord } from "./parameter.ts";
import { runTrial, type Trial, trialKey } from "./trial.ts";

export interface Violation {
  readonly id: string;
  readonly claim: string;
  readonly relation: Claim["relation"];
  readonly theory: number;
  readonly measured: number;
  /** The simplest parameters found that violate it. */
  readonly parameters: ParameterRecord;
  readonly seed: number;
  readonly erratum?: Erratum;
  /** Said when the run itself failed, or of a probable claim that fails too often. */
  readonly reason?: string;
}

export interface Report {
  readonly trials: number;
  /** Trials whose parameters a hypothesis excludes. */
  readonly excluded: number;
  /** Why, and how often each. */
  readonly exclusions: Readonly<Record<string, number>>;
  /** Claims that no trial measured. */
  readonly unmeasured: readonly string[];
  /** Of each inequality that was measured, how near the nearest trial came to its bound: 1 is at the bound. */
  readonly nearest: Readonly<Record<string, number>>;
  /** Mutants that no trial told from the lemma itself. */
  readonly survivors: readonly string[];
  /** Violated claims in their corrected reading: somebody (the code, the catalogue, the theorem) is wrong. */
  readonly violations: readonly Violation[];
  /** Violated claims as printed: errata, each with its counterexample. */
  readonly errata: readonly Violation[];
}

export interface FalsifyOptions {
  readonly trials?: number;
  readonly seed?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number) => void;
  /** Trials that were run before, somewhere: they are not run again. What is reported does not depend on them. */
  readonly known?: Iterable<Trial>;
}

export type Attempt = (parameters: ParameterRecord, seed: number) => Promise<Trial>;

/**
 * Runs the claims of a lemma on drawn parameters and reports each violation with what causes it.
 * @example (await falsify(await findLemma("T-27"), { trials: 20 })).violations // []
 */
export async function falsify(
  lemma: Lemma,
  { trials = 100, seed = 1, signal, onProgress, known: before = [] }: FalsifyOptions = {},
): Promise<Report> {
  const { fc, trialArbitraries } = await import("./draw-parameter.ts"); // not needed to run a lemma, and large
  const known = new Map<string, Trial>();
  for (const trial of before) known.set(trialKey(trial.parameters, trial.seed), trial);
  const attempt: Attempt = async (parameters, trialSeed) => {
    signal?.throwIfAborted();
    const key = trialKey(parameters, trialSeed);
    const trial = known.get(key) ?? (await runTrial(lemma, parameters, trialSeed, signal));
    known.set(key, trial);
    return trial;
  };
  /** Draws the same parameters every time it is called; on a violation, shrinks them. */
  const search = async (violates: (trial: Trial) => boolean) => {
    const details = await fc.check(
      fc.asyncProperty(...trialArbitraries(lemma.parameters), async (parameters, trialSeed) => {
        if (violates(await attempt(parameters, trialSeed))) throw new Error("violated");
      }),
      { numRuns: trials, seed, verbose: 0 },
    );
    signal?.throwIfAborted(); // fast-check takes an abort for a failed trial
    return details;
  };
  const simplest = async (violates: (trial: Trial) => boolean): Promise<Trial> => {
    const { counterexample } = await search(violates);
    return attempt(...counterexample!);
  };

  const drawn: Trial[] = [];
  await search((trial) => {
    drawn.push(trial);
    onProgress?.(drawn.length / trials);
    return false;
  });

  const found: Violation[] = [];
  if (drawn.some((t) => t.failure)) {
    const trial = await simplest((t) => t.failure !== undefined);
    const itself = { name: "the run itself", reading: "corrected" } as Claim;
    found.push(violation(lemma, trial, itself, trial.failure));
  }
  for (const [name, statement] of Object.entries(lemma.claims)) {
    const outcomes = claimsNamed(drawn, name);
    if (!violated(statement, outcomes)) continue;
    if (statement.kind === "probable") {
      const trial = drawn.find((t) => broken(t, name))!;
      const failures = outcomes.filter((c) => !c.holds).length;
      const allowed = Math.max(...outcomes.map((c) => c.delta ?? 0));
      const reason = `fails in ${failures} of ${outcomes.length} trials, delta = ${allowed}`;
      found.push(violation(lemma, trial, broken(trial, name)!, reason));
    } else {
      const trial = await simplest((t) => broken(t, name) !== undefined);
      found.push(violation(lemma, trial, broken(trial, name)!));
    }
  }
  const isPrinted = (v: Violation) => lemma.claims[v.claim]?.reading === "printed";
  return {
    trials: drawn.length,
    ...exclusions(drawn),
    unmeasured: Object.keys(lemma.claims).filter((name) => claimsNamed(drawn, name).length === 0),
    nearest: nearest(lemma, drawn),
    survivors: await survivors(lemma, drawn, attempt),
    violations: found.filter((v) => !isPrinted(v)),
    errata: found.filter(isPrinted),
  };
}

const claimsNamed = (trials: readonly Trial[], name: string): Claim[] =>
  trials.flatMap((t) => t.claims.filter((c) => c.name === name));

const broken = (trial: Trial, name: string): Claim | undefined =>
  trial.claims.find((c) => c.name === name && !c.holds);

function exclusions(trials: readonly Trial[]): Pick<Report, "excluded" | "exclusions"> {
  const reasons: Record<string, number> = {};
  for (const { excluded } of trials) if (excluded) reasons[excluded] = (reasons[excluded] ?? 0) + 1;
  return { excluded: trials.filter((t) => t.excluded).length, exclusions: reasons };
}

/** Of each inequality, how near the nearest trial came to its bound. */
function nearest(lemma: Lemma, trials: readonly Trial[]): Record<string, number> {
  const inequalities = Object.entries(lemma.claims).filter(
    ([, c]) => c.relation !== "=" && c.kind !== "rate",
  );
  return Object.fromEntries(
    inequalities.flatMap(([name]) => {
      const outcomes = claimsNamed(trials, name).filter((c) => c.theory !== 0); // a sign is not near or far
      return outcomes.length > 0 ? [[name, Math.max(...outcomes.map(nearness))]] : [];
    }),
  );
}

/** The mutants that every trial agrees with. */
async function survivors(lemma: Lemma, drawn: readonly Trial[], attempt: Attempt): Promise<string[]> {
  const alive: string[] = [];
  for (const [name, mutant] of Object.entries(lemma.mutants)) {
    if (!(await caught(lemma, mutant, drawn, attempt))) alive.push(name);
  }
  return alive;
}

/** Whether the damage shows: in one trial for what is sure, in more failures than delta explains for what is probable. */
export async function caught(
  lemma: Lemma,
  mutant: AnyMutant,
  drawn: Iterable<Trial>,
  attempt: Attempt,
): Promise<boolean> {
  const outcomes = new Map<string, Claim[]>();
  for (const trial of drawn) {
    if (trial.excluded || trial.failure) continue;
    for (const claim of await damaged(lemma, mutant, trial, attempt)) {
      const all = [...(outcomes.get(claim.name) ?? []), claim];
      outcomes.set(claim.name, all);
      if (!claim.holds && violated(claim, all)) return true;
    }
  }
  return false;
}

async function damaged(lemma: Lemma, mutant: AnyMutant, trial: Trial, attempt: Attempt): Promise<Claim[]> {
  const { parameters, measurements, claims, seed } = trial;
  if (typeof mutant !== "function")
    return withOtherTheory(mutant, lemma.claims, parameters, measurements, claims);
  const elsewhere = { ...parameters, ...mutant(parameters) };
  const inRange = Object.entries(lemma.parameters).every(
    ([k, p]) => p.schema.safeParse(elsewhere[k]).success,
  );
  if (!inRange) return [];
  return measuredElsewhere(lemma.claims, measurements, (await attempt(elsewhere, seed)).measurements);
}

const violation = (lemma: Lemma, trial: Trial, claim: Claim, reason?: string): Violation => ({
  id: lemma.id,
  claim: claim.name,
  relation: claim.relation,
  theory: claim.theory,
  measured: claim.measured,
  parameters: trial.parameters,
  seed: trial.seed,
  erratum: claim.erratum,
  reason,
});
