// Self-attention in plain numbers, and how many tokens each token really reads.
import type { Rows } from "../linear-algebra/symmetric-eigen.ts";
import { SparseError } from "./error.ts";

const times = (a: Rows, b: Rows): number[][] =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, v, k) => sum + v * b[k]![j]!, 0)));

/**
 * X W_Q W_K^T X^T, a row a query: the scores before they are scaled.
 * @example scoreMatrix([[1], [2]], [[3]], [[1]]) // [[3, 6], [6, 12]]
 */
export function scoreMatrix(X: Rows, queryWeights: Rows, keyWeights: Rows): number[][] {
  const [Q, K] = [times(X, queryWeights), times(X, keyWeights)];
  return Q.map((q) => K.map((k) => q.reduce((sum, v, c) => sum + v * k[c]!, 0)));
}

/**
 * exp(beta s_j) / sum_k exp(beta s_k) in each row.
 * @example softmaxRows([[0, Math.log(3)]]).flat().map((v) => Math.round(4 * v)) // [1, 3]
 */
export const softmaxRows = (scores: Rows, beta = 1): number[][] =>
  scores.map((row) => {
    const top = Math.max(...row.map((s) => beta * s));
    const powers = row.map((s) => Math.exp(beta * s - top));
    const total = powers.reduce((a, b) => a + b, 0);
    return powers.map((p) => p / total);
  });

/** A V with A = softmax(Q K^T / sqrt(d_k)): what one head of attention computes. */
export function attention(
  X: Rows,
  { query, key, value }: { readonly query: Rows; readonly key: Rows; readonly value: Rows },
): { readonly weights: number[][]; readonly output: number[][] } {
  const weights = softmaxRows(scoreMatrix(X, query, key), 1 / Math.sqrt(query[0]!.length));
  return { weights, output: times(weights, times(X, value)) };
}

/**
 * H_D: weights above the threshold, scaled to sum 1 again; a row without any keeps its greatest.
 * @example thresholded([[0.1, 0.3, 0.6]], 0.2)[0].map((v) => Math.round(3 * v)) // [0, 1, 2]
 */
export function thresholded(weights: Rows, threshold: number): number[][] {
  return weights.map((row) => {
    const level = Math.min(threshold, Math.max(...row) - Number.MIN_VALUE);
    const kept = row.map((a) => (a > level || a === Math.max(...row) ? a : 0));
    const total = kept.reduce((sum, a) => sum + a, 0);
    return kept.map((a) => a / total);
  });
}

export interface Support {
  /** 1 / sum a^2: how many tokens would share the weight equally; at least 1. */
  readonly participation: number;
  /** exp of the entropy: the same, less swayed by the greatest; at least the participation. */
  readonly perplexity: number;
  /** Tokens with more than the threshold. */
  readonly count: number;
}

/**
 * How many tokens a row of attention weights reads.
 * @example supportOf([0.5, 0.5, 0, 0]).participation // 2
 */
export function supportOf(weights: readonly number[], threshold = 0): Support {
  const total = weights.reduce((sum, a) => sum + a, 0);
  if (!(Math.abs(total - 1) < 1e-3) || weights.some((a) => !(a >= 0)))
    throw new SparseError(`attention weights are not negative and sum to 1, not to ${total}`);
  const entropy = weights.reduce((sum, a) => (a > 0 ? sum - a * Math.log(a) : sum), 0);
  return {
    participation: 1 / weights.reduce((sum, a) => sum + a * a, 0),
    perplexity: Math.exp(entropy),
    count: weights.filter((a) => a > threshold).length,
  };
}

/**
 * Edges that were found, against those that are there: the share of the found ones that are there, and of these the share found.
 * @example edgeRecovery([[1, 0.5, 0, 0]], [[0, 1, 2, 3]], 0.1).recall // 0.5
 */
export function edgeRecovery(
  weights: Rows,
  graph: readonly (readonly number[])[],
  threshold = 0,
): { readonly precision: number; readonly recall: number; readonly f1: number } {
  let [found, right, there] = [0, 0, 0];
  weights.forEach((row, i) => {
    const edges = new Set(graph[i]);
    there += edges.size;
    row.forEach((a, j) => {
      if (!(Math.abs(a) > threshold)) return;
      found++;
      if (edges.has(j)) right++;
    });
  });
  const [precision, recall] = [found === 0 ? 1 : right / found, there === 0 ? 1 : right / there];
  return { precision, recall, f1: right === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}
