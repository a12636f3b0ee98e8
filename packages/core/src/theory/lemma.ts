// A lemma: one piece of the theory, with typed parameters, what it builds, a figure, and claims.

import type { Figure } from "../figure/figure.ts";
import { UnmetHypothesis } from "../functions/hypothesis.ts";
import { ReadableError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import { createRandom, type Random } from "../numbers/random.ts";
import { type Claim, type ClaimStatement, judgeAll, type Measurement } from "./claim.ts";
import type { AnyMutant, Measurements, Mutant } from "./mutant.ts";
import type { ParameterRecord, Parameters, ParameterValues } from "./parameter.ts";

/** A wrong id, parameter or option; the message says what would be right. */
export class TheoryError extends ReadableError {
  override readonly name: string = "TheoryError";
}

/**
 * The parameters violate a hypothesis of the theorem, which the message names: nothing is claimed, nothing refuted.
 * For checks of the input only: a construction that fails where the theorem promises one is a violation.
 */
export class HypothesisError extends TheoryError {}

export type LemmaKind = "construction" | "bound" | "measure" | "algorithm" | "experiment";

/** How much work a run may do: a falsifier's trial, a live page, a figure for a paper. */
export type Budget = "cheap" | "live" | "thorough";
const effort: Record<Budget, number> = { cheap: 0.1, live: 1, thorough: 10 };

export interface RunContext {
  readonly budget: Budget;
  /** Scales a number of samples, grid points or steps to the budget. */
  scale(count: number): number;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Reports progress (0 to 1); stops the run when it has been aborted. */
  progress(fraction: number): Promise<void>;
}

/** Numbers to be read together, which no claim is about. */
export interface LemmaTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface Outcome<C extends string = string> {
  readonly graph?: Graph;
  readonly figure?: Figure;
  readonly table?: LemmaTable;
  /** A claim that does not apply to these parameters is left out. */
  readonly claims: Readonly<Partial<Record<C, Measurement>>>;
}

export interface LemmaDefinition<P extends Parameters, C extends string> {
  readonly id: string;
  /** Ids of the catalogue that this lemma covers. */
  readonly covers: readonly string[];
  readonly kind: LemmaKind;
  readonly title: string;
  readonly source: string;
  /** LaTeX. */
  readonly statement: string;
  readonly parameters: P;
  readonly claims: Readonly<Record<C, ClaimStatement>>;
  /** Damaged versions of what is computed, named by what would be wrong: the falsifier must catch each of them. */
  readonly mutants?: Readonly<Record<string, Mutant<P, C>>>;
  run(parameters: ParameterValues<P>, context: RunContext): Outcome<C> | Promise<Outcome<C>>;
}

export interface Result {
  readonly parameters: ParameterRecord;
  readonly claims: readonly Claim[];
  /** The numbers behind the claims, exact where they are. */
  readonly measurements: Measurements;
  readonly graph?: Graph;
  readonly figure?: Figure;
  readonly table?: LemmaTable;
}

export interface RunOptions {
  readonly budget?: Budget;
  readonly seed?: number | string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number) => void;
}

/** A lemma as the registry, the command line, the lab and the falsifier see it. */
export interface Lemma extends Omit<LemmaDefinition<Parameters, string>, "run" | "mutants"> {
  readonly mutants: Readonly<Record<string, AnyMutant>>;
  /** Parses the parameters (missing ones have defaults), runs, and judges the claims. */
  run(parameters?: Readonly<Record<string, unknown>>, options?: RunOptions): Promise<Result>;
}

/** Declares a lemma; see CONTRIBUTING for a walk through one. */
export function lemma<const P extends Parameters, const C extends string>(
  definition: LemmaDefinition<P, C>,
): Lemma {
  return {
    ...definition,
    mutants: (definition.mutants ?? {}) as Readonly<Record<string, AnyMutant>>,
    async run(given = {}, options = {}) {
      const parameters = parseParameters(definition, given);
      const context = runContext(definition.id, options);
      const outcome = await underHypotheses(definition.id, () =>
        definition.run(parameters as ParameterValues<P>, context),
      );
      const measurements = outcome.claims as Measurements;
      const claims = judgeAll(definition.claims, measurements);
      const { graph, figure, table } = outcome;
      return { parameters, claims, measurements, graph, figure, table };
    },
  };
}

/** An activation that lacks what the theorem asks of it is input like any other: the theorem says nothing about it. */
async function underHypotheses<T>(id: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const unmet = error instanceof UnmetHypothesis || error instanceof HypothesisError;
    if (unmet && !error.message.startsWith(id)) throw new HypothesisError(`${id}: ${error.message}`);
    throw error;
  }
}

function runContext(id: string, { budget = "live", seed = 0, signal, onProgress }: RunOptions): RunContext {
  const stop = signal ?? new AbortController().signal;
  let yielded = performance.now();
  return {
    budget,
    scale: (count) => Math.max(1, Math.round(count * effort[budget])),
    random: createRandom(`${id}/${seed}`),
    signal: stop,
    async progress(fraction) {
      stop.throwIfAborted();
      onProgress?.(fraction);
      if (performance.now() - yielded < 16) return;
      await new Promise((resolve) => setTimeout(resolve, 0)); // lets timers, signals and the page breathe
      yielded = performance.now();
    },
  };
}

function expected({ kind, range, options }: Parameters[string]): string {
  if (options) return `one of ${options.join(", ")}`;
  return `${kind === "integer" ? "an integer" : "a number"} from ${range?.[0]} to ${range?.[1]}`;
}

/**
 * The parameters of a lemma with these values and its defaults, or an error that says which one is wrong.
 * @example parseParameters(await findLemma("T-27"), { i: "3" }) // { i: 3 }
 */
export function parseParameters(
  { id, parameters }: { readonly id: string; readonly parameters: Parameters },
  given: Readonly<Record<string, unknown>>,
): ParameterRecord {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(parameters, name)) continue;
    const known = Object.keys(parameters).join(", ") || "none";
    throw new TheoryError(`${id} has no parameter "${name}"; its parameters: ${known}`);
  }
  const values: Record<string, number | string | boolean> = {};
  for (const [name, { schema, default: fallback }] of Object.entries(parameters)) {
    const parsed = schema.safeParse(given[name] ?? fallback);
    if (!parsed.success) {
      throw new TheoryError(
        `${id}: parameter ${name} = ${given[name]}: it is ${expected(parameters[name]!)}`,
      );
    }
    values[name] = parsed.data;
  }
  return values;
}
