// Graphs of one node at an edge where a rule once gave what the runtime does not.
import { expect } from "vitest";
import type { Attribute, Graph } from "../../../src/graph/graph.ts";
import { type NumericType, numbers, type Tensor, tensor } from "../../../src/graph/tensor.ts";
import { constantTensor } from "../../../src/passes/interval/tensor.ts";
import { type IntervalTensor, intervalPass } from "../../../src/passes/interval.ts";
import { graphWith, nodeWith, runGraph } from "../../graph/operators-runtime.ts";

export const int = (value: number | bigint): Attribute => ({ type: "int", value: BigInt(value) });
export const ints = (value: readonly number[]): Attribute => ({ type: "ints", value: value.map(BigInt) });
export const of = (
  type: NumericType,
  values: readonly number[],
  dims: readonly number[] = [values.length],
): Tensor => tensor(values, { type, dims });
export const output = (name: string) => ({ name, type: { type: "undefined" } as const });

export function oneNode(
  op: string,
  inputs: Readonly<Record<string, Tensor>>,
  attributes: Readonly<Record<string, Attribute>> = {},
  weights: Readonly<Record<string, Tensor>> = {},
  outputs: readonly string[] = ["y"],
): Graph {
  return graphWith({
    inputs: Object.entries(inputs).map(([name, t]) => ({ name, type: { type: t.type, shape: t.dims } })),
    initializers: new Map(Object.entries(weights)),
    nodes: [nodeWith(op, [...Object.keys(inputs), ...Object.keys(weights)], outputs, attributes)],
    outputs: outputs.map(output),
  });
}

/** Bounds at a point, and what the runtime computes there: integers must agree, whatever is computed must lie inside. */
export async function expectBounded(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
): Promise<IntervalTensor> {
  const feeds = new Map(Object.entries(inputs));
  const bounds = intervalPass(graph, new Map([...feeds].map(([name, t]) => [name, constantTensor(t)])));
  for (const [name, t] of await runGraph(graph, feeds)) {
    const bound = bounds.get(name)!;
    expect([bound.type, ...bound.dims]).toEqual([t.type, ...t.dims]);
    numbers(t).forEach((v, k) => {
      expect(bound.lower[k], `${name}[${k}] is ${v}`).toBeLessThanOrEqual(v);
      expect(bound.upper[k], `${name}[${k}] is ${v}`).toBeGreaterThanOrEqual(v);
    });
  }
  return bounds.get("y")!;
}
