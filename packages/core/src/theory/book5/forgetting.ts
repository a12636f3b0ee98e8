// An LSTM cell of one unit whose gates know nothing of its words: all that it does is forget.
import { composite, explain } from "../../explain/index.ts";
import { perWord, wordGradientTimesInput } from "../../explain/word-relevance.ts";
import { parseRule } from "../../passes/relevance.ts";
import { lstmNetwork, sequence } from "./lstm-network.ts";
import type { Gate } from "./plain-lstm.ts";

/** The gate that is always open by this much. */
const constant = (open: number): Gate => ({ W: [[0]], U: [[0]], b: [Math.log(open / (1 - open))] });

/** The relevance of the first word over that of the last, by LRP and by Gradient × Input: words x, 1, 1, ..., 1. */
export async function steadyCell(
  steps: number,
  forget: number,
  x: number,
): Promise<{ readonly relevance: number; readonly gradient: number }> {
  const cell = { z: { W: [[1]], U: [[0]], b: [0] }, i: constant(0.5), f: constant(forget), o: constant(0.5) };
  const graph = lstmNetwork(cell, { W: [[1]], b: [0] }, steps);
  const inputs = { x: sequence(Array.from({ length: steps }, (_, t) => [t === 0 ? x : 1])) };
  const zero = parseRule("zero");
  const lines = [
    { at: "layer", rule: zero },
    { at: "sum", rule: zero },
  ] as const;
  const found = await explain(graph, inputs, { composite: { ...composite("text"), lines }, output: "y" });
  const [relevance] = perWord(found.relevance.get("x")!);
  const [slopes] = await wordGradientTimesInput({ graph, words: "x", scores: "y" }, inputs);
  const firstOverLast = (words: readonly number[]): number => words[0]! / words.at(-1)!;
  return { relevance: firstOverLast(relevance!), gradient: firstOverLast(slopes!) };
}
