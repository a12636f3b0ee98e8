// Tries to break the claims of a lemma: random, boundary and shrunk parameters.
import { poissonBinomialTail } from "../engine/statistics.ts";
import type { Claim, Erratum } from "./claim.ts";
import { HypothesisError, type Lemma, type ParameterRecord, type Result } from "./lemma.ts";

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
  /** Claims that no trial measured. */
  readonly unmeasured: readonly string[];
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
}

interface Trial {
  readonly parameters: ParameterRecord;
  readonly seed: number;
  readonly claims: readonly Claim[];
  readonly failure?: string;
  readonly excluded?: boolean;
}

/** A probable claim is violated when its failures would be this unlikely if it were true. */
const significance = 1e-6;

/**
 * Runs the claims of a lemma on drawn parameters and reports each violation with what causes it.
 * @example (await falsify(await findLemma("T-27"), { trials: 20 })).violations // []
 */
export async function falsify(
  lemma: Lemma,
  { trials = 100, seed = 1, signal, onProgress }: FalsifyOptions = {},
): Promise<Report> {
  const { drawParameters, fc } = await import("./draw-parameter.ts"); // not needed to run a lemma, and large
  const known = new Map<string, Trial>();
  const attempt = async (parameters: ParameterRecord, trialSeed: number): Promise<Trial> => {
    signal?.throwIfAborted();
    const key = JSON.stringify([parameters, trialSeed]);
    const trial = known.get(key) ?? (await runTrial(lemma, parameters, trialSeed, signal));
    known.set(key, trial);
    return trial;
  };
  /** Draws the same parameters every time it is called; on a violation, shrinks them. */
  const search = async (violates: (trial: Trial) => boolean) => {
    const details = await fc.check(
      fc.asyncProperty(
        drawParameters(lemma.parameters),
        fc.noShrink(fc.noBias(fc.nat())),
        async (parameters, trialSeed) => {
          if (violates(await attempt(parameters, trialSeed))) throw new Error("violated");
        },
      ),
      { numRuns: trials, seed, verbose: 0 },
    );
    signal?.throwIfAborted(); // fast-check takes an abort for a failed trial
    return details;
  };

  const drawn: Trial[] = [];
  await search((trial) => {
    drawn.push(trial);
    onProgress?.(drawn.length / trials);
    return false;
  });

  const found: Violation[] = [];
  if (drawn.some((t) => t.failure)) {
    const { counterexample } = await search((t) => t.failure !== undefined);
    const trial = await attempt(...counterexample!);
    found.push(
      violation(lemma, trial, { name: "the run itself", reading: "corrected" } as Claim, trial.failure),
    );
  }
  for (const name of Object.keys(lemma.claims)) {
    const claims = drawn.flatMap((t) => t.claims.filter((c) => c.name === name));
    const failures = claims.filter((c) => !c.holds).length;
    const kind = lemma.claims[name]!.kind;
    if (failures === 0) continue;
    if (kind === "probable") {
      const chance = poissonBinomialTail(
        claims.map((c) => c.delta ?? 0),
        failures,
      );
      if (chance >= significance) continue;
      const trial = drawn.find((t) => broken(t, name))!;
      found.push(
        violation(lemma, trial, broken(trial, name)!, `fails in ${failures} of ${claims.length} trials`),
      );
      continue;
    }
    const { counterexample } = await search((t) => broken(t, name) !== undefined);
    const trial = await attempt(...counterexample!);
    found.push(violation(lemma, trial, broken(trial, name)!));
  }
  const isPrinted = (v: Violation) => lemma.claims[v.claim]?.reading === "printed";
  const measured = new Set(drawn.flatMap((t) => t.claims.map((c) => c.name)));
  return {
    trials: drawn.length,
    excluded: drawn.filter((t) => t.excluded).length,
    unmeasured: Object.keys(lemma.claims).filter((name) => !measured.has(name)),
    violations: found.filter((v) => !isPrinted(v)),
    errata: found.filter(isPrinted),
  };
}

const broken = (trial: Trial, name: string): Claim | undefined =>
  trial.claims.find((c) => c.name === name && !c.holds);

async function runTrial(
  lemma: Lemma,
  parameters: ParameterRecord,
  seed: number,
  signal?: AbortSignal,
): Promise<Trial> {
  try {
    const { claims }: Result = await lemma.run(parameters, { budget: "cheap", seed, signal });
    return { parameters, seed, claims };
  } catch (cause) {
    if (signal?.aborted) throw cause;
    if (cause instanceof HypothesisError) return { parameters, seed, claims: [], excluded: true };
    return { parameters, seed, claims: [], failure: cause instanceof Error ? cause.message : String(cause) };
  }
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
