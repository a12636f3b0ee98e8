// What an explanation adds up to, who took the rest, and how it is spread.
import { numbers } from "../graph/tensor.ts";
import type { Explanation } from "./explanation.ts";

export interface ExplanationAudit {
  /** What is explained, what the inputs got of it, and what is missing: score - sum. */
  readonly score: number;
  readonly sum: number;
  readonly gap: number;
  /** What biases and stabilizers took, by the books; 0 for methods that keep none. */
  readonly bias: number;
  readonly absorbed: number;
  /** What neither explains. */
  readonly unexplained: number;
  readonly spread: Spread;
}

/** How relevance is spread over the inputs. */
export interface Spread {
  /** The part of sum |R| that is below 0. */
  readonly negative: number;
  /** The entropy of |R| / sum |R|, in nats: 0 for one input, log d for all alike. */
  readonly entropy: number;
  /** 0 for all alike, 1 - 1/d for one input. */
  readonly gini: number;
}

/**
 * The sign and the concentration of relevance.
 * @example spreadOf([0, 0, -2, 0]) // { negative: 1, entropy: 0, gini: 0.75 }
 */
export function spreadOf(relevance: ArrayLike<number>): Spread {
  const sizes = Array.from(relevance, Math.abs).sort((a, b) => a - b);
  const total = sizes.reduce((s, v) => s + v, 0);
  if (total === 0) return { negative: 0, entropy: Math.log(sizes.length), gini: 0 };
  const below = Array.from(relevance).reduce((s, v) => s + Math.max(0, -v), 0);
  const entropy = sizes.reduce((s, v) => (v > 0 ? s - (v / total) * Math.log(v / total) : s), 0);
  const d = sizes.length;
  const ranked = sizes.reduce((s, v, k) => s + (2 * (k + 1) - d - 1) * v, 0);
  return { negative: below / total, entropy: Math.max(0, entropy), gini: ranked / (d * total) };
}

/**
 * The books of an explanation, all examples together.
 * @example auditExplanation(await explain(net, { x: tensor([[0.5]]) }, { method: "gradient" })).bias // 0
 */
export function auditExplanation({ scores, sums, relevance, ledger = [] }: Explanation): ExplanationAudit {
  const total = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0);
  const [score, sum] = [total(scores), total(sums)];
  const bias = total(ledger.map((row) => row.bias));
  const absorbed = total(ledger.map((row) => row.absorbed));
  const all = [...relevance.values()].flatMap((t) => Array.from(numbers(t)));
  const gap = score - sum;
  return { score, sum, gap, bias, absorbed, unexplained: gap - bias - absorbed, spread: spreadOf(all) };
}
