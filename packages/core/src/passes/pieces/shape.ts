// The shapes of a node's outputs, from the operator table.
import type { Node } from "../../graph/graph.ts";
import { inferNode } from "../../graph/infer.ts";
import { constantLimit } from "../../graph/operators/constant.ts";
import { formatShape, normalizeAxis, numericShape } from "../../graph/operators/dims.ts";
import type { Inferred } from "../../graph/operators/spec.ts";
import { isFloat, type NumericType, tensor } from "../../graph/tensor.ts";
import { isConstant, type Pieces } from "./tensor.ts";
import { Unreadable } from "./unreadable.ts";

/** What shape inference may know of an input: its shape, and the numbers of axes, sizes and the like. */
function known(x: Pieces | undefined): Inferred | undefined {
  if (!x) return undefined;
  const { type, dims, elements } = x;
  const matters = !isFloat(type) && elements.length <= constantLimit && isConstant(x);
  if (!matters || elements.some((e) => typeof e !== "number")) return { type, shape: dims };
  return {
    type,
    shape: dims,
    value: tensor(elements as readonly number[], { type: type as NumericType, dims }),
  };
}

/** The shape of each output. */
export function outputDims(
  node: Node,
  inputs: readonly (Pieces | undefined)[],
): readonly (readonly number[])[] {
  return inferNode(node, inputs.map(known)).map((type) => {
    const dims = numericShape(type?.shape);
    if (!dims) throw new Unreadable(`the shape ${formatShape(type?.shape)} of its output is not known`);
    return dims;
  });
}

/** The shape of the first output. */
export const firstDims = (node: Node, inputs: readonly (Pieces | undefined)[]): readonly number[] =>
  outputDims(node, inputs)[0]!;

/** An axis counted from the front. */
export const axisOf = (axis: number, { dims }: Pieces): number =>
  normalizeAxis(axis, dims.length, {
    fail: (reason) => {
      throw new Unreadable(reason);
    },
  });
