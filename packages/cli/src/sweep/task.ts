// What a job does, and what comes of it: plain data, for another thread, process or machine.
import type { Row } from "@lemmata/core/sweep";
import type { Budget } from "@lemmata/core/theory";

export interface LemmaTask {
  readonly kind: "lemma";
  readonly id: string;
  readonly parameters: Readonly<Record<string, number | string | boolean>>;
  readonly seed: number;
  readonly budget: Budget;
}

/** A command of this program, by its words. */
export interface CommandTask {
  readonly kind: "command";
  readonly words: readonly string[];
}

/** A part of a falsifier's trials. */
export interface TrialsTask {
  readonly kind: "trials";
  readonly id: string;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
}

/** A share of the work on a query: a `verify` command that says everything that it knows. */
export interface ShareTask {
  readonly kind: "share";
  readonly words: readonly string[];
}

export type Task = LemmaTask | CommandTask | TrialsTask | ShareTask;

/** What a job may take; absent: what the command itself may, or all there is. */
export interface JobLimits {
  readonly seconds?: number | undefined;
  readonly gigabytes?: number | undefined;
}

export type Status = "done" | "failed" | "timeout" | "memory";

export interface Outcome {
  readonly status: Status;
  readonly seconds: number;
  readonly error?: string;
  readonly values?: Row;
}

/** An outcome as it travels: how it ended, and all of it as JSON, written once, where the job ran. */
export interface Sealed {
  readonly status: Status;
  readonly text: string;
}

export const seal = (outcome: Outcome): Sealed => ({ status: outcome.status, text: JSON.stringify(outcome) });
export const unseal = ({ text }: Sealed): Outcome => JSON.parse(text) as Outcome;
