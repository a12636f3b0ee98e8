// Pooling whose windows ONNX Runtime counts in two ways: its kernels leave out a last window that would begin beyond the
// input (or, with automatic padding, beyond what dilation leaves), and its shape inference does not. The network runs all
// the same; its gradient, in which the output meets what comes back, would not.
import { GraphError } from "../../graph/error.ts";
import { describe, type Graph, type Node } from "../../graph/graph.ts";
import type { inferTypes } from "../../graph/infer.ts";
import { operatorSpec } from "../../graph/operators/index.ts";
import { readAttributes } from "../../graph/operators/spec.ts";
import { isSame, type Placement, spanOf, windowAxes } from "./windows.ts";

type Types = ReturnType<typeof inferTypes>;
const pools = new Set(["MaxPool", "AveragePool"]);

interface Pooling extends Placement {
  readonly kernel_shape: readonly number[];
  readonly ceil_mode: number;
}

function isCountedTwice(node: Node, types: Types): boolean {
  const attributes = readAttributes(node, operatorSpec(node.op, "")!.attributes) as unknown as Pooling;
  const [x, y] = [types.get(node.inputs[0]!), types.get(node.outputs[0]!)];
  if (!x?.shape || !y?.shape) return false;
  if (isSame(attributes) && attributes.dilations?.some((d) => d > 1)) return true;
  if (!attributes.ceil_mode) return false;
  const fail = (): never => {
    throw new GraphError(`${describe(node)}: its windows are not known`);
  };
  return windowAxes({ type: x }, { type: y }, attributes.kernel_shape, attributes, fail).some((axis) => {
    const { size, count, stride, padBegin, padEnd } = axis;
    if (typeof size !== "number" || typeof count !== "number") return false;
    return count !== Math.ceil((size + padBegin + padEnd - spanOf(axis)) / stride) + 1;
  });
}

/** Refuses such a node where the way back goes through it and something reads its output. */
export function checkPoolCounts(graph: Graph, types: Types, active: ReadonlySet<string>): void {
  const read = new Set(graph.nodes.flatMap(({ inputs }) => inputs));
  for (const node of graph.nodes)
    if (
      pools.has(node.op) &&
      node.domain === "" &&
      active.has(node.inputs[0]!) &&
      read.has(node.outputs[0]!) &&
      isCountedTwice(node, types)
    )
      throw new GraphError(
        `${describe(node)}: ONNX Runtime counts its windows in two ways, so that it could not run the gradient; state pads without ceil_mode`,
      );
}
