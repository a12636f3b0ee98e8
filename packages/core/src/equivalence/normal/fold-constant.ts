// The numbers of a node that reads constants only, as far as they follow without a doubt.
import { GraphError } from "../../graph/error.ts";
import type { Node } from "../../graph/graph.ts";
import {
  type DataType,
  elementCount,
  encode,
  isFloat,
  type NumericType,
  type Tensor,
} from "../../graph/tensor.ts";
import { constantTensor, type IntervalTensor, Unreadable } from "../../passes/interval/tensor.ts";
import { intervalPass } from "../../passes/interval.ts";
import { applyRule } from "../../passes/pass.ts";

/** Constants larger than this stay as they are written. */
const mostElements = 2 ** 24;

/** The number of the type that all of an interval rounds to; undefined if its ends round to two. */
function rounded(lower: number, upper: number, type: DataType): number | undefined {
  if (lower === upper) return lower;
  const round = (v: number): number => (type === "float32" ? Math.fround(v) : v);
  return isFloat(type) && round(lower) === round(upper) ? round(lower) : undefined;
}

function tensorOf({ type, dims, lower, upper }: IntervalTensor): Tensor | undefined {
  if (elementCount(dims) > mostElements || type === "string") return undefined;
  const values = new Float64Array(lower.length);
  for (let k = 0; k < lower.length; k++) {
    const value = rounded(lower[k]!, upper[k]!, type);
    if (value === undefined) return undefined;
    values[k] = value;
  }
  return { type, dims, data: encode(values, type as NumericType) };
}

/** The outputs of a node of constants, or undefined where the interval pass does not know each of them to the bit. */
export function foldedConstants(
  node: Node,
  inputs: readonly (Tensor | undefined)[],
): readonly Tensor[] | undefined {
  try {
    const given = inputs.map((t) => t && constantTensor(t));
    const results = applyRule("interval", intervalPass.rules, node, given).map(tensorOf);
    return results.every((t) => t !== undefined) ? (results as readonly Tensor[]) : undefined;
  } catch (error) {
    if (error instanceof GraphError || error instanceof Unreadable || error instanceof RangeError)
      return undefined;
    throw error;
  }
}

/** Are the numbers of the folded node those of the real function itself, not rounded to the type? */
export function isExactlyFolded(node: Node, inputs: readonly (Tensor | undefined)[]): boolean {
  const results = applyRule(
    "interval",
    intervalPass.rules,
    node,
    inputs.map((t) => t && constantTensor(t)),
  );
  return results.every(({ lower, upper }) => lower.every((v, k) => v === upper[k]));
}
