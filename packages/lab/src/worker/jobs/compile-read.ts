// Reads a formula: its variables and how it is typeset, or what is wrong with it and where.
import { CompileError, parseFormula, variablesOf } from "@lemmata/core/formula";
import { expressionTex } from "../../compile/expression-tex.ts";
import type { Trouble } from "../../compile/problem.ts";
import type { Job } from "../protocol.ts";

export interface FormulaReading {
  readonly variables: readonly string[];
  readonly tex: string;
}

/** The place of an error in a formula, which its message begins with. */
export function formulaTrouble(message: string): Trouble {
  const [, at, text] = /^formula, character (\d+): (.*)$/s.exec(message) ?? [];
  return { where: "formula", message: text ?? message, ...(at !== undefined && { at: Number(at) }) };
}

/** Calls `read`; an error of the compiler becomes trouble with the formula. */
export function troubled<T>(read: () => T): T | { readonly trouble: Trouble } {
  try {
    return read();
  } catch (error) {
    if (error instanceof CompileError) return { trouble: formulaTrouble(error.message) };
    throw error;
  }
}

export const compileRead: Job<string, FormulaReading | { readonly trouble: Trouble }> = async (formula) =>
  troubled(() => ({ variables: variablesOf(formula), tex: expressionTex(parseFormula(formula)) }));
