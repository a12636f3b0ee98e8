// Compares an operator's definition with the runtime's own kernel.

import { run } from "../../src/engine/run.ts";
import { release } from "../../src/engine/session.ts";
import { definitionOf, rewrite } from "../../src/graph/definitions/index.ts";
import type { Dim, Graph, TensorType } from "../../src/graph/graph.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { cast, numbers, type Tensor } from "../../src/graph/tensor.ts";
import { feedsOf, graphOfCase, type OperatorCase } from "./operators-runtime.ts";

/**
 * Two f32 results that differ by the order of their operations only. The cases add up to a few dozen numbers; the
 * roundings (of half a unit each) partly cancel, so that 8 units in the last place are room for a sum of 256.
 */
export const f32Rounding = 8 * 2 ** -23;

/** sum |a - b| / sum |b|; where both are NaN they agree. Infinite when shapes differ. */
export function relativeError(a: Tensor, b: Tensor): number {
  if (a.dims.join() !== b.dims.join()) return Number.POSITIVE_INFINITY;
  const [x, y] = [numbers(a), numbers(b)];
  let [difference, total] = [0, 0];
  for (let k = 0; k < x.length; k++) {
    if (Number.isNaN(x[k]!) && Number.isNaN(y[k]!)) continue;
    difference += Math.abs(x[k]! - y[k]!);
    total += Math.abs(y[k]!);
  }
  return difference === 0 ? 0 : difference / total;
}

/** The mean of |a - b|, in units of the greatest |b| or of 1: for values that come out of functions bounded by 1. */
export function errorBeside1(a: Tensor, b: Tensor): number {
  if (a.dims.join() !== b.dims.join()) return Number.POSITIVE_INFINITY;
  const [x, y] = [Array.from(numbers(a)), Array.from(numbers(b))];
  const greatest = y.reduce((most, v) => Math.max(most, Math.abs(v)), 1);
  return x.reduce((sum, v, k) => sum + Math.abs(v - y[k]!), 0) / x.length / greatest;
}

/** The outputs as anybody would compute them, in a session that is not kept. */
export async function runOnce(graph: Graph, usage: OperatorCase): Promise<Record<string, Tensor>> {
  const results = await run(graph, Object.fromEntries(feedsOf(usage)), { threads: 1 });
  await release(graph);
  return results;
}

/** Declares the batch axis of the first input as this. */
export const batchAs =
  (batch: Dim, axis: number) =>
  (t: Tensor, k: number): TensorType => ({
    type: t.type,
    shape: t.dims.map((size, at) => (k === 0 && at === axis ? batch : size)),
  });

/** The graph of a case with its node, and nothing else, written out. */
export const definedGraph = (
  op: OperatorName,
  usage: OperatorCase,
  typeOf?: (t: Tensor, k: number) => TensorType,
): Graph =>
  rewrite(graphOfCase(op, usage, typeOf), (node) => (node.op === op ? definitionOf(node) : undefined));

/** The same case in f64. The scales of Resize are f32 whatever it resizes. */
export const inFloat64 = (op: OperatorName, usage: OperatorCase): OperatorCase => ({
  ...usage,
  inputs: usage.inputs.map((t, k) =>
    t !== "" && t.type === "float32" && !(op === "Resize" && k === 2) ? cast(t, "float64") : t,
  ),
});
