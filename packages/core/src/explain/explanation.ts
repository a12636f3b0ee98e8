// What an explanation is, whatever the method: relevance in the shape of the input, and how it adds up.
import type { Tensor } from "../graph/tensor.ts";
import type { Target } from "../passes/relevance.ts";

export interface LedgerRow {
  readonly node: string;
  readonly operator: string;
  readonly rule: string;
  /** What arrived, what was handed on, and what biases and stabilizers took of it. */
  readonly in: number;
  readonly out: number;
  readonly bias: number;
  readonly absorbed: number;
}

export interface Explanation {
  readonly method: string;
  readonly composite?: string;
  /** The class that is explained, of each example; undefined where all scores are, or shares of them. */
  readonly classes: readonly (number | undefined)[];
  readonly target: Target;
  /** What is explained of each example: the score, or a difference of two. */
  readonly scores: readonly number[];
  /** The scores of all classes, of each example. */
  readonly allScores: readonly (readonly number[])[];
  /** By name of input. */
  readonly relevance: ReadonlyMap<string, Tensor>;
  readonly sums: readonly number[];
  /** |sum + biases + what was absorbed - score| for relevance propagation, |sum - what it should be| elsewhere. */
  readonly conservationError: number;
  /** Where the books do not add up: a row, and by how much. */
  readonly imbalance?: { readonly row: LedgerRow; readonly by: number };
  readonly ledger?: readonly LedgerRow[];
  /** Numbers that belong to the method: steps, remainder, standard errors; of a batch the worst. */
  readonly details: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
}

/** Sums over everything but the first axis. */
export function sumsByExample(values: ArrayLike<number>, examples: number): number[] {
  const size = values.length / examples;
  return Array.from({ length: examples }, (_, n) => {
    let sum = 0;
    for (let k = 0; k < size; k++) sum += values[n * size + k]!;
    return sum;
  });
}
